/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_REGISTERS_H
#define PERFMON_REGISTERS_H

#include "context.h"

/*
 * Mutex held.  Elements are written in order up to the first bad one.
 * Return: 0, or the negative errno of the bad element, whose index is in
 * context->error.
 */
int pfm_write_pmcs(struct pfm_context *context, struct pfarg_pmc *pmcs, u32 count);
int pfm_write_pmds(struct pfm_context *context, struct pfarg_pmd *pmds, u32 count);

/**
 * struct pfm_snapshot - values of a set's PMDs in use, at one moment
 * @values: by PMD number; those of PMDs not in use are undefined
 * @set: the set
 */
struct pfm_snapshot {
	u64 values[PFM_MAX_PMDS];
	struct pfm_set *set;
};

/*
 * PMD numbers come from the user, and a CPU may speculate past the check in pfm_pmd_used().
 * The modulo keeps such a read within the memory of the snapshot.  The modulo is cheaper than
 * array_index_nospec(), and as safe.
 *
 * A pointer is used, not an index: with UBSAN, as in distributions' kernels, an index would be
 * checked, and that would call a function inside a user access section.
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

/* Mutex held.  pfm_snapshot() reads the active set, pfm_snapshot_set() any set. */
void pfm_snapshot(struct pfm_context *context, struct pfm_snapshot *snapshot);
void pfm_snapshot_set(struct pfm_context *context, struct pfm_set *set,
		      struct pfm_snapshot *snapshot);
int pfm_unreadable(struct pfm_context *context, u32 index, u16 id, unsigned int n);

static __always_inline bool pfm_pmd_used(const struct pfm_set *set, unsigned int n)
{
	if (likely(n < PFM_MAX_HARDWARE)) {
		OPTIMIZER_HIDE_VAR(n); /* else the compiler would drop the % */
		return set->registers.used_pmds[n / 64 % (PFM_MAX_HARDWARE / 64)] &
		       BIT_ULL(n % 64);
	}
	n -= PFM_VIRTUAL_PMD_BASE;
	return n < PFM_MAX_VIRTUAL && set->used_virtual & BIT_ULL(n);
}

/* Give a set's PMCs their default values; context unloaded. */
void pfm_registers_default(struct pfm_context *context, struct pfm_set *set);

#endif
