/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_SETS_H
#define PERFMON_SETS_H

#include <linux/list.h>
#include <perfmon_pmu.h>

struct pfm_context;

/**
 * struct pfm_pmd_attributes - what only overflows and resets need to know of a PMD
 *
 * @last_reset: value last loaded
 * @random_state: of Carta's generator, 1 to 2^31 - 2
 * @reset_pmds: PMDs below 64 to be reset when it overflows, itself too
 * @reset_virtual: the same of virtual PMDs, bit n: PFM_VIRTUAL_PMD_BASE + n
 * @records: some PMD is in @smpl_pmds
 */
struct pfm_pmd_attributes {
	u64 long_reset;
	u64 short_reset;
	u64 last_reset;
	u64 event_id;
	u64 reset_pmds;
	u64 reset_virtual;
	bool records;
	bool is_random;
	u32 random_state;
	u64 random_mask;
	u64 smpl_pmds[PFM_PMD_BV];
};

/**
 * struct pfm_set - an event set: the registers of a PMU and how they are switched
 *
 * Belongs to one context and has its locking.  A stamp is a number that
 * is never used twice; a CPU whose stamp is the set's still holds its values:
 *
 * @pmc_stamp: given when PMCs change, noted by each CPU that is programmed
 * @pmd_stamp: given by the CPU that saved the set last, 0 when PMDs change
 * @reset_pmds: wait for a restart to get their long reset values, or for the set to
 *	become active
 * @reset_virtual: the same of virtual PMDs
 */
struct pfm_set {
	struct list_head node;
	u16 id;
	u32 flags;
	u64 timeout;
	u64 runs;
	u64 duration; /* ns active, monitoring, thread running */
	u64 overflowed[PFM_PMD_BV];
	u64 reset_pmds;
	u64 reset_virtual;

	u64 pmc_stamp;
	u64 pmd_stamp;
	bool uses_hardware; /* some PMD below 256 is in use */
	u64 narrow; /* counters without 64-bit emulation */
	u64 notifying; /* counters with PFM_REGFL_OVFL_NOTIFY */
	struct pfm_registers registers;

	u64 used_virtual; /* bit n: PMD PFM_VIRTUAL_PMD_BASE + n */
	u64 virtual_value[PFM_MAX_VIRTUAL];
	u64 virtual_start[PFM_MAX_VIRTUAL]; /* its source when monitoring began */

	unsigned int pmd_count; /* of the PMU */
	struct pfm_pmd_attributes attributes[]; /* those, and then the virtual ones */
};

static __always_inline struct pfm_pmd_attributes *pfm_attributes(struct pfm_set *set,
								 unsigned int pmd)
{
	if (pmd >= PFM_VIRTUAL_PMD_BASE)
		pmd = set->pmd_count + (pmd - PFM_VIRTUAL_PMD_BASE);
	return &set->attributes[pmd];
}

struct pfm_set *pfm_set_create(struct pfm_context *context, u16 id);
void pfm_sets_free(struct pfm_context *context);
void pfm_set_activate(struct pfm_context *context, struct pfm_set *set);

int pfm_create_evtsets(struct pfm_context *context, struct pfarg_setdesc *descriptions,
		       u32 count);
int pfm_getinfo_evtsets(struct pfm_context *context, struct pfarg_setinfo *infos,
			u32 count);
int pfm_delete_evtsets(struct pfm_context *context, struct pfarg_setdesc *descriptions,
		       u32 count);

#endif
