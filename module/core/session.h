/* SPDX-License-Identifier: GPL-2.0-only */
/* A PMU module that wants to know is told when contexts are loaded and unloaded. */
#ifndef PERFMON_SESSION_H
#define PERFMON_SESSION_H

struct pfm_context;
struct task_struct;

/*
 * Mutex held, unloaded, about to be loaded on @task; may sleep.  0, or why not; then there
 * is nothing to end.
 */
int pfm_session_begin(struct pfm_context *context, struct task_struct *task);

/* Interrupts off; nothing counts any more on @task. */
void pfm_session_end(struct pfm_context *context, struct task_struct *task);

#endif
