/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * linux/sched/coredump.h: whether the user may read the program that the current thread
 * executes.
 *
 * execve() makes this decision.  Kernels with linux/sched/exec_state.h (seen in 7.2) keep the
 * result in task->exec_state, under RCU.  Older kernels keep it in the flags of the mm.
 */
#ifndef PERFMON_COMPAT_COREDUMP_H
#define PERFMON_COMPAT_COREDUMP_H

#include <linux/sched.h>
#include <linux/sched/coredump.h>
#ifdef __has_include /* sparse does not define it */
#if __has_include(<linux/sched/exec_state.h>)
#include <linux/sched/exec_state.h>
#define PFM_HAS_EXEC_STATE
#endif
#endif

static inline bool pfm_current_is_dumpable(void)
{
#ifdef PFM_HAS_EXEC_STATE
	bool is_dumpable;

	rcu_read_lock();
	is_dumpable = READ_ONCE(rcu_dereference(current->exec_state)->dumpable) ==
		      TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return is_dumpable;
#else
	return data_race(get_dumpable(current->mm)) == SUID_DUMP_USER;
#endif
}

#endif
