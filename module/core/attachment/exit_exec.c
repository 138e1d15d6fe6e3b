// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes that run when a monitored thread ends, executes a program, or makes a thread or a
 * process.  The probes run in the monitored thread, in process context.
 */
#include <linux/binfmts.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "base/hooks.h"
#include "base/threads.h"
#include "compat/coredump.h"
#include "counting/switch.h"
#include "attach.h"
#include "copies.h"
#include "exit_exec.h"
#include "inherit.h"

/*
 * The thread ends: unload its context.  PF_EXITING is set already.  attach() (attach.c) first
 * enters the thread in the table, then reads PF_EXITING.  So this probe finds the thread in the
 * table, or attach() sees that the thread ends, or both.  A thread that monitors itself gets no
 * message.  Some kernels pass one more argument to this probe.  The argument is not needed.
 */
static void probe_sched_process_exit(void *data, struct task_struct *task)
{
	struct pfm_context *context;
	unsigned long flags;

	smp_mb();
	local_irq_save(flags);
	context = pfm_thread_find(current);
	if (context && pfm_is_copy(context))
		pfm_inherit_end(context, false);
	else if (context)
		pfm_detach_current(context, !context->attachment.self, false);
	local_irq_restore(flags);
}

/*
 * A thread that executes a program becomes the thread group leader, so its tid is now the tgid.
 * Stop the counters and start them again: a start clears the hardware's branch records, so samples
 * of the new program do not contain branches of the old one.
 */
static void enter_program(struct pfm_context *context)
{
	raw_spin_lock(&context->lock);
	if (context->attachment.task == current) {
		context->attachment.tid = context->attachment.tgid;
		pfm_pause(context);
		pfm_resume(context);
	}
	raw_spin_unlock(&context->lock);
}

/* Return: true if the program has gained privileges, or if the user may not read it. */
static bool is_closed_program(const struct linux_binprm *bprm)
{
	return bprm->secureexec || !pfm_current_is_dumpable();
}

/*
 * Unload the context if the loader might lack permission to monitor the new program
 * (docs/interface.md 10, row 24).
 */
static void probe_sched_process_exec(void *data, struct task_struct *task, pid_t old_pid,
				     struct linux_binprm *bprm)
{
	struct pfm_context *context;
	unsigned long flags;

	local_irq_save(flags);
	context = pfm_thread_find(current);
	if (context)
		enter_program(context);
	if (context && !context->attachment.follows && is_closed_program(bprm)) {
		if (pfm_is_copy(context))
			pfm_inherit_end(context, true);
		else
			pfm_detach_current(context, true, true);
	}
	local_irq_restore(flags);
}

/*
 * If the thread's context has PFM_FL_INHERIT_*, and the flag applies to @child, load a copy of the
 * context on @child.  Runs in the thread that makes @child, before @child can run.  Some kernels
 * call this probe with preemption disabled.
 */
static void probe_sched_process_fork(void *data, struct task_struct *parent,
				     struct task_struct *child)
{
	struct pfm_context *context;
	unsigned long flags;

	local_irq_save(flags);
	context = pfm_thread_find(current);
	if (context)
		pfm_inherit(context, child);
	local_irq_restore(flags);
}

void pfm_exit_exec_init(void)
{
	pfm_hook_set(PFM_HOOK_EXIT, probe_sched_process_exit);
	pfm_hook_set(PFM_HOOK_EXEC, probe_sched_process_exec);
	pfm_hook_set(PFM_HOOK_FORK, probe_sched_process_fork);
}
