/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When a set's clock runs, and its virtual PMDs count: while its context monitors and the
 * thread is on a CPU.  Inline, because threads and sets are switched all the time.
 */
#ifndef PERFMON_SET_CLOCK_H
#define PERFMON_SET_CLOCK_H

#include "clock.h"
#include "context.h"
#include "virtual.h"

/* The time of a set is that of its thread on a CPU. */
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
 * ns that @set was active until @now; called via pfm_context_call() or pfm_context_look().
 * It can be a little less than 0 at first: when an NMI made the set active after the
 * scheduler had looked at its clock.
 */
static inline s64 pfm_set_time(struct pfm_context *context, struct pfm_set *set, u64 now)
{
	if (set == context->active && context->monitoring && context->cpu != PFM_NO_CPU)
		return set->duration + pfm_set_clock_read(context, now);
	return set->duration;
}

/* ns that remain of its timeout at @now, less than 0 if it is over. */
static inline s64 pfm_set_rest(struct pfm_context *context, struct pfm_set *set, u64 now)
{
	return set->ends_at - pfm_set_time(context, set, now);
}

/* ns that @set was active until now, and ns that remain of its timeout: at least 0. */
u64 pfm_set_duration(struct pfm_context *context, struct pfm_set *set);
u64 pfm_set_time_left(struct pfm_context *context, struct pfm_set *set);

/* All but the counting. */
static inline void pfm_monitoring_take_up(struct pfm_context *context, u64 now)
{
	struct pfm_set *set = context->active;

	if (set->used_virtual)
		pfm_virtual_begin(context, set);
	set->registers.resumed = false;
	context->monitoring = true;
	pfm_set_clock_begin(context,
			    now); /* of a thread that does not run: when it comes in */
}

/* The same backwards; nothing counts. */
static inline void pfm_monitoring_suspend(struct pfm_context *context, u64 now)
{
	if (context->cpu != PFM_NO_CPU)
		pfm_set_clock_end(context, now);
	context->monitoring = false;
	if (context->active->used_virtual)
		pfm_virtual_end(context, context->active);
}

#endif
