// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading a context on a thread and unloading it: by the user, because the
 * thread ends, or because it executes a program that the loader may not monitor.
 *
 * These can happen at the same time.  The first one that takes the context's lock
 * unloads the context; the others find it unloaded.
 */
#include <linux/capability.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>

#include "attach.h"
#include "claim.h"
#include "error.h"
#include "permission.h"
#include "remote.h"
#include "session.h"
#include "set_switch.h"
#include "switch.h"
#include "threads.h"

/*
 * Unload the context.  Context lock held, called via pfm_context_call().  Return: its thread,
 * with the context's reference to it, or NULL if the context was not loaded.
 */
static struct task_struct *detach(struct pfm_context *context)
{
	struct task_struct *task = context->task;

	lockdep_assert_held(&context->lock);
	if (!task)
		return NULL;
	pfm_switch_end(context);
	pfm_thread_leave(context);
	pfm_session_end(context, task);
	pfm_unclaim(context);
	context->started = false;
	context->switch_due = false;
	context->credit = 0;
	if (context->block)
		pfm_block_end(context->block);
	WRITE_ONCE(context->task, NULL);
	/* This store comes last: see pfm_is_unloaded(). */
	smp_store_release(&context->state, PFM_STATE_UNLOADED);
	return task;
}

/* Mutex held, unloaded. */
static void drop_block(struct pfm_context *context)
{
	struct pfm_block *block = context->block;
	unsigned long flags;

	if (!block)
		return;
	raw_spin_lock_irqsave(&context->lock, flags);
	context->block = NULL;
	raw_spin_unlock_irqrestore(&context->lock, flags);
	pfm_block_release(block);
	pfm_block_put(block);
}

/*
 * Called by the hooks, in the thread itself with interrupts off.  PREEMPT_RT does not allow to
 * free memory or to wake a thread there.  The put does not free the thread, which runs.  The
 * next call that unloads or loads the context frees the block; the thread does not wait on it.
 */
