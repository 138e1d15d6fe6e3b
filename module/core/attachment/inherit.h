/* SPDX-License-Identifier: GPL-2.0-only */
/* Called by the thread's hooks, in the thread, with interrupts off. */
#ifndef PERFMON_INHERIT_H
#define PERFMON_INHERIT_H

#include "context.h"

/*
 * If @child inherits @source, load a copy of @source on @child.  Called when the current thread
 * makes @child.  @source monitors the current thread.
 */
void pfm_inherit(struct pfm_context *source, struct task_struct *child);

/*
 * End @copy, which monitors the current thread.  @closed is false if the thread ends.  It is true
 * if the thread executes a program that the loader may not monitor.
 */
void pfm_inherit_end(struct pfm_context *copy, bool closed);

#endif
