/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_ATTACH_H
#define PERFMON_ATTACH_H

#include "context.h"

/* The caller holds the context's mutex. */
int pfm_load(struct pfm_context *context, const struct pfarg_load *load);
void pfm_unload(struct pfm_context *context);

/* Block the monitored thread until a restart.  Called by the irq_work, in interrupt context. */
void pfm_block_thread(struct pfm_context *context);

/*
 * Called at the end of each process that has the context's file open.  If this process loaded the
 * context, unblock the monitored thread, and do not block it after later overflows.  Other
 * processes may still have the file open, but perhaps none of them restarts the context.
 */
void pfm_loader_ends(struct pfm_context *context);

/*
 * Drop the attachment of @context to the current thread.  Called by the thread's hooks with
 * interrupts off.
 * @tell: true if a message has to be posted
 * @closed: true if the thread executes a program that the loader may not monitor
 */
void pfm_detach_current(struct pfm_context *context, bool tell, bool closed);

#endif
