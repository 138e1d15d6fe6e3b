/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_PERMISSION_H
#define PERFMON_PERMISSION_H

#include <linux/types.h>

struct pfm_context;
struct task_struct;

int pfm_permission_init(void);
void pfm_permission_exit(void);

/*
 * Whether the calling thread may count, and at which levels: then the context knows.
 * May sleep.
 * Return: 0, or a negative errno, and the context knows why.
 */
int pfm_may_create(struct pfm_context *context);

/*
 * Whether the calling thread may look at another one.  May sleep.
 * Return: 0, -EPERM if not, -ESRCH if it has gone, -ENOMEM or another reason why
 * that cannot be said.
 */
int pfm_may_monitor(struct task_struct *task);

/*
 * The same of making it wait.  Nobody may let the first process of the machine wait,
 * which would keep others from being started or reaped.
 */
int pfm_may_block(struct task_struct *task);

#endif
