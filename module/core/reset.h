/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_RESET_H
#define PERFMON_RESET_H

#include "context.h"

/**
 * pfm_reset_note() - PMDs that have to be reset because one overflowed
 * @set: its set
 * @pmd: the one
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

/* Forget them. */
static inline void pfm_reset_forget(struct pfm_set *set)
{
	set->reset_pmds = 0;
	set->reset_virtual = 0;
}

/**
 * pfm_reset() - give the PMDs that were noted their reset values, in memory
 * @context: who counts is halted and saved, or does not count
 * @set: one of its sets
 * @is_long: the long ones
 *
 * Return: PMDs below 64 that changed.
 */
u64 pfm_reset(struct pfm_context *context, struct pfm_set *set, bool is_long);

#endif
