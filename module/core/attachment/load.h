/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps of the load and of the unload of a context, on a thread or on a CPU. */
#ifndef PERFMON_LOAD_H
#define PERFMON_LOAD_H

#include "counting/set_switch.h"
#include "context.h"

/*
 * Begin the context's statistics, at a load.  Called with the context's lock held, where the
 * registers are.  The scheduler's hook need not count the switches of a thread, because the kernel
 * counts them.  After the unload, statistics.switches is the kernel's count at the unload minus the
 * kernel's count at the load.
 */
static inline void pfm_statistics_begin(struct pfm_context *context)
{
	pfm_assert_here(context);
	context->statistics = (struct pfm_context_statistics){};
	if (context->attachment.task)
		context->statistics.switches = -pfm_switches_of(context->attachment.task);
}

/*
 * Complete the statistics, when the context is detached from its thread.  Called with
 * the context's lock held, where the registers are.
 */
static inline void pfm_statistics_end(struct pfm_context *context)
{
	pfm_assert_here(context);
	context->statistics.switches += pfm_switches_of(context->attachment.task);
}

/* From this call on, the context is loaded.  Called where its registers are. */
static inline void pfm_load_begin(struct pfm_context *context, struct pfm_set *set)
{
	lockdep_assert_held(&context->lock);
	pfm_assert_here(context);
	context->state = PFM_STATE_LOADED;
	context->foreign_runs = 0;
	pfm_statistics_begin(context);
	context->closed = false;
	pfm_queue_clear(&context->queue);
	context->loads++;
	pfm_set_activate(context, set, true);
}

/*
 * Clear the fields that have a meaning only while the context is loaded.  The caller holds the
 * context's lock and has stopped the counters.  The caller must also change context->state.
 */
static inline void pfm_load_end(struct pfm_context *context)
{
	lockdep_assert_held(&context->lock);
	pfm_assert_here(context);
	context->started = false;
	context->switch_due = false;
	context->credit = 0;
}

#endif
