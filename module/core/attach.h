/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_ATTACH_H
#define PERFMON_ATTACH_H

#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/rculist_nulls.h>

#include "context.h"

/*
 * The thread table: which context a thread has, by the address of its task.
 * Changed under its own lock, looked up by the scheduler hooks under RCU.  A
 * look-up walks the contexts that share a bucket: its cost grows with the number
 * of loaded contexts divided by that of the buckets.
 */
#define PFM_THREAD_BITS 12

extern struct hlist_nulls_head pfm_threads[1 << PFM_THREAD_BITS];

/* The low bits of an address are those of a cache line, the high ones all the same. */
static inline unsigned int pfm_thread_bucket(const struct task_struct *task)
{
	return hash_32((u32)((unsigned long)task >> 6), PFM_THREAD_BITS);
}

/*
 * Preemption off.  The context may be unloaded at the same time: look at its
 * @task again under its lock.
 */
static inline struct pfm_context *pfm_thread_find(const struct task_struct *task)
{
	unsigned int bucket = pfm_thread_bucket(task);
	struct hlist_nulls_node *node;
	struct pfm_context *context;

	do {
		hlist_nulls_for_each_entry_rcu(context, node, &pfm_threads[bucket],
					       node) if (READ_ONCE(context->task) ==
							 task) return context;
		/* A context loaded elsewhere meanwhile led into its new bucket. */
	} while (unlikely(get_nulls_value(node) != bucket));
	return NULL;
}

/* Mutex held. */
int pfm_load(struct pfm_context *context, const struct pfarg_load *load);
void pfm_unload(struct pfm_context *context);
int pfm_start(struct pfm_context *context, const struct pfarg_start *start);
int pfm_stop(struct pfm_context *context);

/* From its notification, in interrupt context: its thread waits for a restart. */
void pfm_block_thread(struct pfm_context *context);

/*
 * The caller's process ends.  If it loaded the context, its thread shall not wait for a restart
 * by anybody else who happens to have the descriptor.
 */
void pfm_loader_ends(struct pfm_context *context);

/* The hooks of the scheduler; may sleep. */
void pfm_threads_init(void);
int pfm_hooks_enable(void);
void pfm_hooks_disable(void);

#endif
