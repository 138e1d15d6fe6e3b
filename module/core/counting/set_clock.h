/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of a set runs while the set is active, its context is monitoring, and the thread is on
 * a CPU.  The functions are inline, because thread and set switches are frequent.
 */
#ifndef PERFMON_SET_CLOCK_H
#define PERFMON_SET_CLOCK_H

#include "clock.h"
#include "context.h"
#include "virtual.h"

/* Start the clock of the active set, because monitoring begins or the thread is switched in. */
static inline void pfm_set_clock_begin(struct pfm_context *context, u64 now)
{
	context->since = now;
}

static inline u64 pfm_set_clock_read(const struct pfm_context *context, u64 now)
{
	return pfm_clock_between(context->since, now);
}

static inline void pfm_set_clock_end(struct pfm_context *context, u64 now)
{
	context->active->duration += pfm_set_clock_read(context, now);
}

/*
 * Return: how long @set has been active until @now, in ns.  The thread must not be switched in or
 * out during the call.  So the function is called via pfm_context_call() or pfm_snapshot(), or on
 * the context's CPU with interrupts off or in an NMI.  The result can be slightly negative at
 * first: an NMI may have made the set active after @now was read.
 */
static inline s64 pfm_set_time(struct pfm_context *context, struct pfm_set *set, u64 now)
{
	pfm_assert_here(context);
	if (set == context->active && context->monitoring && context->cpu != PFM_NO_CPU)
		return set->duration + pfm_set_clock_read(context, now);
	return set->duration;
}

/* Return: ns that remain of the timeout of @set at @now; negative if the timeout is over. */
static inline s64 pfm_set_rest(struct pfm_context *context, struct pfm_set *set, u64 now)
{
	return set->ends_at - pfm_set_time(context, set, now);
}

/*
 * pfm_set_duration() returns how long @set has been active, in ns.  pfm_set_time_left()
 * returns how much of the timeout of @set remains, in ns.  Neither result is negative.
 */
u64 pfm_set_duration(struct pfm_context *context, struct pfm_set *set);
u64 pfm_set_time_left(struct pfm_context *context, struct pfm_set *set);

/* Begin to monitor, but do not start the counters. */
static inline void pfm_monitoring_take_up(struct pfm_context *context, u64 now)
{
	struct pfm_set *set = context->active;

	pfm_assert_here(context);
	if (set->used_virtual)
		pfm_virtual_begin(context, set);
	set->registers.resumed = false;
	context->monitoring = true;
	pfm_set_clock_begin(context,
			    now); /* done again if the thread is switched in later */
}

/* Undo pfm_monitoring_take_up().  The counters are stopped. */
static inline void pfm_monitoring_suspend(struct pfm_context *context, u64 now)
{
	pfm_assert_here(context);
	if (context->cpu != PFM_NO_CPU)
		pfm_set_clock_end(context, now);
	context->monitoring = false;
	if (context->active->used_virtual)
		pfm_virtual_end(context, context->active);
}

#endif
