// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user loads a context on a thread.  The context is unloaded when the user unloads
 * it, when the thread ends, or when the thread executes a program that the loader may not
 * monitor.  The steps of a load are described at struct pfm_attachment.
 *
 * The user's unload, the end of the thread and the execution of a program can happen at
 * the same time.  Each of these three takes the context's lock.  The first to get the lock drops
 * the attachment, and the others find no attachment.
 */
#include <linux/capability.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>

#include "base/error.h"
#include "base/threads.h"
#include "claims/claim.h"
#include "claims/holder.h"
#include "counting/remote.h"
#include "counting/switch.h"
#include "attach.h"
#include "bound.h"
#include "copies.h"
#include "detach.h"
#include "load.h"
#include "permission.h"

/* The caller holds the context's mutex, and the context is unloaded. */
static void drop_block(struct pfm_context *context)
{
	struct pfm_block *block = context->attachment.block;
	unsigned long flags;

	if (!block)
		return;
	raw_spin_lock_irqsave(&context->lock, flags);
	context->attachment.block = NULL;
	raw_spin_unlock_irqrestore(&context->lock, flags);
	pfm_block_release(block);
	pfm_block_put(block);
}

/*
 * Called by the hooks, in the thread itself, with interrupts off.  If the attachment is pending, no
 * message is posted: the load has not returned, and commit() will fail.  On PREEMPT_RT this
 * function can neither free memory nor wake a thread, because interrupts are off.  Neither is
 * necessary: while the thread runs, put_task_struct() does not free its task_struct, and a running
 * thread needs no wakeup.  The next call that unloads or loads the context frees the struct
 * pfm_block.
 */
void pfm_detach_current(struct pfm_context *context, bool tell, bool closed)
{
	const struct pfarg_ovfl_msg end = { .msg_type = PFM_MSG_END };
	struct task_struct *task = NULL;
	bool was_loaded = false;

	raw_spin_lock(&context->lock);
	if (context->attachment.task == current) {
		was_loaded = context->state != PFM_STATE_UNLOADED;
		task = pfm_detach(context);
	}
	if (was_loaded)
		context->closed = closed;
	if (was_loaded && tell) {
		pfm_queue_post(&context->queue, &end);
		irq_work_queue(&context->notification);
	}
	raw_spin_unlock(&context->lock);
	if (task)
		put_task_struct(task);
}

/* Check that the caller may monitor the thread at this moment. */
static int check_target(struct pfm_context *context, struct task_struct *task, u32 tid)
{
	enum pfm_reason reason = PFM_REASON_PERMISSION;
	int error;

	/* Other flags of the thread may change at any time, but PF_KTHREAD does not change. */
	if (data_race(task->flags) & PF_KTHREAD)
		return pfm_fail(context, -EPERM, PFM_REASON_KERNEL_THREAD, tid);
	error = pfm_may_monitor(task);
	if (!error && context->flags & PFM_FL_NOTIFY_BLOCK) {
		reason = PFM_REASON_MAY_NOT_BLOCK;
		error = pfm_may_block(task);
	}
	/*
	 * If the thread has ended, the checks above may have failed with another error.  In this
	 * case, replace that error here.
	 */
	if (READ_ONCE(task->flags) & PF_EXITING)
		return pfm_fail(context, -EBUSY, PFM_REASON_THREAD_ENDED, tid);
	switch (error) {
	case 0:
		return 0;
	case -EPERM:
		return pfm_fail(context, error, reason, tid);
	case -ESRCH:
	case -ENOENT:
		return pfm_fail(context, -ESRCH, PFM_REASON_NO_THREAD, tid);
	default:
		return pfm_fail(context, error, PFM_REASON_MEMORY, 0);
	}
}

/*
 * Return: thread @tid with a reference; NULL if there is no such thread.  Usually it is the
 * calling thread: then no lookup is needed.
 */
static struct task_struct *find_thread(u32 tid)
{
	struct task_struct *task;
	struct pid *pid;

	if (tid == task_pid_vnr(current))
		return get_task_struct(current);
	pid = find_get_pid(tid);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	return task;
}

/*
 * Return: thread @tid with a reference.  If there is no such thread, or if the caller may not
 * monitor it, return an error pointer.
 */
static struct task_struct *find_target(struct pfm_context *context, u32 tid)
{
	struct task_struct *task = find_thread(tid);
	int error;

