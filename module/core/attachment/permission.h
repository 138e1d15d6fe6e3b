/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_PERMISSION_H
#define PERFMON_PERMISSION_H

#include <linux/types.h>

struct pfm_context;
struct task_struct;

int pfm_permission_init(void);
void pfm_permission_exit(void);

/*
 * Check whether the calling thread may count.  Sets context->user_level if the thread may count
 * at user level only.  May sleep.
 * Return: 0, or a negative errno; context->error has the reason.
 */
int pfm_may_create(struct pfm_context *context);

/*
 * Check whether the calling thread may monitor another thread.  May sleep.
 * Return: 0 if it may; -EPERM if it may not; -ESRCH if that thread has ended; -ENOMEM or another
 * errno if the check itself failed.
 */
int pfm_may_monitor(struct task_struct *task);

/*
 * Check whether the calling thread may monitor CPUs, including all threads that run on them.
 * Return: 0, or a negative errno; context->error has the reason.
 */
int pfm_may_monitor_cpus(struct pfm_context *context);

/*
 * Check whether the calling thread may block another thread.  Nobody may block the machine's first
 * process: while it is blocked, it cannot start or reap other processes.  May sleep.
 * Return: the same as pfm_may_monitor().
 */
int pfm_may_block(struct task_struct *task);

#endif
