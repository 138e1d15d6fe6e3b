// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delays each fork at the tracepoint sched_process_fork, before the other probes of this tracepoint
 * run. At this point, the new thread can already be found by its TID. So a test on another CPU can
 * act while a fork is at this point.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#define MILLISECONDS 5

static struct tracepoint *fork_tracepoint;

static void wait_in_fork(void *unused, struct task_struct *parent,
			 struct task_struct *child)
{
	mdelay(MILLISECONDS);
}

static void compare(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "sched_process_fork"))
		fork_tracepoint = tracepoint;
}

static int __init slow_fork_init(void)
{
	for_each_kernel_tracepoint(compare, NULL);
	if (!fork_tracepoint)
		return -ENOENT;
	return tracepoint_probe_register_prio(fork_tracepoint, wait_in_fork, NULL,
					      TRACEPOINT_DEFAULT_PRIO + 1);
}

static void __exit slow_fork_exit(void)
{
	tracepoint_probe_unregister(fork_tracepoint, wait_in_fork, NULL);
	tracepoint_synchronize_unregister();
}

module_init(slow_fork_init);
module_exit(slow_fork_exit);

MODULE_DESCRIPTION("perfmon: forks that take longer, for tests");
MODULE_LICENSE("GPL");
