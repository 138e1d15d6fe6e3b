/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_BLOCK_H
#define PERFMON_BLOCK_H

#include <linux/refcount.h>
#include <linux/task_work.h>
#include <linux/wait.h>

struct pid;
struct task_struct;

/**
 * struct pfm_block - the state of a thread that blocks until a restart (PFM_FL_NOTIFY_BLOCK)
 *
 * Each load of a context with this flag makes a new pfm_block.  So if the work of an earlier
 * pfm_block is still queued, it does not affect the present load.  The context and the queued work
 * each hold a reference to the pfm_block.  The context's lock protects the fields, except where the
 * description of a field says something else.
 *
 * @wanted: the thread has to block, or is blocked; may also be changed without the lock
 * @over: overflows do not block the thread any more; may also be read without the lock
 * @is_outstanding: @work is queued; set under the lock, cleared by the thread
 * @work: task work in which the thread blocks before it returns to user mode
 * @waiters: wait queue of the thread
 * @loader: process that loaded the context; does not change
 */
struct pfm_block {
	refcount_t references;
	bool wanted;
	bool over;
	bool is_outstanding;
	struct callback_head work;
	wait_queue_head_t waiters;
	struct pid *loader;
};

/*
 * The next three functions are called in process context.  The loader calls pfm_block_create(),
 * which returns NULL if there is not enough memory.
 */
struct pfm_block *pfm_block_create(void);
void pfm_block_put(struct pfm_block *block);
/* Unblock the thread.  The caller does not hold the context's raw lock. */
void pfm_block_release(struct pfm_block *block);

/* The caller holds the context's lock. */
void pfm_block_get(struct pfm_block *block);

/*
 * Set @wanted: the thread has to block.  The overflow handler calls this function in the thread,
 * perhaps in an NMI.
 */
static inline void pfm_block_want(struct pfm_block *block)
{
	if (!READ_ONCE(block->over))
		WRITE_ONCE(block->wanted, true);
}

/**
 * pfm_block_arrange() - if the thread has to block, queue the task work in which it blocks
 * @block: the struct pfm_block of a context; the caller holds the context's lock, and perhaps the
 *	lock of this CPU's run queue
 * @task: the thread; it must be running.  If it slept in a system call, the queued work would hold
 *	a reference to the module until the call returns, perhaps for days.  If we woke the thread,
 *	the call would fail with EINTR.
 */
void pfm_block_arrange(struct pfm_block *block, struct task_struct *task);

/*
 * The caller holds the context's lock.  After this call the thread does not block again.  It may be
 * blocked already: to unblock it, call pfm_block_release() after unlocking.
 */
void pfm_block_end(struct pfm_block *block);

/*
 * Called at module exit.  A task work that has dropped its reference to the module may still be
 * running.  Wait until it returns.
 */
void pfm_block_exit(void);

#endif
