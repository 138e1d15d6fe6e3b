/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The thread table: which context a thread has, by the address of its task.
 *
 * Changed under its own lock, looked up by the scheduler hooks under RCU.  There are at least
 * four buckets for each context that is loaded, so a look-up costs the same however many
 * there are.  When buckets lack, another table takes the place of this one: meanwhile a
 * context is in both, which is why it has two nodes.
 *
 * The kernel's rhashtable cannot be used: it would allocate and take sleeping locks (of
 * PREEMPT_RT) in the hooks, and takes a hundred instructions more for a look-up.
 */
#ifndef PERFMON_THREADS_H
#define PERFMON_THREADS_H

#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/rculist_nulls.h>

#include "context.h"

/**
 * struct pfm_threads - a thread table
 * @shift: of a hash of 32 bits, to get a bucket's number
 * @which: node of a context that is in this table
 * @to_context: bytes from that node to the context's begin
 * @buckets: end in their number
 */
struct pfm_threads {
	unsigned int shift;
	unsigned int which;
	ssize_t to_context;
	struct hlist_nulls_head buckets[];
};

extern struct pfm_threads __rcu *pfm_threads;

/* The low bits of an address are those of a cache line, the high ones all the same. */
static inline unsigned int pfm_thread_bucket(const struct pfm_threads *threads,
					     const struct task_struct *task)
{
	u32 hash = (u32)((unsigned long)task >> 6) * GOLDEN_RATIO_32;

	return hash >> threads->shift;
}

/*
 * Interrupts off, or the table's lock held.  The context may be unloaded at the same time:
 * look at its @task again under its lock.
 */
static inline struct pfm_context *pfm_thread_find(const struct task_struct *task)
{
	const struct pfm_threads *threads = rcu_dereference_sched(pfm_threads);
	unsigned int bucket = pfm_thread_bucket(threads, task);
	const struct hlist_nulls_head *head = &threads->buckets[bucket];
	struct hlist_nulls_node *node = rcu_dereference_raw(hlist_nulls_first_rcu(head));
	struct pfm_context *context;

	while (!is_a_nulls(node)) {
		context = (void *)node + threads->to_context;
		if (READ_ONCE(context->task) == task)
			return context;
		node = rcu_dereference_raw(hlist_nulls_next_rcu(node));
		/* A context loaded elsewhere meanwhile led into its new bucket. */
		if (unlikely(is_a_nulls(node) && get_nulls_value(node) != bucket))
			node = rcu_dereference_raw(hlist_nulls_first_rcu(head));
	}
	return NULL;
}

/* False if the thread has a context already.  Context lock held. */
bool pfm_thread_enter(struct pfm_context *context, struct task_struct *task);
void pfm_thread_leave(struct pfm_context *context);

/* Before a context enters, and when many may have left; may sleep. */
void pfm_threads_fit(void);

/* Contexts that are loaded. */
unsigned int pfm_threads_count(void);

/* The module comes and goes; may sleep. */
int pfm_threads_init(void);
void pfm_threads_exit(void);

#endif
