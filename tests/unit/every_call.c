/* SPDX-License-Identifier: GPL-2.0-only */
/* Compiles only if every function of the library has the type that programs expect. */
#include <perfmon/perfmon.h>

int (*create_context)(pfarg_ctx_t *, char *, void *, size_t) = pfm_create_context;
int (*write_pmcs)(int, pfarg_pmc_t *, int) = pfm_write_pmcs;
int (*write_pmds)(int, pfarg_pmd_t *, int) = pfm_write_pmds;
int (*read_pmds)(int, pfarg_pmd_t *, int) = pfm_read_pmds;
int (*read_values)(int, int, int, void *, size_t) = pfm_read;
int (*load_context)(int, pfarg_load_t *) = pfm_load_context;
int (*start)(int, pfarg_start_t *) = pfm_start;
int (*stop)(int) = pfm_stop;
int (*restart)(int) = pfm_restart;
int (*create_evtsets)(int, pfarg_setdesc_t *, int) = pfm_create_evtsets;
int (*getinfo_evtsets)(int, pfarg_setinfo_t *, int) = pfm_getinfo_evtsets;
int (*delete_evtsets)(int, pfarg_setdesc_t *, int) = pfm_delete_evtsets;
int (*unload_context)(int) = pfm_unload_context;
int (*create)(const struct pfm_create *) = pfm_create;
int (*open_device)(void) = pfm_open_device;
int (*restart_cpu)(int, unsigned int) = pfm_restart_cpu;
int (*read_thread)(int, struct pfm_thread_counts *) = pfm_read_thread;
int (*get_info)(int, struct pfm_info *) = pfm_get_info;
int (*get_status)(int, struct pfm_status *) = pfm_get_status;
int (*get_statistics)(int, struct pfm_statistics *) = pfm_get_statistics;
int (*get_error)(int, struct pfm_error *) = pfm_get_error;
const char *(*last_error)(int, char *, size_t) = pfm_last_error;
const char *(*strreason)(unsigned int) = pfm_strreason;
int (*cpus_parse)(const char *, struct pfm_cpu_context *, int) = pfm_cpus_parse;
int (*cpus_load)(struct pfm_cpu_context *, int, const struct pfm_create *, pfarg_pmc_t *,
		 int, pfarg_pmd_t *, int) = pfm_cpus_load;
int (*cpus_start)(struct pfm_cpu_context *, int) = pfm_cpus_start;
int (*cpus_stop)(struct pfm_cpu_context *, int) = pfm_cpus_stop;
int (*cpus_wait)(struct pfm_cpu_context *, int, int) = pfm_cpus_wait;
int (*cpus_read)(struct pfm_cpu_context *, int, const pfarg_pmr_t *, int,
		 uint64_t *) = pfm_cpus_read;
void (*cpus_close)(struct pfm_cpu_context *, int) = pfm_cpus_close;
struct pfm_samples *(*samples_open)(void) = pfm_samples_open;
int (*samples_add)(struct pfm_samples *, int, const char *) = pfm_samples_add;
int (*samples_next)(struct pfm_samples *,
		    const struct pfm_dfl_smpl_entry **) = pfm_samples_next;
void (*samples_end)(struct pfm_samples *) = pfm_samples_end;
uint64_t (*samples_lost)(const struct pfm_samples *) = pfm_samples_lost;
void (*samples_close)(struct pfm_samples *) = pfm_samples_close;

/* Programs for perfmon2 define helpers with these names, so the headers must not define them. */
static inline void pfm_bv_set(uint64_t *bv, uint16_t rnum)
{
	bv[rnum >> 6] |= (uint64_t)1 << (rnum & 63);
}

static inline int pfm_bv_isset(uint64_t *bv, uint16_t rnum)
{
	return bv[rnum >> 6] >> (rnum & 63) & 1;
}

int main(void)
{
	uint64_t bv[PFM_PMD_BV] = { 0 };
	pfarg_pmd_t pmd;

	pmd.reg_smpl_pmds[1] = 0;
	pfm_bv_set(bv, 65);
	pfm_bv_set(pmd.reg_smpl_pmds, 65);
	return !(create_context && last_error && pfm_bv_isset(bv, 65) &&
		 pfm_bv_isset(pmd.reg_smpl_pmds, 65));
}
