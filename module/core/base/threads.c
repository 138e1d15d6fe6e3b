// SPDX-License-Identifier: GPL-2.0-only
/* The thread table. */
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "threads.h"

#define LEAST_BITS 12
#define MOST_BITS  24

/* Number of buckets that are copied to another table at a time, with interrupts off. */
#define CHUNK	   64u

struct pfm_threads __rcu *pfm_threads;

/*
 * Protects the tables and the following variables.  Taken with interrupts off, also under
 * the lock of a context; no other lock is taken under it.
 */
static DEFINE_RAW_SPINLOCK(threads_lock);
/* The table that will replace the present one; NULL if there is none. */
static struct pfm_threads *next;
/* Number of buckets of the present table, from bucket 0 on, that have been copied to @next. */
static unsigned int moved;
/* The present table has 2^bits buckets. */
static unsigned int bits = LEAST_BITS;
/*
 * Number of contexts in the table.  If it is less than @fewest or more than @most, the table
 * is replaced.  These three variables may be read without the lock.
 */
static unsigned int entered;
static unsigned int fewest, most;

/* Held while the table is replaced, until the old table has no readers. */
static DEFINE_MUTEX(replacing);

static struct pfm_threads *current_table(void)
{
	return rcu_dereference_protected(pfm_threads,
					 lockdep_is_held(&threads_lock) ||
						 lockdep_is_held(&replacing));
}

static void add(struct pfm_threads *threads, struct pfm_context *context)
{
	lockdep_assert_held(&threads_lock);
	hlist_nulls_add_head_rcu(
		&context->nodes[threads->which],
		&threads->buckets[pfm_thread_bucket(threads, context->attachment.task)]);
}

/*
 * Return: whether the bucket of @task has been copied to @next.  If so, a context of this task that
 * enters or leaves @threads must also enter or leave @next.
 */
static bool is_in_next(const struct pfm_threads *threads, const struct task_struct *task)
{
	lockdep_assert_held(&threads_lock);
	return next && pfm_thread_bucket(threads, task) < moved;
}

bool pfm_thread_enter(struct pfm_context *context, struct task_struct *task)
{
	struct pfm_threads *threads;
	bool free;

	lockdep_assert_held(&context->lock);
	raw_spin_lock(&threads_lock);
	threads = current_table();
	free = !pfm_thread_find(task);
	if (free) {
		WRITE_ONCE(context->attachment.task, task);
		add(threads, context);
		if (is_in_next(threads, task))
			add(next, context);
		WRITE_ONCE(entered, entered + 1);
	}
	raw_spin_unlock(&threads_lock);
	return free;
}

void pfm_thread_leave(struct pfm_context *context)
{
	struct pfm_threads *threads;

	lockdep_assert_held(&context->lock);
	raw_spin_lock(&threads_lock);
	threads = current_table();
	hlist_nulls_del_rcu(&context->nodes[threads->which]);
	if (is_in_next(threads, context->attachment.task))
		hlist_nulls_del_rcu(&context->nodes[next->which]);
	WRITE_ONCE(entered, entered - 1);
	raw_spin_unlock(&threads_lock);
}

static struct pfm_threads *alloc(unsigned int new_bits, unsigned int which)
{
	struct pfm_threads *threads;
	unsigned int i;

	threads = kvzalloc(struct_size(threads, buckets, 1ul << new_bits),
			   GFP_KERNEL | __GFP_NOWARN);
	if (!threads)
		return NULL;
	threads->shift = 32 - new_bits;
	threads->which = which;
	threads->to_context = -(ssize_t)offsetof(struct pfm_context, nodes[which]);
	for (i = 0; i < 1u << new_bits; i++)
		INIT_HLIST_NULLS_HEAD(&threads->buckets[i], i);
	return threads;
}

static void move_bucket(const struct pfm_threads *threads, unsigned int bucket)
{
	struct hlist_nulls_node *node;

	for (node = threads->buckets[bucket].first; !is_a_nulls(node); node = node->next)
		add(next, (void *)node + threads->to_context);
}

