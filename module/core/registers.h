/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_REGISTERS_H
#define PERFMON_REGISTERS_H

#include "context.h"

/*
 * Mutex held.  Elements are taken in order up to the first bad one, whose
 * negative errno is returned and whose index stands in the context's error.
 */
int pfm_write_pmcs(struct pfm_context *context, struct pfarg_pmc *pmcs, u32 count);
int pfm_write_pmds(struct pfm_context *context, struct pfarg_pmd *pmds, u32 count);

/**
 * struct pfm_snapshot - the PMDs in use of a set at one moment
 * @values: by number; the others are undefined
 * @set: that set
 */
struct pfm_snapshot {
	u64 values[PFM_MAX_PMDS];
	struct pfm_set *set;
};

/*
 * Numbers come from the user: what a CPU reads that speculates past pfm_pmd_used() shall lie in
 * the memory of the snapshot.  That is cheaper than array_index_nospec(), and as good.
 *
 * By a pointer, not an index: UBSAN, which is in distributions' kernels, would check that against
 * the array, and call its handler where user memory may be accessed.
 */
#define PFM_SPECULATED_PMDS 512
static_assert(PFM_MAX_PMDS <= PFM_SPECULATED_PMDS);
static_assert(PFM_SPECULATED_PMDS * sizeof(u64) <= PFM_ARGUMENTS_SIZE);

static __always_inline u64 pfm_snapshot_value(const struct pfm_snapshot *snapshot,
					      unsigned int n)
{
	OPTIMIZER_HIDE_VAR(n);
	return *(&snapshot->values[0] + n % PFM_SPECULATED_PMDS);
}

/* Mutex held.  Of the active set, or of any. */
void pfm_snapshot(struct pfm_context *context, struct pfm_snapshot *snapshot);
void pfm_snapshot_set(struct pfm_context *context, struct pfm_set *set,
		      struct pfm_snapshot *snapshot);
int pfm_unreadable(struct pfm_context *context, u32 index, u16 id, unsigned int n);

static __always_inline bool pfm_pmd_used(const struct pfm_set *set, unsigned int n)
{
	if (likely(n < PFM_MAX_HARDWARE)) {
		OPTIMIZER_HIDE_VAR(n); /* or it would think the % needless */
		return set->registers.used_pmds[n / 64 % (PFM_MAX_HARDWARE / 64)] &
		       BIT_ULL(n % 64);
	}
	n -= PFM_VIRTUAL_PMD_BASE;
	return n < PFM_MAX_VIRTUAL && set->used_virtual & BIT_ULL(n);
}

/* Gives a set's PMCs their default values; context unloaded. */
void pfm_registers_default(struct pfm_context *context, struct pfm_set *set);

#endif
