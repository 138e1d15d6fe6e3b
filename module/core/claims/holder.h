/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_HOLDER_H
#define PERFMON_HOLDER_H

#include "context.h"

/*
 * If a call fails because other processes hold what a context needs, the error names one of these
 * processes to the user.  The functions of this file find the number or the name of such a process,
 * or tell whether a given process holds what is needed.  They are not on a hot path.
 */

/*
 * Return: the number of process @loader in the caller's pid namespace; 0 if the process has ended,
 * or is not in that namespace.
 */
u32 pfm_holder_number(struct pid *loader);

/*
 * Find the process that loaded the context of @task.  Return: the number of the process in the
 * caller's pid namespace; 0 if @task has no context, if the process has ended, or if it is not in
 * that namespace.
 */
u32 pfm_holder_of_thread(struct task_struct *task);

/* Return: whether process @loader loaded the context of @task.  Called with interrupts off. */
bool pfm_thread_is_held_by(struct task_struct *task, const struct pid *loader);

/*
 * Store in @text a name for the contexts that have claimed @use, such as "contexts on threads:
 * NAME[PID]".  NAME[PID] is a process that has loaded such a context.  It is left out if the
 * process has ended, or is not in the caller's pid namespace.  @cpus: for system-wide contexts,
 * their field cpus; for contexts on threads, NULL.  May sleep.  The caller makes sure that
 * @use->pmds does not change during the call.
 */
void pfm_holder_of_use(const struct pfm_use *use, struct pfm_cpu __percpu *cpus,
		       char *text, size_t size);

#endif