	if (task)
		error = check_target(context, task, tid);
	else
		error = pfm_fail(context, -ESRCH, PFM_REASON_NO_THREAD, tid);
	if (task && error) {
		put_task_struct(task);
		task = NULL;
	}
	return task ?: ERR_PTR(error);
}

/*
 * If the thread is already running on this CPU, no thread switch will call pfm_switch_in() soon.
 * So call pfm_switch_in() now.
 */
static void catch_here(struct pfm_context *context)
{
	lockdep_assert_held(&context->lock);
	/* The context is not started, so pfm_switch_in() does not use the time: pass 0. */
	if (context->attachment.task == current && context->cpu == PFM_NO_CPU)
		pfm_switch_in(context, 0);
}

static void catch_running(void *argument)
{
	struct pfm_context *context = argument;

	raw_spin_lock(&context->lock);
	catch_here(context);
	raw_spin_unlock(&context->lock);
}

/*
 * If @task is running on another CPU, call pfm_switch_in() there.  The function enter() has put the
 * thread into the thread table.  If the thread is switched in later, the hook finds it in the
 * table.  If the thread is running when the loop looks for it, there are three cases.  First: it
 * runs on the CPU that task_cpu() returned, where smp_call_function_single() finds it.  Second: it
 * was switched in after smp_mb(), and the hook has found it.  Third: it has migrated to another
 * CPU, and the hook may have missed it, because a migration does not order memory as a wakeup
 * does.  Then the loop tries the new CPU.
 */
static void catch_other(struct pfm_context *context, struct task_struct *task)
{
	int cpu;

	do {
		smp_mb();
		cpu = task_cpu(task);
		/* This fails if the CPU is offline, but then no thread runs there. */
		smp_call_function_single(cpu, catch_running, context, true);
	} while (READ_ONCE(context->cpu) == PFM_NO_CPU && task_cpu(task) != cpu);
}

/*
 * @privileged: whether the loader has CAP_PERFMON.  Return: whether the context stays loaded when
 * its thread executes a privileged program.
 */
static bool follows_all_programs(const struct pfm_context *context, bool privileged)
{
	if (context->flags & PFM_FL_NOTIFY_BLOCK)
		return privileged && capable(CAP_SYS_PTRACE);
	return privileged;
}

/* Called while the context is unloaded, and after all its copies have ended. */
static void set_loader(struct pfm_context *context)
{
	struct pid *loader = task_tgid(current);

	if (context->loader == loader)
		return;
	put_pid(context->loader);
	context->loader = get_pid(loader);
}

/* Do step 1 of the load.  On success the context takes over the caller's reference to @block. */
static int enter(struct pfm_context *context, struct task_struct *task,
		 struct pfm_block *block)
{
	struct pfm_attachment *attachment = &context->attachment;
	const u32 tid = task_pid_vnr(task), tgid = task_tgid_vnr(task);
	/*
	 * perfmon_capable() and follows_all_programs() may call a security module.  Such a
	 * call is not allowed under a raw lock.
	 */
	bool privileged = perfmon_capable();
	bool follows = follows_all_programs(context, privileged);
	unsigned long flags;
	bool entered;

	raw_spin_lock_irqsave(&context->lock, flags);
	attachment->self = task == current;
	attachment->sees_kernel = privileged && !context->user_level;
	attachment->follows = follows;
	entered = pfm_thread_enter(context, task);
	if (entered) {
		get_task_struct(task);
		attachment->tid = tid;
		attachment->tgid = tgid;
		attachment->block = block;
	}
	raw_spin_unlock_irqrestore(&context->lock, flags);
	if (entered)
		return 0;
	return pfm_fail(context, -EEXIST, PFM_REASON_THREAD_TAKEN,
			pfm_holder_of_thread(task));
}

/* Claim the hardware, then do step 1 of the load.  The PMU module may refuse the context. */
static int claim_and_enter(struct pfm_context *context, struct task_struct *task,
			   struct pfm_block *block)
{
	int error = pfm_claim(context, task);
	unsigned long flags;

	if (error)
		return error;
	error = enter(context, task, block);
	if (error) {
		local_irq_save(flags);
		pfm_unclaim(context, task);
		local_irq_restore(flags);
	}
	return error;
}

struct commit_call {
	struct pfm_set *set;
	bool done;
};

static void commit_here(struct pfm_context *context, void *argument)
{
	struct commit_call *call = argument;

	call->done = context->attachment.task;
	if (!call->done)
		return;
	pfm_load_begin(context, call->set);
	catch_here(context);
}