void pfm_detach_current(struct pfm_context *context, bool tell, bool closed)
{
	const struct pfarg_ovfl_msg end = { .msg_type = PFM_MSG_END };
	struct task_struct *task = NULL;

	raw_spin_lock(&context->lock);
	if (context->task == current) {
		context->closed = closed;
		task = detach(context);
		if (tell) {
			pfm_queue_post(&context->queue, &end);
			irq_work_queue(&context->notification);
		}
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

	/* Other flags may change at the same time; PF_KTHREAD does not. */
	if (data_race(task->flags) & PF_KTHREAD)
		return pfm_fail(context, -EPERM, PFM_REASON_KERNEL_THREAD, tid);
	error = pfm_may_monitor(task);
	if (!error && context->flags & PFM_FL_NOTIFY_BLOCK) {
		reason = PFM_REASON_MAY_NOT_BLOCK;
		error = pfm_may_block(task);
	}
	/* Checked last, because the checks above also fail if the thread has ended. */
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

/* Return: the thread, with a reference, or NULL.  The common case, current, needs no lookup. */
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

/* Return: thread @tid with a reference, or an error pointer if the caller may not monitor it. */
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

/* If the thread is running already, no context switch will start its context. */
static void catch_running(void *argument)
{
	struct pfm_context *context = argument;
	unsigned long flags;

	raw_spin_lock_irqsave(&context->lock, flags);
	if (context->task == current && context->cpu == PFM_NO_CPU)
		pfm_switch_in(context, 0); /* not started yet: no time is needed */
	raw_spin_unlock_irqrestore(&context->lock, flags);
}

/*
 * The thread is in the table.  If it runs, there are three cases: it runs on task_cpu();
 * it was switched in after the barrier, and the hook found it; or it has migrated in
 * a way that orders memory less than a wakeup does.  The loop handles the last one.
 */
static void catch_thread(struct pfm_context *context, struct task_struct *task)
{
	int cpu;

	if (task == current) {
		catch_running(context);
		return;
	}
	do {
		smp_mb();
		cpu = task_cpu(task);
		/* This fails if the CPU is offline, but then no thread runs there. */
		smp_call_function_single(cpu, catch_running, context, true);
	} while (READ_ONCE(context->cpu) == PFM_NO_CPU && task_cpu(task) != cpu);
}

/* State that a failing load must restore. */
struct before_load {
	struct pfm_set *active;
	u64 foreign_runs;
	bool closed;
	struct pfm_queue_mark messages;
	/* of the event set to be loaded */
	u64 load;
	s64 ends_at;
	u64 overflowed[PFM_PMD_BV];
	u64 reset_pmds;
	u64 reset_virtual;
};

/* Save what is lost when a load makes the set active. */
static void note_set(const struct pfm_set *set, struct before_load *before)
{
	before->load = set->load;
	before->ends_at = set->ends_at;
	memcpy(before->overflowed, set->overflowed, sizeof(set->overflowed));
	before->reset_pmds = set->reset_pmds;
	before->reset_virtual = set->reset_virtual;
}

static void restore_set(struct pfm_set *set, const struct before_load *before)
{
	set->load = before->load;
	set->ends_at = before->ends_at;
	memcpy(set->overflowed, before->overflowed, sizeof(set->overflowed));
	set->reset_pmds = before->reset_pmds;
	set->reset_virtual = before->reset_virtual;
	set->runs--;
}

/* Whether the context stays loaded when its thread executes a privileged program. */
static bool follows_all_programs(const struct pfm_context *context, bool privileged)
{
	if (context->flags & PFM_FL_NOTIFY_BLOCK)
		return privileged && capable(CAP_SYS_PTRACE);
	return privileged;
}

static int enter(struct pfm_context *context, struct task_struct *task,
		 struct pfm_set *set, struct pfm_block *block, struct before_load *before)
{
	const u32 tid = task_pid_vnr(task), tgid = task_tgid_vnr(task);
	/* These may call a security module, which a raw lock does not allow. */
	bool privileged = perfmon_capable();
	bool follows = follows_all_programs(context, privileged);
	unsigned long flags;
	int error = 0;

	raw_spin_lock_irqsave(&context->lock, flags);
	/* The hooks read these three without the lock once the context is in the table. */
	context->self = task == current;
	context->sees_kernel = privileged && !context->user_level;
	context->follows = follows;
	if (!pfm_thread_enter(context, task)) {
		error = pfm_fail(context, -EEXIST, PFM_REASON_THREAD_TAKEN, tid);
		goto unlock;
	}
	get_task_struct(task);
	context->state = PFM_STATE_LOADED;
	before->active = context->active;
	before->foreign_runs = context->foreign_runs;
	context->foreign_runs = 0;
	before->closed = context->closed;
	context->closed = false;
	context->tid = tid;
	context->tgid = tgid;
	context->block = block;
	note_set(set, before);
	before->messages = pfm_queue_clear(&context->queue);
	context->loads++;
	pfm_set_activate(context, set, true);
unlock:
	raw_spin_unlock_irqrestore(&context->lock, flags);
	return error;
}

/* The PMU module may refuse the context.  Its operation may sleep. */
static int ask_and_enter(struct pfm_context *context, struct task_struct *task,
			 struct pfm_set *set, struct pfm_block *block,
			 struct before_load *before)
{
	unsigned long flags;
	int error = pfm_session_begin(context, task);

	if (error)
		return error;
	error = enter(context, task, set, block, before);
	if (error) {
		local_irq_save(flags);
		pfm_session_end(context, task);
		local_irq_restore(flags);
	}
	return error;
}

static int claim_and_enter(struct pfm_context *context, struct task_struct *task,
			   struct pfm_set *set, struct pfm_block *block,
			   struct before_load *before)
{
	int error = pfm_claim(context);

	if (error)
		return error;
	error = ask_and_enter(context, task, set, block, before);
	if (error)
		pfm_unclaim(context);
	return error;
}

/* Restore the state before the load.  The hooks may have posted an end message already. */
static void undo_enter(struct pfm_context *context, struct pfm_set *set,
		       const struct before_load *before)
{
	unsigned long flags;

	pfm_unload(context);
	raw_spin_lock_irqsave(&context->lock, flags);
	pfm_queue_restore(&context->queue, &before->messages);
	restore_set(set, before);
	context->loads--;
	context->foreign_runs = before->foreign_runs;
	context->closed = before->closed;
	context->active = before->active;
	raw_spin_unlock_irqrestore(&context->lock, flags);
	/* A reader may have found the queue empty: wake it. */
	irq_work_queue(&context->notification);
}

static int may_block(struct pfm_context *context, const struct task_struct *task,
		     struct pfm_block **block)
{
	if (task == current)
		return pfm_fail(context, -EINVAL, PFM_REASON_BLOCK_SELF, 0);
	*block = pfm_block_create();
	return *block ? 0 : pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
}

int pfm_load(struct pfm_context *context, const struct pfarg_load *load)
{
	/* Not on the stack: the compiler would clear it first. */
	struct before_load *before = context->arguments;
	struct pfm_block *block = NULL;
	struct task_struct *task;
	struct pfm_set *set;
	int error;

	if (!pfm_is_unloaded(context))
		return pfm_fail(context, -EBUSY, PFM_REASON_LOADED, 0);
	drop_block(context); /* left over if a hook unloaded the context */
	set = pfm_set_find(context, load->load_set);
	if (!set)
		return pfm_fail(context, -EINVAL, PFM_REASON_NO_SET, load->load_set);
	task = find_target(context, load->load_pid);
	if (IS_ERR(task))
		return PTR_ERR(task);

	if (context->flags & PFM_FL_NOTIFY_BLOCK) {
		error = may_block(context, task, &block);
		if (error)
			goto put;
	}
	pfm_threads_fit();
	error = claim_and_enter(context, task, set, block, before);
	if (error) {
		if (block)
			pfm_block_put(block);
		goto put;
	}
	catch_thread(context, task);
	/*
	 * Check again: the thread may have ended or executed another program before
	 * the hooks could find it in the table.
	 */
	error = check_target(context, task, load->load_pid);
	if (error)
		undo_enter(context, set, before);
put:
	put_task_struct(task);
	return error;
}

static void unload_here(struct pfm_context *context, void *argument)
{
	struct task_struct **task = argument;

	*task = detach(context);
}

void pfm_unload(struct pfm_context *context)
{
	struct task_struct *task;

	pfm_context_call(context, unload_here, &task);
	if (task)
		put_task_struct(task);
	drop_block(context);
}

void pfm_block_thread(struct pfm_context *context)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&context->lock, flags);
	/* A thread that does not run is handled when it is switched in: pfm_block_arrange(). */
	if (context->cpu != PFM_NO_CPU && context->block)
		pfm_block_arrange(context->block, context->task);
	raw_spin_unlock_irqrestore(&context->lock, flags);
}

void pfm_loader_ends(struct pfm_context *context)
{
	struct pfm_block *block = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&context->lock, flags);
	if (context->block && context->block->loader == task_tgid(current)) {
		block = context->block;
		pfm_block_get(block);
		pfm_block_end(block);
	}
	raw_spin_unlock_irqrestore(&context->lock, flags);
	if (block) {
		pfm_block_release(block);
		pfm_block_put(block);
	}
}
