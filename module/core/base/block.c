// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the monitored thread is blocked after a notification (PFM_FL_NOTIFY_BLOCK).
 *
 * The overflow handler may run in an NMI, so it can only note that the thread has to block.  An
 * irq_work then queues a task work.  The thread executes the task work before it returns to user
 * mode, and blocks in it.  A fatal signal unblocks the thread.  A queued task work cannot be
 * cancelled, so it keeps a reference to the module until it has run.  If the thread goes to sleep
 * in a system call after the work was queued, the reference remains until that call returns.
 */
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "block.h"

static void drop(struct pfm_block *block)
{
	pfm_block_put(block);
	module_put(THIS_MODULE); /* pfm_block_exit() waits until this function returns */
}

static void wait_for_restart(struct callback_head *work)
{
	struct pfm_block *block = container_of(work, struct pfm_block, work);

	/* From here on @work can be queued again: task_work_run() has already read work->next. */
	smp_store_release(&block->is_outstanding, false);
	/* Check @over, too: an overflow may set @wanted just after pfm_block_end() cleared it. */
	if (!(current->flags & PF_EXITING))
		wait_event_state(block->waiters,
				 !READ_ONCE(block->wanted) || READ_ONCE(block->over),
				 (TASK_KILLABLE | TASK_FREEZABLE));
	drop(block);
}

struct pfm_block *pfm_block_create(void)
{
	struct pfm_block *block = kzalloc(sizeof(*block), GFP_KERNEL_ACCOUNT);

	if (!block)
		return NULL;
	refcount_set(&block->references, 1);
	init_waitqueue_head(&block->waiters);
	init_task_work(&block->work, wait_for_restart);
	block->loader = get_pid(task_tgid(current));
	return block;
}

void pfm_block_get(struct pfm_block *block)
{
	refcount_inc(&block->references);
}

void pfm_block_put(struct pfm_block *block)
{
	if (!refcount_dec_and_test(&block->references))
		return;
	put_pid(block->loader);
	kfree(block);
}

void pfm_block_arrange(struct pfm_block *block, struct task_struct *task)
{
	if (!READ_ONCE(block->wanted) || block->over ||
	    smp_load_acquire(&block->is_outstanding))
		return;
	/*
	 * Set @is_outstanding before the work is queued, because the work clears it in the
	 * thread.
	 */
	block->is_outstanding = true;
	pfm_block_get(block);
	/* Safe: the context's file has a reference to the module. */
	__module_get(THIS_MODULE);
	if (!task_work_add(task, &block->work, TWA_RESUME))
		return;
	/* The thread is exiting and runs no task work any more. */
	block->is_outstanding = false;
	drop(block);
}

void pfm_block_end(struct pfm_block *block)
{
	WRITE_ONCE(block->over, true);
	WRITE_ONCE(block->wanted, false);
}

void pfm_block_release(struct pfm_block *block)
{
	WRITE_ONCE(block->wanted, false);
	wake_up_all(&block->waiters);
}

void pfm_block_exit(void)
{
	synchronize_rcu_tasks();
}
