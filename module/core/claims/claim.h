/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_CLAIM_H
#define PERFMON_CORE_CLAIM_H

#include "context.h"

/*
 * A loaded context claims the PMDs that its sets use.  A context that is loaded on a thread also
 * claims the hooks of the scheduler.  After the claim, pfm_claim() calls the load operation of the
 * PMU module, if the module has one.  This operation may refuse the context.  A context that is not
 * loaded claims nothing.
 *
 * Hardware and hooks that no context uses any more are released at most once per second.  Each
 * claim and each release interrupts all CPUs of the PMU, and enabling the hooks patches the
 * kernel's text.  Without this limit any user could cause such interrupts and patches at any rate.
 */

/**
 * pfm_claim() - claim what a context needs to be loaded
 * @context: an unloaded context whose mutex is held; the function sets context->use
 * @task: the thread to be monitored; NULL for a system-wide context
 *
 * May sleep.
 *
 * Return: 0, or a negative errno; on an error nothing is claimed.
 */
int pfm_claim(struct pfm_context *context, struct task_struct *task);

/**
 * pfm_claim_more() - claim the additional PMDs that a write needs
 * @context: its mutex is held; if the context is not loaded, nothing is done
 * @index: index of the element that needs @pmds, in the vector that the user writes; stored in
 *	context->error if the claim fails
 * @pmds: bitmap of PMDs below 256
 *
 * May sleep.
 */
int pfm_claim_more(struct pfm_context *context, u32 index, const u64 *pmds);

/*
 * Claim for @copy what @source has claimed.  Called with interrupts off.  @source is loaded, and
 * its lock is held.  The PMU module's load operation is not called; for the reason see
 * pfm_copies_create().
 */
void pfm_claim_again(struct pfm_context *copy, const struct pfm_context *source);

/*
 * Undo pfm_claim() or pfm_claim_again().  @task: the monitored thread; NULL for a system-wide
 * context.  Called with interrupts off, after the counters have stopped counting for @context.
 */
void pfm_unclaim(struct pfm_context *context, struct task_struct *task);

/* Called when a PMU is registered or unregistered.  May sleep; no context uses the PMU. */
int pfm_claims_add(struct pfm_pmu *pmu);
void pfm_claims_remove(struct pfm_pmu *pmu);

/*
 * @pmds is a bitmap of PMDs below 256.  Remove from @pmds the PMDs that perf holds at the moment.
 * If the counters are independent, also remove the PMDs that contexts of the other kind hold:
 * system-wide contexts if @context is on a thread, and contexts on threads if it is system-wide.
 * @context uses @pmu, or has no PMU yet.  May sleep.
 */
void pfm_claims_subtract_held(const struct pfm_pmu *pmu,
			      const struct pfm_context *context, u64 *pmds);

void pfm_claims_exit(void);

#endif
