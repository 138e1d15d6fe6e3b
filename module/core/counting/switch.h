/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_SWITCH_H
#define PERFMON_SWITCH_H

#include "context.h"

/* Called once, when the module is loaded: sets the hook for thread switches (hooks.h). */
void pfm_switch_init(void);

/*
 * pfm_switch_in() is called when the context's thread runs on this CPU.  It starts the counters if
 * the context monitors.  pfm_switch_end() ends monitoring at an unload.  Both are called with the
 * context lock held and, if the thread runs, on the thread's CPU.  @now: pfm_clock().
 */
void pfm_switch_in(struct pfm_context *context, u64 now);
void pfm_switch_end(struct pfm_context *context);

/*
 * Called where the registers are (see struct pfm_context), with the context lock held.  The
 * overflow handler may call pfm_monitoring_end(), pfm_monitoring_mask() and pfm_pause() without the
 * lock.
 */
void pfm_monitoring_begin(struct pfm_context *context);
void pfm_monitoring_end(struct pfm_context *context);
void pfm_monitoring_mask(struct pfm_context *context);
void pfm_pause(struct pfm_context *context);
void pfm_resume(struct pfm_context *context);

/**
 * pfm_counting_prepare() - prepare this CPU to count for the active set
 * @context: a context that is monitoring, and is paused
 * @previous: the set that was active until the set switch
 *
 * After this call the caller calls start().  If this CPU's PMCs still have the values of @previous,
 * the PMU module may write only the PMCs whose values differ in the two sets.
 *
 * Return: the argument of start(), or NULL if the set must not count now.
 */
struct pfm_registers *pfm_counting_prepare(struct pfm_context *context,
					   const struct pfm_set *previous);

#endif
