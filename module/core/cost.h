/* SPDX-License-Identifier: GPL-2.0-only */
/* What monitoring costs, and what it misses: PFM_IOC_STATISTICS. */
#ifndef PERFMON_COST_H
#define PERFMON_COST_H

#include <linux/sched.h>

#include "context.h"

/* Return: how often the thread was switched out, as in /proc/TID/status. */
static inline u64 pfm_switches_of(const struct task_struct *task)
{
	return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
}

/*
 * Begin the context's statistics at a load, and complete them when the context is detached from its
 * thread.  Called with the context's lock held, where the registers are.  The scheduler's hook need
 * not count the switches of a thread, because the kernel counts them: @switches is the kernel's
 * count at the unload minus its count at the load.
 */
static inline void pfm_cost_begin(struct pfm_context *context)
{
	context->statistics = (struct pfm_context_statistics){};
	if (context->attachment.task)
		context->statistics.switches = -pfm_switches_of(context->attachment.task);
}

static inline void pfm_cost_end(struct pfm_context *context)
{
	context->statistics.switches += pfm_switches_of(context->attachment.task);
}

/*
 * Fill in @statistics.  @statistics->flags and @statistics->cpu are set; the other fields are
 * zero.  The caller holds the mutex.  For the statistics of a CPU, the user need not have created
 * @context yet.  Return: 0 or a negative errno.
 */
int pfm_cost_statistics(struct pfm_context *context, struct pfm_statistics *statistics);

#endif
