/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_DETACH_H
#define PERFMON_DETACH_H

struct pfm_context;
struct task_struct;

/*
 * Drop the attachment, whether it is pending or committed.  Called via pfm_context_call() or by the
 * thread's hooks, with the context's lock held.  Return: the thread, or NULL if there was no
 * attachment.  The caller takes over the attachment's reference to the thread.
 */
struct task_struct *pfm_detach(struct pfm_context *context);

#endif
