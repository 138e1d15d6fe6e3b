/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_SET_H
#define PERFMON_CORE_SET_H

#include <linux/list.h>
#include <perfmon_pmu.h>

#include "counting/throttle.h"

struct pfm_context;

/* Number of virtual PMDs that the core provides; a PMU module may provide others. */
#define PFM_CORE_VIRTUAL (PFM_PMD_CPU - PFM_VIRTUAL_PMD_BASE + 1)

/**
 * struct pfm_pmd_attributes - data of a PMD that the core needs at an overflow, a reset or a read
 *
 * @last_reset: the value that the PMD got at the user's last write or at the last reset
 * @random_state: the state of the random number generator (reset.c), 1 to 2^31 - 2
 * @reset_pmds: PMDs below 64 that are reset when this PMD overflows, including itself
 * @reset_virtual: the virtual PMDs that are reset when this PMD overflows; bit n stands for PMD
 *	PFM_VIRTUAL_PMD_BASE + n
 * @switch_count: number of overflows of this PMD after which the next set becomes active; 0 if
 *	overflows of this PMD never switch sets
 * @switch_remaining: number of further overflows of this PMD until the next set becomes active
 * @records: whether any bit of @smpl_pmds is set
 * @unused: makes the size a power of two, so that hot paths find an element with a shift
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
	u64 unused;
};
static_assert(sizeof(struct pfm_pmd_attributes) == 128);

/**
 * struct pfm_sum - sums over the copies that have ended, for one event set: see copies.h
 * @pmds: sums of counters
 * @virtual_value: sums of virtual PMDs
 * @runs: how often the set was active
 * @duration: how long the set was active, in ns
 *
 * Protected by the lock of struct pfm_copies.  While no copy lives, it is enough to hold the
 * context's lock.
 */
struct pfm_sum {
	u64 pmds[PFM_MAX_COUNTERS];
	u64 virtual_value[PFM_MAX_VIRTUAL];
	u64 runs;
	s64 duration;
};

/* Bits of pfm_set.unusual: what to check before the set counts.  Most sets have none of them. */
#define PFM_SET_NO_HARDWARE 0x1 /* no PMD below 256 is in use */
#define PFM_SET_TIMED	    0x2 /* PFM_SETFL_TIME_SWITCH */
#define PFM_SET_THROTTLED   0x4 /* too many interrupts: see struct pfm_budget */

/**
 * struct pfm_set - an event set: values of a PMU's registers, and what a set switch needs
 *
 * Belongs to one context, whose locks protect it.  A stamp is a number that identifies the values
 * of a set's PMCs or PMDs.  If a CPU and a set have the same stamp, the CPU's registers still
 * contain the set's values.
 *
 * @ends_at: the set's turn ends when @duration reaches this value
 * @load: number of the load (pfm_context.loads) to which @overflowed and @reset_* belong
 * @triggers: counters whose switch_count (struct pfm_pmd_attributes) is not 0; without
 *	PFM_SETFL_OVFL_SWITCH, their overflows do not switch sets
 * @pmc_stamp: gets a new number when PMCs change; a CPU that writes the PMCs to its registers
 *	copies this number
 * @pmd_stamp: gets a new number when a CPU saves the set; becomes 0 when PMDs are changed
 *	in memory
 * @reset_pmds: PMDs that get reset values at the restart, or when the set becomes
 *	active
 * @reset_virtual: virtual PMDs that get reset values at the restart, or when the set becomes
 *	active
 */
struct pfm_set {
	struct list_head node;
	u16 id;
	u32 flags;
	u64 timeout; /* ns */
	u64 runs;
	s64 duration; /* how long the set's clock has run, in ns; see pfm_set_duration() */
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
	/* results of source() (virtual.c) when monitoring began */
	u64 virtual_start[PFM_MAX_VIRTUAL];

	/* With PFM_FL_INHERIT_*: see copies.h */
	struct pfm_sum *sum; /* sums over the copies that have ended; NULL in a copy */
	u64 summed; /* in a copy: PMDs whose values are added to those of the parent */
	u64 summed_virtual;

	unsigned int pmd_count; /* number of PMDs of the PMU */
	/* in this order: the PMU's PMDs, the core's virtual PMDs, the PMU's virtual PMDs */
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

/* Return: counters whose overflows switch to the next set. */
static inline u64 pfm_set_triggers(const struct pfm_set *set)
{
	return set->flags & PFM_SETFL_OVFL_SWITCH ? set->triggers : 0;
}

/*
 * Called when the user writes PMD @pmd.  The new value replaces everything that was counted before,
 * so the sum over the copies that have ended becomes 0.
 */
static inline void pfm_sum_forget(struct pfm_set *set, unsigned int pmd)
{
	if (pmd >= PFM_VIRTUAL_PMD_BASE)
		set->sum->virtual_value[pmd - PFM_VIRTUAL_PMD_BASE] = 0;
	else if (pmd < PFM_MAX_COUNTERS)
		set->sum->pmds[pmd] = 0;
}

/*
 * Create a set: the first set of a new context, or a further set.  The caller has checked
 * @description.  The effective timeout is stored in @description.  Return: 0, or a negative errno;
 * on an error nothing has changed.
 */
int pfm_set_create(struct pfm_context *context, struct pfarg_setdesc *description,
		   struct pfm_set **created);

/*
 * Initialize a set from its description.  The PMCs of the set get their default values.  Its runs,
 * duration, overflows and switch counts become 0.
 */
void pfm_set_describe(struct pfm_context *context, struct pfm_set *set,
		      struct pfarg_setdesc *description);

void pfm_set_delete(struct pfm_context *context, struct pfm_set *set);
void pfm_sets_free(struct pfm_context *context);

#endif
