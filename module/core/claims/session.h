/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_SESSION_H
#define PERFMON_CORE_SESSION_H

#include "context.h"

int pfm_session_load(struct pfm_context *context, struct task_struct *task);
void pfm_session_unload(struct pfm_context *context, struct task_struct *task);

/*
 * Call the load operation of the PMU module, which may refuse the context.  @task: the thread
 * to be monitored; NULL if the context is system-wide.  May sleep.  Return: 0, or the module's
 * error.  After an error, context->error has the reason.
 */
static inline int pfm_session_begin(struct pfm_context *context, struct task_struct *task)
{
	if (likely(!context->pmu->operations->load))
		return 0;
	return pfm_session_load(context, task);
}

/* Undo pfm_session_begin().  Called with interrupts off. */
static inline void pfm_session_end(struct pfm_context *context, struct task_struct *task)
{
	if (unlikely(context->pmu->operations->unload))
		pfm_session_unload(context, task);
}

#endif