static void move_chunk(const struct pfm_threads *threads)
{
	unsigned int end = moved + CHUNK;
	unsigned long flags;

	raw_spin_lock_irqsave(&threads_lock, flags);
	for (; moved < end; moved++)
		move_bucket(threads, moved);
	raw_spin_unlock_irqrestore(&threads_lock, flags);
}

static void set_next(struct pfm_threads *threads)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&threads_lock, flags);
	next = threads;
	moved = 0;
	raw_spin_unlock_irqrestore(&threads_lock, flags);
}

/*
 * Return: the best value of "bits" for a table with one more context.  Between the limits
 * LEAST_BITS and MOST_BITS, this value gives the table eight to sixteen buckets per context.
 */
static unsigned int wanted_bits(void)
{
	unsigned int needed = order_base_2(READ_ONCE(entered) + 1) + 3;

	return clamp_t(unsigned int, needed, LEAST_BITS, MOST_BITS);
}

/*
 * The wanted number of buckets is W = 1 << wanted_bits().  The table is replaced when it has fewer
 * than W / 2 buckets or more than 16 * W buckets.
 */
static void set_bounds(void)
{
	WRITE_ONCE(fewest, bits > LEAST_BITS + 4 ? 1u << (bits - 8) : 0);
	WRITE_ONCE(most, bits < MOST_BITS ? (1u << (bits - 2)) - 1 : UINT_MAX);
}

static void use_next(unsigned int new_bits)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&threads_lock, flags);
	rcu_assign_pointer(pfm_threads, next);
	next = NULL;
	bits = new_bits;
	set_bounds();
	raw_spin_unlock_irqrestore(&threads_lock, flags);
}

/*
 * If the allocation fails, the old table stays in use: then look-ups are slower, or memory is
 * wasted.
 */
static void replace(unsigned int new_bits)
{
	struct pfm_threads *old = current_table(), *new = alloc(new_bits, !old->which);

	if (!new)
		return;
	set_next(new);
	while (moved < 1u << bits) {
		move_chunk(old);
		cond_resched();
	}
	use_next(new_bits);
	synchronize_rcu();
	kvfree(old);
}

static bool fits(void)
{
	unsigned int now = READ_ONCE(entered);

	return now >= READ_ONCE(fewest) && now <= READ_ONCE(most);
}

static noinline void make_fit(void)
{
	if (!mutex_trylock(&replacing))
		return;
	if (!fits())
		replace(wanted_bits());
	mutex_unlock(&replacing);
}

void pfm_threads_fit(void)
{
	if (unlikely(!fits()))
		make_fit();
}

static void fit_now(struct work_struct *work)
{
	pfm_threads_fit();
}

static DECLARE_WORK(fitting, fit_now);

void pfm_threads_fit_soon(void)
{
	if (unlikely(!fits()))
		schedule_work(&fitting);
}

void pfm_threads_search(bool (*function)(struct pfm_context *context, void *argument),
			void *argument)
{
	const struct pfm_threads *threads;
	struct hlist_nulls_node *node;
	bool done = false;
	unsigned int i;

	rcu_read_lock();
	threads = rcu_dereference(pfm_threads);
	for (i = 0; i < 1u << (32 - threads->shift) && !done; i++) {
		node = rcu_dereference_raw(hlist_nulls_first_rcu(&threads->buckets[i]));
		for (; !is_a_nulls(node) && !done;
		     node = rcu_dereference_raw(hlist_nulls_next_rcu(node)))
			done = function((void *)node + threads->to_context, argument);
	}
	rcu_read_unlock();
}

unsigned int pfm_threads_count(void)
{
	return READ_ONCE(entered);
}

int pfm_threads_init(void)
{
	struct pfm_threads *threads = alloc(LEAST_BITS, 0);

	if (!threads)
		return -ENOMEM;
	set_bounds();
	RCU_INIT_POINTER(pfm_threads, threads);
	return 0;
}

/* Called when the hooks do not read the table any more. */
void pfm_threads_exit(void)
{
	cancel_work_sync(&fitting);
	kvfree(rcu_dereference_protected(pfm_threads, true));
}
