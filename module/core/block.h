/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_BLOCK_H
#define PERFMON_BLOCK_H

#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>

struct task_struct;

/**
 * struct pfm_block - a thread that waits for a restart (PFM_FL_NOTIFY_BLOCK)
 *
 * One for each loading of a context, so that work which the thread has not yet come to
 * when the context is unloaded means nothing to the next.  Belongs to the context and to
 * the work that is outstanding.
 *
 * @wanted: the thread has to wait, or does
 * @over: it shall not wait any more, whatever overflows
 * @lock: once it is over no @work is queued; interrupts off, no other lock inside
 * @is_outstanding: @work is queued
 * @work: makes the thread wait on its way to user mode
 * @nudge: makes a thread that sleeps in a system call come by
 */
struct pfm_block {
	refcount_t references;
	bool wanted;
	bool over;
	raw_spinlock_t lock;
	bool is_outstanding;
	struct callback_head work;
	struct callback_head nudge;
	wait_queue_head_t waiters;
};

/* Process context; NULL if there is no memory. */
struct pfm_block *pfm_block_create(void);
void pfm_block_get(struct pfm_block *block);
void pfm_block_put(struct pfm_block *block);

/* From an overflow of the thread, perhaps NMI. */
static inline void pfm_block_want(struct pfm_block *block)
{
	if (!READ_ONCE(block->over))
		WRITE_ONCE(block->wanted, true);
}

/* Soon after that, in interrupt context: @task has to come by. */
void pfm_block_arrange(struct pfm_block *block, struct task_struct *task);

/* Let it go on.  No lock of the context held: who is woken takes the scheduler's. */
void pfm_block_release(struct pfm_block *block);

/* The same for good, and see that no work stays behind.  Process context. */
void pfm_block_end(struct pfm_block *block, struct task_struct *task);

/* When the module goes: work that ran is on its last instructions. */
void pfm_block_exit(void);

#endif
