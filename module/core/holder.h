/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_HOLDER_H
#define PERFMON_HOLDER_H

#include "context.h"

/*
 * Names of those who hold what a context needs, for the reasons of calls that fail.  Nothing
 * here is hot.
 */

/*
 * Return: process @loader as the caller sees it; 0 if it has ended, or the caller's pid namespace does
 * not have it.
 */
u32 pfm_holder_number(struct pid *loader);

/*
 * Return: the process that loaded the context of @task, as the caller sees it; 0 if there is
 * none.
 */
u32 pfm_holder_of_thread(struct task_struct *task);

/*
 * Store in @text a name for the contexts that have claimed @use, such as "contexts on threads:
 * NAME[PID]".  The process is one that has loaded such a context and that the caller may see, if
 * there is one.  @cpus is as in struct pfm_context if these contexts are system-wide, else NULL.
 * May sleep; @use is not replaced meanwhile.
 */
void pfm_holder_of_use(const struct pfm_use *use, struct pfm_cpu __percpu *cpus,
		       char *text, size_t size);

#endif
