/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls the PMU module's operations, if it has them, when contexts are loaded and unloaded. */
#ifndef PERFMON_SESSION_H
#define PERFMON_SESSION_H

#include "context.h"

/* The PMU must have the operation. */
int pfm_session_load(struct pfm_context *context, struct task_struct *task);
void pfm_session_unload(struct pfm_context *context, struct task_struct *task);

/*
 * Mutex held, unloaded, about to be loaded on @task; may sleep.  Return: 0, or a negative
 * errno; then pfm_session_end() must not be called.
 */
static inline int pfm_session_begin(struct pfm_context *context, struct task_struct *task)
{
	if (likely(!context->pmu->operations->load))
		return 0;
	return pfm_session_load(context, task);
}

/* Interrupts off; the counters do not count for @task any more. */
static inline void pfm_session_end(struct pfm_context *context, struct task_struct *task)
{
	if (unlikely(context->pmu->operations->unload))
		pfm_session_unload(context, task);
}

#endif
