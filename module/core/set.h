/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_SET_H
#define PERFMON_CORE_SET_H

#include <linux/list.h>
#include <perfmon_pmu.h>

#include "throttle.h"

struct pfm_context;

/* Virtual PMDs that the core has: the first so many. */
#define PFM_CORE_VIRTUAL (PFM_PMD_CPU - PFM_VIRTUAL_PMD_BASE + 1)

/**
 * struct pfm_pmd_attributes - what only overflows and resets need to know of a PMD
 *
 * @last_reset: value last loaded
 * @random_state: of Carta's generator, 1 to 2^31 - 2
 * @reset_pmds: PMDs below 64 to be reset when it overflows, itself too
 * @reset_virtual: the same of virtual PMDs, bit n: PFM_VIRTUAL_PMD_BASE + n
 * @switch_count: overflows until the next set, 0 for never
 * @switch_remaining: how many of them are still to come
 * @records: some PMD is in @smpl_pmds
 */
struct pfm_pmd_attributes {
	u64 long_reset;
	u64 short_reset;
	u64 last_reset;
	u64 event_id;
	u64 reset_pmds;
	u64 reset_virtual;
	u64 switch_count;
	u64 switch_remaining;
	bool records;
	bool is_random;
	u32 random_state;
	u64 random_mask;
	u64 smpl_pmds[PFM_PMD_BV];
};

/* What is not as with most sets when one begins to count, struct pfm_set.unusual */
#define PFM_SET_NO_HARDWARE 0x1 /* no PMD below 256 is in use */
#define PFM_SET_TIMED	    0x2 /* PFM_SETFL_TIME_SWITCH */
#define PFM_SET_THROTTLED   0x4 /* too many interrupts: see struct pfm_budget */

/**
 * struct pfm_set - an event set: the registers of a PMU and how they are switched
 *
 * Belongs to one context and has its locking.  A stamp is a number that
 * is never used twice; a CPU whose stamp is the set's still holds its values:
 *
 * @ends_at: @duration at which the time of the set is over
 * @load: number of the context's load that @overflowed and what waits belong to
 * @triggers: counters whose overflows lead to the next set
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
	u64 timeout; /* ns */
	u64 runs;
	s64 duration; /* ns active, monitoring, thread running; see pfm_set_duration() */
	s64 ends_at;
	u64 load;
	u64 overflowed[PFM_PMD_BV];
	u64 reset_pmds;
	u64 reset_virtual;

	u64 pmc_stamp;
	u64 pmd_stamp;
	u32 unusual; /* PFM_SET_* */
	u64 narrow; /* counters without 64-bit emulation */
	u64 notifying; /* counters with PFM_REGFL_OVFL_NOTIFY */
	u64 triggers;
	struct pfm_budget budget;
	struct pfm_registers registers;

	u64 used_virtual; /* bit n: PMD PFM_VIRTUAL_PMD_BASE + n */
	u64 virtual_value[PFM_MAX_VIRTUAL];
	u64 virtual_start[PFM_MAX_VIRTUAL]; /* its source when monitoring began */

	unsigned int pmd_count; /* of the PMU */
	/* those, and then the virtual ones, of the core and of the PMU */
	struct pfm_pmd_attributes attributes[];
};

static __always_inline struct pfm_pmd_attributes *pfm_attributes(struct pfm_set *set,
								 unsigned int pmd)
{
	if (likely(pmd < PFM_VIRTUAL_PMD_BASE))
		return &set->attributes[pmd];
	if (pmd >= PFM_VIRTUAL_PMU_BASE)
		pmd -= PFM_VIRTUAL_PMU_BASE - PFM_VIRTUAL_PMD_BASE - PFM_CORE_VIRTUAL;
	return &set->attributes[set->pmd_count + pmd - PFM_VIRTUAL_PMD_BASE];
}

/*
 * The only place that makes sets, the first one too.  @description has been checked; its
 * timeout becomes the effective one.  Return: 0, or why not as a negative errno; then
 * nothing has changed.
 */
int pfm_set_create(struct pfm_context *context, struct pfarg_setdesc *description,
		   struct pfm_set **created);

/* Make it as it is described, with the defaults of its PMCs, and never active. */
void pfm_set_describe(struct pfm_context *context, struct pfm_set *set,
		      struct pfarg_setdesc *description);

void pfm_set_delete(struct pfm_context *context, struct pfm_set *set);
void pfm_sets_free(struct pfm_context *context);

#endif
