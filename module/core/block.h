/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_BLOCK_H
#define PERFMON_BLOCK_H

#include <linux/refcount.h>
#include <linux/task_work.h>
#include <linux/wait.h>

struct pid;
struct task_struct;

/**
 * struct pfm_block - a thread that waits for a restart (PFM_FL_NOTIFY_BLOCK)
 *
 * One for each loading of a context, so that work which the thread has not yet come to
 * when the context is unloaded means nothing to the next.  Belongs to the context and to
 * the work that is outstanding.  What is not marked is under the context's lock.
 *
 * @wanted: the thread has to wait, or does; single word
 * @over: it shall not wait any more, whatever overflows; single word
 * @is_outstanding: @work is queued; set under the lock, cleared by the thread
 * @work: makes the thread wait on its way to user mode
 * @waiters: the thread
 * @loader: process that loaded the context; fixed
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

/* Process context, all three; create: by the loader, NULL if there is no memory. */
struct pfm_block *pfm_block_create(void);
void pfm_block_put(struct pfm_block *block);
/* Let the thread go on.  No lock of the context held. */
void pfm_block_release(struct pfm_block *block);

/* Context lock held. */
void pfm_block_get(struct pfm_block *block);

/* From an overflow of the thread, perhaps NMI. */
static inline void pfm_block_want(struct pfm_block *block)
{
	if (!READ_ONCE(block->over))
		WRITE_ONCE(block->wanted, true);
}

/**
 * pfm_block_arrange() - see to it that the thread waits on its way to user mode, if it has to
 * @block: its context's, whose lock is held; perhaps also the run queue of this CPU
 * @task: the thread, which runs: work for one that sleeps in a system call would hold the
 *	module as long, perhaps for days, and to wake it would make the call fail with EINTR
 */
void pfm_block_arrange(struct pfm_block *block, struct task_struct *task);

/* From now on the thread does not wait; one that does is to be released.  Context lock held. */
void pfm_block_end(struct pfm_block *block);

/* When the module goes: work that ran is on its last instructions. */
void pfm_block_exit(void);

#endif
