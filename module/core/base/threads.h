/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The thread table: a hash table of the contexts that are loaded on threads.  The key is the
 * address of the thread's task_struct.
 *
 * The table is changed under its own lock; the scheduler hooks read it under RCU.  There are at
 * least four buckets for each loaded context, so the cost of a look-up does not depend on the
 * number of contexts.  A table with too few or too many buckets is replaced by another one.  During
 * the replacement a context may be in both tables, so each context has two nodes.
 *
 * The kernel's rhashtable cannot be used: in the hooks it would allocate memory and take
 * locks that may sleep on PREEMPT_RT.  A look-up would also need a hundred more instructions.
 */
#ifndef PERFMON_THREADS_H
#define PERFMON_THREADS_H

#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/rculist_nulls.h>

#include "context.h"

/**
 * struct pfm_threads - a thread table
 * @shift: right shift that turns a 32-bit hash into the number of a bucket
 * @which: this table uses nodes[@which] of each struct pfm_context
 * @to_context: offset from the address of that node to the address of its context, in bytes
 * @buckets: the lists; the end marker of each list contains the number of its bucket
 */
struct pfm_threads {
	unsigned int shift;
	unsigned int which;
	ssize_t to_context;
	struct hlist_nulls_head buckets[];
};

extern struct pfm_threads __rcu *pfm_threads;

/*
 * The hash uses only those bits of the address that differ from task to task.  Each task_struct is
 * aligned to a cache line, so the low bits are the same for all tasks.  The high bits are the same,
 * too.
 */
static inline unsigned int pfm_thread_bucket(const struct pfm_threads *threads,
					     const struct task_struct *task)
{
	u32 hash = (u32)((unsigned long)task >> 6) * GOLDEN_RATIO_32;

	return hash >> threads->shift;
}

/*
 * Find the context of @task.  Called with interrupts off.  The returned context may be unloaded at
 * any time: the caller must take the context's lock and check context->attachment.task again.
 */
static inline struct pfm_context *pfm_thread_find(const struct task_struct *task)
{
	const struct pfm_threads *threads = rcu_dereference_sched(pfm_threads);
	unsigned int bucket = pfm_thread_bucket(threads, task);
	const struct hlist_nulls_head *head = &threads->buckets[bucket];
	struct hlist_nulls_node *node = rcu_dereference_raw(hlist_nulls_first_rcu(head));
	struct pfm_context *context;

	lockdep_assert_irqs_disabled();
	while (!is_a_nulls(node)) {
		context = (void *)node + threads->to_context;
		if (READ_ONCE(context->attachment.task) == task)
			return context;
		node = rcu_dereference_raw(hlist_nulls_next_rcu(node));
		/*
		 * If the walk has ended in another bucket, a context was unloaded during the walk
		 * and then loaded on a thread of that bucket.  Then the walk must start again.
		 */
		if (unlikely(is_a_nulls(node) && get_nulls_value(node) != bucket))
			node = rcu_dereference_raw(hlist_nulls_first_rcu(head));
	}
	return NULL;
}

/* The caller holds the context's lock.  Return: false if the thread already has a context. */
bool pfm_thread_enter(struct pfm_context *context, struct task_struct *task);
void pfm_thread_leave(struct pfm_context *context);

/*
 * Replace the table if it has too few or too many buckets.  Called before a context enters; may
 * sleep.
 */
void pfm_threads_fit(void);

/* Let a workqueue call pfm_threads_fit().  Called by hooks, which hold no raw lock at that time. */
void pfm_threads_fit_soon(void);

/*
 * Call @function for contexts in the table until it returns true, in an RCU read-side critical
 * section.  If contexts enter or leave the table during the search, some contexts may be left out.
 */
void pfm_threads_search(bool (*function)(struct pfm_context *context, void *argument),
			void *argument);

/* Return: number of contexts in the table. */
unsigned int pfm_threads_count(void);

/* Module init and exit; may sleep. */
int pfm_threads_init(void);
void pfm_threads_exit(void);

#endif