/* Do step 3 of the load.  Return: false if the hooks have dropped the attachment. */
static bool commit(struct pfm_context *context, struct task_struct *task,
		   struct pfm_set *set)
{
	struct commit_call call = { .set = set };

	pfm_context_call(context, commit_here, &call);
	if (call.done && task != current)
		catch_other(context, task);
	return call.done;
}

static int may_block(struct pfm_context *context, const struct task_struct *task,
		     struct pfm_block **block)
{
	if (task == current)
		return pfm_fail(context, -EINVAL, PFM_REASON_BLOCK_SELF, 0);
	*block = pfm_block_create();
	return *block ? 0 : pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
}

/* Result of attach(): the hooks have dropped the pending attachment. */
#define DROPPED 1

/* Return: 0, a negative errno, or DROPPED. */
static int attach(struct pfm_context *context, struct task_struct *task, u32 tid,
		  struct pfm_set *set)
{
	struct pfm_block *block = NULL;
	int error = 0;

	if (context->flags & PFM_FL_NOTIFY_BLOCK)
		error = may_block(context, task, &block);
	if (error)
		return error;
	if (unlikely(context->copies))
		error = pfm_copies_open(context);
	if (error)
		return error;
	error = claim_and_enter(context, task, block);
	if (error) {
		if (block)
			pfm_block_put(block);
		return error;
	}
	/*
	 * Step 2 of the load: check the thread again.  If it ended or executed a program before
	 * enter() put it into the table, the hooks did not notice.
	 */
	smp_mb(); /* see probe_sched_process_exit() */
	error = check_target(context, task, tid);
	if (!error && commit(context, task, set))
		return 0;
	pfm_unload(context);
	return error ?: DROPPED;
}

int pfm_load(struct pfm_context *context, const struct pfarg_load *load)
{
	struct task_struct *task;
	struct pfm_set *set;
	int error = 0;

	if (!pfm_is_unloaded(context))
		return pfm_fail(context, -EBUSY, PFM_REASON_LOADED, 0);
	if (unlikely(context->copies))
		error = pfm_copies_refuse(context);
	if (error)
		return error;
	drop_block(context); /* left over if a hook unloaded the context */
	set = pfm_set_find(context, load->load_set);
	if (!set)
		return pfm_fail(context, -EINVAL, PFM_REASON_NO_SET, load->load_set);
	set_loader(context);
	if (pfm_is_bound(context))
		return pfm_bound_load(context, load->load_pid, set);
	task = find_target(context, load->load_pid);
	if (IS_ERR(task))
		return PTR_ERR(task);

	pfm_threads_fit();
	/*
	 * If the hooks dropped the attachment, try again.  If the thread has ended, the new attempt
	 * fails.  If it has executed a program, the caller may be allowed to monitor that program.
	 */
	do {
		error = attach(context, task, load->load_pid, set);
	} while (error == DROPPED);
	put_task_struct(task);
	return error;
}

static void unload_here(struct pfm_context *context, void *argument)
{
	struct task_struct **task = argument;

	*task = pfm_detach(context);
}

void pfm_unload(struct pfm_context *context)
{
	struct task_struct *task;

	if (pfm_is_bound(context)) {
		pfm_bound_unload(context);
		return;
	}
	if (unlikely(context->copies))
		pfm_copies_close(context->copies);
	pfm_context_call(context, unload_here, &task);
	if (task)
		put_task_struct(task);
	if (unlikely(context->copies))
		pfm_copies_end(context->copies);
	drop_block(context);
}

void pfm_block_thread(struct pfm_context *context)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&context->lock, flags);
	/*
	 * If the thread is not running, the hook calls pfm_block_arrange() when the thread is
	 * switched in.
	 */
	if (context->cpu != PFM_NO_CPU && context->attachment.block)
		pfm_block_arrange(context->attachment.block, context->attachment.task);
	raw_spin_unlock_irqrestore(&context->lock, flags);
}

void pfm_loader_ends(struct pfm_context *context)
{
	struct pfm_block *block;
	unsigned long flags;

	raw_spin_lock_irqsave(&context->lock, flags);
	block = context->attachment.block;
	if (block && block->loader == task_tgid(current)) {
		pfm_block_get(block);
		pfm_block_end(block);
	} else {
		block = NULL;
	}
	raw_spin_unlock_irqrestore(&context->lock, flags);
	if (block) {
		pfm_block_release(block);
		pfm_block_put(block);
	}
}
