// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocking the monitored thread on a notification.
 *
 * The overflow handler may be an NMI and can only note that the thread has to
 * wait; an irq_work queues a task work, and that one waits, in the thread, on its way
 * to user mode.  A fatal signal ends the wait.  While work is outstanding it holds the
 * module, since it cannot be cancelled.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "block.h"

static void drop(struct pfm_block *block)
{
	pfm_block_put(block);
	module_put(THIS_MODULE); /* pfm_block_exit() waits for the way out */
}

static void wait_for_restart(struct callback_head *work)
{
	struct pfm_block *block = container_of(work, struct pfm_block, work);

	/* From here on it can be queued again. */
	atomic_set(&block->is_outstanding, 0);
	if (!(current->flags & PF_EXITING))
		wait_event_state(block->waiters, !READ_ONCE(block->wanted),
				 (TASK_KILLABLE | TASK_FREEZABLE));
	drop(block);
}

static void come_by(struct callback_head *nudge)
{
	drop(container_of(nudge, struct pfm_block, nudge));
}

struct pfm_block *pfm_block_create(void)
{
	struct pfm_block *block = kzalloc(sizeof(*block), GFP_KERNEL_ACCOUNT);

	if (!block)
		return NULL;
	refcount_set(&block->references, 1);
	init_waitqueue_head(&block->waiters);
	init_task_work(&block->work, wait_for_restart);
	init_task_work(&block->nudge, come_by);
	return block;
}

void pfm_block_get(struct pfm_block *block)
{
	refcount_inc(&block->references);
}

void pfm_block_put(struct pfm_block *block)
{
	if (refcount_dec_and_test(&block->references))
		kfree(block);
}

/* Who calls holds the module by an open file. */
static bool queue(struct pfm_block *block, struct task_struct *task,
		  struct callback_head *work, enum task_work_notify_mode mode)
{
	pfm_block_get(block);
	__module_get(THIS_MODULE);
	if (!task_work_add(task, work, mode))
		return true;
	drop(block); /* the thread is past that in its exit */
	return false;
}

void pfm_block_arrange(struct pfm_block *block, struct task_struct *task)
{
	if (READ_ONCE(block->wanted) && !atomic_xchg(&block->is_outstanding, 1) &&
	    !queue(block, task, &block->work, TWA_RESUME))
		atomic_set(&block->is_outstanding, 0);
}

void pfm_block_release(struct pfm_block *block)
{
	WRITE_ONCE(block->wanted, false);
	wake_up_all(&block->waiters);
}

void pfm_block_end(struct pfm_block *block, struct task_struct *task)
{
	WRITE_ONCE(block->over, true);
	pfm_block_release(block);
	/* A thread asleep elsewhere in the kernel would keep the work, perhaps for days. */
	if (task != current && atomic_read(&block->is_outstanding))
		queue(block, task, &block->nudge, TWA_SIGNAL);
}

void pfm_block_exit(void)
{
	synchronize_rcu_tasks();
}
