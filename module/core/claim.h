/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_CLAIM_H
#define PERFMON_CORE_CLAIM_H

#include "context.h"

/*
 * What loaded contexts hold of the machine: the PMDs that their sets use, and the hooks of
 * the scheduler.  A context that is not loaded holds nothing.
 *
 * What nobody uses any more is given back at once, but no more than once in a second: to
 * claim and to give back interrupts all CPUs of the PMU, and to put the hooks in place
 * patches the kernel's text.  Nobody shall make that happen at will.
 */

/**
 * pfm_claim() - claim what a context needs to be loaded
 * @context: mutex held, unloaded; its @use says then what it has
 *
 * May sleep.
 *
 * Return: 0, or a negative errno, and then nothing is claimed.
 */
int pfm_claim(struct pfm_context *context);

/**
 * pfm_claim_more() - claim what a write brings into use
 * @context: mutex held, loaded or not: if not, there is nothing to do
 * @index: element of the vector that needs them
 * @pmds: PMDs below 256
 *
 * May sleep.
 */
int pfm_claim_more(struct pfm_context *context, u32 index, const u64 *pmds);

/* The context is not loaded any more.  Interrupts may be off; context lock held. */
void pfm_unclaim(struct pfm_context *context);

/* A PMU comes and goes; may sleep.  Nobody uses it then. */
int pfm_claims_add(struct pfm_pmu *pmu);
void pfm_claims_remove(struct pfm_pmu *pmu);

/* Clears in @pmds, those below 256, what somebody else has at the moment; may sleep. */
void pfm_claims_subtract_held(const struct pfm_pmu *pmu, u64 *pmds);

void pfm_claims_exit(void);

#endif
