/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_RESET_H
#define PERFMON_RESET_H

#include "context.h"

/**
 * pfm_reset_note() - note which PMDs have to be reset because @pmd overflowed
 * @set: the set to which @pmd belongs
 * @pmd: number of the PMD that overflowed
 */
static inline void pfm_reset_note(struct pfm_set *set, unsigned int pmd)
{
	set->reset_pmds |= set->attributes[pmd].reset_pmds;
	set->reset_virtual |= set->attributes[pmd].reset_virtual;
}

static inline bool pfm_reset_is_due(const struct pfm_set *set)
{
	return set->reset_pmds || set->reset_virtual;
}

/* Forget the PMDs that pfm_reset_note() noted. */
static inline void pfm_reset_forget(struct pfm_set *set)
{
	set->reset_pmds = 0;
	set->reset_virtual = 0;
}

/* Called only by the functions below. */
u64 pfm_reset_random(struct pfm_pmd_attributes *attributes);
void pfm_reset_virtual(struct pfm_context *context, struct pfm_set *set, bool is_long);

static __always_inline u64 pfm_reset_value(struct pfm_pmd_attributes *attributes,
					   bool is_long)
{
	u64 value = is_long ? attributes->long_reset : attributes->short_reset;

	if (unlikely(attributes->is_random))
		value -= pfm_reset_random(attributes);
	attributes->last_reset = value;
	return value;
}

/**
 * pfm_reset() - give the noted PMDs their reset values, in memory
 * @context: a context that is not counting, or whose counters are halted
 * @set: one of its sets
 * @is_long: whether to use the long reset values
 *
 * Return: bitmap of the PMDs below 64 that got reset values.
 */
static __always_inline u64 pfm_reset(struct pfm_context *context, struct pfm_set *set,
				     bool is_long)
{
	u64 n, rest, changed = set->reset_pmds;

	pfm_assert_here(context);
	pfm_for_each_bit(n, rest, changed)
		set->registers.pmds[n] = pfm_reset_value(&set->attributes[n], is_long);
	set->registers.changed |= changed;
	if (unlikely(set->reset_virtual))
		pfm_reset_virtual(context, set, is_long);
	pfm_reset_forget(set);
	return changed;
}

/*
 * Like pfm_reset(), but also make sure that the PMDs are written to the hardware when the set
 * counts again.
 */
static inline void pfm_reset_in_memory(struct pfm_context *context, struct pfm_set *set,
				       bool is_long)
{
	pfm_reset(context, set, is_long);
	set->pmd_stamp = 0;
}

#endif
