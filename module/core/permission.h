/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_PERMISSION_H
#define PERFMON_PERMISSION_H

#include <linux/types.h>

struct task_struct;

int pfm_permission_init(void);
void pfm_permission_exit(void);

/*
 * Whether the calling thread may look at another one.  May sleep.
 * Return: 0, -EPERM if not, -ESRCH if it has gone, -ENOMEM or another reason why
 * that cannot be said.
 */
int pfm_may_monitor(struct task_struct *task);

#endif
