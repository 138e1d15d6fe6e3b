/* SPDX-License-Identifier: GPL-2.0-only */
/* A PMU module that wants to know is told when contexts are loaded and unloaded. */
#ifndef PERFMON_SESSION_H
#define PERFMON_SESSION_H

#include "context.h"

/* Of a PMU that has the operation. */
int pfm_session_load(struct pfm_context *context, struct task_struct *task);
void pfm_session_unload(struct pfm_context *context, struct task_struct *task);

/*
 * Mutex held, unloaded, about to be loaded on @task; may sleep.  0, or why not; then there
 * is nothing to end.
 */
static inline int pfm_session_begin(struct pfm_context *context, struct task_struct *task)
{
	if (likely(!context->pmu->operations->load))
		return 0;
	return pfm_session_load(context, task);
}

/* Interrupts off; nothing counts any more on @task. */
static inline void pfm_session_end(struct pfm_context *context, struct task_struct *task)
{
	if (unlikely(context->pmu->operations->unload))
		pfm_session_unload(context, task);
}

#endif
