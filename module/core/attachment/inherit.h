/* SPDX-License-Identifier: GPL-2.0-only */
/* Called by the thread's hooks, in the thread, with interrupts off. */
#ifndef PERFMON_INHERIT_H
#define PERFMON_INHERIT_H

#include "context.h"

/*
 * Load a copy of @source on @child if @source is inherited by @child.  Called when the current
 * thread, which @source monitors, makes @child.
 */
void pfm_inherit(struct pfm_context *source, struct task_struct *child);

/*
 * End @copy, which monitors the current thread.  @closed is false if the thread ends.  It is true
 * if the thread executes a program that the loader may not monitor.
 */
void pfm_inherit_end(struct pfm_context *copy, bool closed);

#endif
