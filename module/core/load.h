/* SPDX-License-Identifier: GPL-2.0-only */
/* What a load on a thread and a load on a CPU have in common. */
#ifndef PERFMON_LOAD_H
#define PERFMON_LOAD_H

#include "context.h"
#include "cost.h"
#include "set_switch.h"

/* The context is loaded from here on.  Called where its registers are, with its lock held. */
static inline void pfm_load_begin(struct pfm_context *context, struct pfm_set *set)
{
	context->state = PFM_STATE_LOADED;
	context->foreign_runs = 0;
	pfm_cost_begin(context);
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
	context->started = false;
	context->switch_due = false;
	context->credit = 0;
}

#endif
