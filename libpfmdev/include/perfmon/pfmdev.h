/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpfmdev implements the calls of perfmon2 (v2.8) with /dev/perfmon.  It adds pfm_read()
 * of perfmon v3, the fastest way to read PMDs.  It also adds calls that return what the
 * module offers and why a call failed.
 *
 * Programs written for perfmon2 include <perfmon/perfmon.h>, which includes this header.
 *
 * Most calls return 0 or a descriptor; on failure they return -1 and set errno.  See
 * libpfmdev(7) and the page of each function.
 */
#ifndef _PERFMON_PFMDEV_H
#define _PERFMON_PFMDEV_H

#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <linux/types.h>

/*
 * perfmon2 declared its structures with the types of <stdint.h>, and programs use pointers such
 * as uint64_t * to the fields.  On most machines uint64_t and __u64 are different types of the
 * same size.  So the fields get the types of <stdint.h> here.
 */
#define __u16 uint16_t
#define __u32 uint32_t
#define __u64 uint64_t
#define __s32 int32_t
#include <perfmon/perfmon_ioctl.h>
#undef __u16
#undef __u32
#undef __u64
#undef __s32

/* Names that perfmon2's header defined and that the ioctls do not need. */
#define PFM_VERSION_MAJ	   PFM_VERSION_MAJOR(PFM_VERSION)
#define PFM_VERSION_MIN	   PFM_VERSION_MINOR(PFM_VERSION)
#define PFM_GROUP_PERM_ANY (-1)
#define PFM_BPL		   (sizeof(uint64_t) << 3)
#define PFM_BVSIZE(x)	   (((x) + PFM_BPL - 1) / PFM_BPL)

typedef struct pfarg_ctx pfarg_ctx_t;
typedef struct pfarg_pmc pfarg_pmc_t;
typedef struct pfarg_pmd pfarg_pmd_t;
typedef struct pfarg_pmr pfarg_pmr_t;
typedef struct pfarg_start pfarg_start_t;
typedef struct pfarg_load pfarg_load_t;
typedef struct pfarg_setdesc pfarg_setdesc_t;
typedef struct pfarg_setinfo pfarg_setinfo_t;
typedef struct pfarg_ovfl_msg pfarg_ovfl_msg_t;
typedef union pfarg_msg pfarg_msg_t;
typedef int os_err_t;

/* The argument @type of pfm_read() must have this value. */
#define PFM_RW_PMD	    1 /* read PMDs; @ptr points to an array of pfarg_pmr_t */

/* Size in bytes of a buffer that can hold any sentence of pfm_last_error(). */
#define PFM_LAST_ERROR_SIZE 512

/* The largest CPU number that pfm_cpus_parse() accepts. */
#define PFM_CPU_MOST	    65535

/**
 * struct pfm_cpu_context - a system-wide context, for the pfm_cpus_*() functions
 * @cpu: number of the CPU, from pfm_cpus_parse() or from the caller
 * @fd: descriptor of the context, from pfm_cpus_load(); -1 if there is none
 * @error: errno of the last call on this CPU, 0 if that call succeeded
 * @has_message: 1 if the last pfm_cpus_wait() read a message from this context, 0 if it did not
 * @message: the message that pfm_cpus_wait() read
 */
struct pfm_cpu_context {
	int cpu;
	int fd;
	int error;
	int has_message;
	pfarg_msg_t message;
};

#ifdef __cplusplus
extern "C" {
#endif

/* calls of perfmon2 v2.8 */
os_err_t pfm_create_context(pfarg_ctx_t *ctx, char *fmt_name, void *fmt_arg,
			    size_t fmt_size);
os_err_t pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int count);
os_err_t pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int count);
os_err_t pfm_read_pmds(int fd, pfarg_pmd_t *pmds, int count);
os_err_t pfm_load_context(int fd, pfarg_load_t *load);
os_err_t pfm_start(int fd, pfarg_start_t *start);
os_err_t pfm_stop(int fd);
os_err_t pfm_restart(int fd);
os_err_t pfm_create_evtsets(int fd, pfarg_setdesc_t *sets, int count);
os_err_t pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *info, int count);
os_err_t pfm_delete_evtsets(int fd, pfarg_setdesc_t *sets, int count);
os_err_t pfm_unload_context(int fd);

/* a call of perfmon v3 */
os_err_t pfm_read(int fd, int flags, int type, void *ptr, size_t size);

/* calls that perfmon2 and perfmon v3 do not have */
int pfm_create(const struct pfm_create *create);
int pfm_open_device(void);
int pfm_restart_cpu(int fd, unsigned int cpu);
int pfm_read_thread(int fd, struct pfm_thread_counts *counts);
int pfm_get_info(int fd, struct pfm_info *info);
int pfm_get_status(int fd, struct pfm_status *status);
int pfm_get_statistics(int fd, struct pfm_statistics *statistics);
int pfm_get_error(int fd, struct pfm_error *error);
const char *pfm_last_error(int fd, char *buffer, size_t size);
const char *pfm_strreason(unsigned int reason);

/* system-wide contexts on several CPUs, see pfm_cpus_load(3) */
int pfm_cpus_parse(const char *list, struct pfm_cpu_context *contexts, int most);
int pfm_cpus_load(struct pfm_cpu_context *contexts, int count,
		  const struct pfm_create *create, pfarg_pmc_t *pmcs, int pmc_count,
		  pfarg_pmd_t *pmds, int pmd_count);
int pfm_cpus_start(struct pfm_cpu_context *contexts, int count);
int pfm_cpus_stop(struct pfm_cpu_context *contexts, int count);
int pfm_cpus_wait(struct pfm_cpu_context *contexts, int count, int timeout);
int pfm_cpus_read(struct pfm_cpu_context *contexts, int count, const pfarg_pmr_t *pmds,
		  int pmd_count, uint64_t *values);
void pfm_cpus_close(struct pfm_cpu_context *contexts, int count);

/* samples of several buffers, the oldest first, see pfm_samples_next(3) */
struct pfm_samples;
struct pfm_dfl_smpl_entry; /* <perfmon/perfmon_dfl_smpl.h> */
struct pfm_samples *pfm_samples_open(void);
int pfm_samples_add(struct pfm_samples *samples, int fd, const char *format);
int pfm_samples_next(struct pfm_samples *samples,
		     const struct pfm_dfl_smpl_entry **sample);
void pfm_samples_end(struct pfm_samples *samples);
uint64_t pfm_samples_lost(const struct pfm_samples *samples);
void pfm_samples_close(struct pfm_samples *samples);

#ifdef __cplusplus
}
#endif

#endif
