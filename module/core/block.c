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

	/* From here on it can be queued again: who called has read where the next is. */
	smp_store_release(&block->is_outstanding, false);
	/* An overflow may want it a moment after the end, see pfm_loader_ends(). */
	if (!(current->flags & PF_EXITING))
		wait_event_state(block->waiters,
				 !READ_ONCE(block->wanted) || READ_ONCE(block->over),
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
	raw_spin_lock_init(&block->lock);
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
	unsigned long flags;

	raw_spin_lock_irqsave(&block->lock, flags);
	if (READ_ONCE(block->wanted) && !block->over &&
	    !smp_load_acquire(&block->is_outstanding)) {
		/* Before the thread can come by and say that it is not. */
		block->is_outstanding = true;
		if (!queue(block, task, &block->work, TWA_RESUME))
			block->is_outstanding = false;
	}
	raw_spin_unlock_irqrestore(&block->lock, flags);
}

void pfm_block_release(struct pfm_block *block)
{
	WRITE_ONCE(block->wanted, false);
	wake_up_all(&block->waiters);
}

/* Return: whether there is work that was queued before. */
static bool is_over(struct pfm_block *block)
{
	unsigned long flags;
	bool is_outstanding;

	raw_spin_lock_irqsave(&block->lock, flags);
	WRITE_ONCE(block->over, true);
	is_outstanding = READ_ONCE(block->is_outstanding);
	raw_spin_unlock_irqrestore(&block->lock, flags);
	return is_outstanding;
}

void pfm_block_end(struct pfm_block *block, struct task_struct *task)
{
	bool is_outstanding = is_over(block);

	pfm_block_release(block);
	/* A thread asleep elsewhere in the kernel would keep the work, perhaps for days. */
	if (task != current && is_outstanding)
		queue(block, task, &block->nudge, TWA_SIGNAL);
}

void pfm_block_exit(void)
{
	synchronize_rcu_tasks();
}
