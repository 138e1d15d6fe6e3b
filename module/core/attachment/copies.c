// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies of a context.  Calls on the parent use the functions of this file to control and read its
 * copies, and to add up the counts of the copies.
 *
 * Code that detaches a copy from its thread also adds the copy's counts to the sums of the parent's
 * sets, under the lock of struct pfm_copies.  A reading (pfm_copies_read()) returns the sums plus
 * the counts of each living copy.  If the thread of a copy ends after a reading has visited the
 * copy, the copy waits in the list "late" until this reading has read the sums.
 */
#include <linux/capability.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "base/error.h"
#include "counting/instances.h"
#include "counting/snapshot.h"
#include "copies.h"
#include "copy_pool.h"
#include "detach.h"

/*
 * Number of copies that a load allocates in advance.  On PREEMPT_RT these copies are needed because
 * each allocation can sleep, but the probe of fork must not sleep.
 */
#define PREPARED (IS_ENABLED(CONFIG_PREEMPT_RT) ? PFM_IDLE_COPIES : 0)

int pfm_copies_create(struct pfm_context *context)
{
	struct pfm_copies *copies;

	if (!(context->flags & PFM_INHERIT_FLAGS))
		return 0;
	/*
	 * A PMU module with an unload() keeps data for each thread, so each copy would need a
	 * load().  But a load() may sleep, and the probe of fork must not.  If a PMU module has a
	 * load() but no unload(), its load() only checks registers, and the registers of a copy
	 * have been checked already.
	 */
	if (context->pmu->operations->unload)
		return pfm_fail(context, -EOPNOTSUPP, PFM_REASON_UNSUPPORTED,
				context->flags);
	copies = kzalloc(sizeof(*copies), GFP_KERNEL_ACCOUNT);
	if (!copies)
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	copies->snapshot = kmalloc(sizeof(*copies->snapshot), GFP_KERNEL_ACCOUNT);
	if (!copies->snapshot) {
		kfree(copies);
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	}
	copies->parent = context;
	copies->privileged = perfmon_capable();
	raw_spin_lock_init(&copies->lock);
	INIT_LIST_HEAD(&copies->living);
	INIT_LIST_HEAD(&copies->waiting);
	INIT_LIST_HEAD(&copies->late);
	INIT_LIST_HEAD(&copies->kept);
	INIT_LIST_HEAD(&copies->idle);
	context->copies = copies;
	return 0;
}

/*
 * Called when no copy lives.  A hook may still look at the context, and follow its pointer to
 * @copies.  So the context and @copies are freed after an RCU grace period, and the pointer is
 * not changed.
 */
void pfm_copies_free(struct pfm_copies *copies)
{
	pfm_copies_forget_counts(copies);
	pfm_copies_trim(copies, 0);
	kfree(copies->snapshot);
	kfree_rcu(copies, rcu);
}

struct pfm_set *pfm_copies_set(struct pfm_context *copy, u16 id)
{
	struct pfm_set *set;

	list_for_each_entry(set, &copy->sets, node)
		if (set->id == id)
			return set;
	return NULL;
}

/* ---- end -------------------------------------------------------------------------------- */

static void add_to_sum(struct pfm_sum *sum, const struct pfm_set *set)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, set->summed)
		sum->pmds[n] += set->registers.pmds[n];
	pfm_for_each_bit(n, rest, set->summed_virtual)
		sum->virtual_value[n] += set->virtual_value[n];
	sum->runs += set->runs;
	sum->duration += set->duration;
}

/* @copy has stopped counting: add its counts to the sums of the parent's sets. */
static void add_to_parent(struct pfm_copies *copies, const struct pfm_context *copy)
{
	const struct pfm_set *set = list_first_entry(&copy->sets, struct pfm_set, node);
	struct pfm_set *to;

	lockdep_assert_held(&copies->lock);
	list_for_each_entry(to, &copies->parent->sets, node) {
		add_to_sum(to->sum, set);
		set = list_next_entry(set, node);
	}
	copies->foreign_runs += copy->foreign_runs;
	pfm_statistics_add(&copies->statistics, &copy->statistics);
}

/*
 * Called after the copy's counts have been added to the parent's sums.  Return: a copy that the
 * caller has to free, NULL if there is none (see pfm_copy_make_idle()).
 */
static struct pfm_context *put_away(struct pfm_copies *copies, struct pfm_context *copy)
{
	if (copies->parent->flags & PFM_FL_KEEP_COUNTS)
		return pfm_copy_keep(copies, copy);
	return pfm_copy_make_idle(copies, copy);
}

/*
 * Called immediately after the copy was detached.  Return: a copy that the caller has to free, NULL
 * if there is none (see pfm_copy_make_idle()).
 */
struct pfm_context *pfm_copy_retire(struct pfm_copies *copies, struct pfm_context *copy)
{
	lockdep_assert_held(&copies->lock);
	if (copies->is_reading && copy->reading == copies->reading) {
		/*
		 * The reading will add the copy's counts to the sums.  No call can change the sets
		 * before that, because the reading holds the parent's mutex.
		 */
		list_move(&copy->copy_node, &copies->late);
		copy = NULL;
	} else {
		add_to_parent(copies, copy);
		copy = put_away(copies, copy);
	}
	/* This store comes last: once the count is 0, calls may change the sets and the sums. */
	smp_store_release(&copies->count, copies->count - 1);
	return copy;
}

/* ---- walks ------------------------------------------------------------------------------ */

static void begin_walk(struct pfm_copies *copies, bool is_reading)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&copies->lock, flags);
	copies->is_walking = true;
	copies->is_reading = is_reading;
	copies->reading += is_reading;
	list_splice_init(&copies->living, &copies->waiting);
	raw_spin_unlock_irqrestore(&copies->lock, flags);
}

/*
 * Return: the next copy to visit.  The thread of this copy may end at any time, and another thread
 * may then get the copy.  But the copy is not freed during the walk.
 */
static struct pfm_context *next_of_walk(struct pfm_copies *copies)
{
	struct pfm_context *copy;
	unsigned long flags;

	raw_spin_lock_irqsave(&copies->lock, flags);
	copy = list_first_entry_or_null(&copies->waiting, struct pfm_context, copy_node);
	if (copy)
		list_move(&copy->copy_node, &copies->living);
	raw_spin_unlock_irqrestore(&copies->lock, flags);
	return copy;
}

static void visit_all(struct pfm_copies *copies, pfm_context_fn function, void *argument)
{
	struct pfm_context *copy;

	while ((copy = next_of_walk(copies))) {
		pfm_context_call(copy, function, argument);
		cond_resched();
	}
}

static void end_walk(struct pfm_copies *copies)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&copies->lock, flags);
	copies->is_walking = false;
	raw_spin_unlock_irqrestore(&copies->lock, flags);
	pfm_copies_trim(copies, PFM_IDLE_COPIES);
}

void pfm_copies_call(struct pfm_copies *copies, pfm_context_fn function, void *argument)
{
	begin_walk(copies, false);
	visit_all(copies, function, argument);
	end_walk(copies);
}

/*
 * Add the counts of the copies in the list "late" to the parent's sums.  visit_all() has read each
 * of these copies already.  So this function is called after finish() has read the sums.  If it
 * were called earlier, these counts would be read twice.
 */
static void add_late(struct pfm_copies *copies)
{
	struct pfm_context *copy;
	unsigned long flags;

	do {
		raw_spin_lock_irqsave(&copies->lock, flags);
		copy = list_first_entry_or_null(&copies->late, struct pfm_context,
						copy_node);
		if (copy) {
			add_to_parent(copies, copy);
			put_away(copies, copy);
		}
		raw_spin_unlock_irqrestore(&copies->lock, flags);
		cond_resched();
	} while (copy);
}

void pfm_copies_read(struct pfm_copies *copies, pfm_context_fn function,
		     void (*finish)(struct pfm_copies *copies, void *argument),
		     void *argument)
{
	unsigned long flags;

	begin_walk(copies, true);
	visit_all(copies, function, argument);
	raw_spin_lock_irqsave(&copies->lock, flags);
	finish(copies, argument);
	copies->is_reading = false;
	raw_spin_unlock_irqrestore(&copies->lock, flags);
	add_late(copies);
	end_walk(copies);
}

bool pfm_copies_begin_read(struct pfm_context *copy)
{
	lockdep_assert_held(&copy->lock);
	if (copy->state == PFM_STATE_UNLOADED || copy->reading == copy->copies->reading)
		return false;
	copy->reading = copy->copies->reading;
	return true;
}

/* ---- calls on the parent ----------------------------------------------------------------- */

bool pfm_copies_live(const struct pfm_context *context)
{
	/* Pairs with the store in pfm_copy_retire(). */
	return context->copies && smp_load_acquire(&context->copies->count);
}

int pfm_copies_refuse(struct pfm_context *context)
{
	if (!pfm_copies_live(context))
		return 0;
	return pfm_fail(context, -EBUSY, PFM_REASON_COPIES,
			READ_ONCE(context->copies->count));
}

/* Allocate PREPARED idle copies, or fewer if there is not enough memory. */
static void prepare(struct pfm_copies *copies)
{
	struct pfm_context *copy;
	unsigned long flags;
	bool is_added;
	u32 i;

	for (i = 0; i < PREPARED; i++) {
		copy = pfm_copy_alloc(copies, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!copy)
			return;
		raw_spin_lock_irqsave(&copies->lock, flags);
		is_added = pfm_copy_add(copies, copy);
		raw_spin_unlock_irqrestore(&copies->lock, flags);
		if (!is_added) {
			pfm_copy_free(copy);
			return;
		}
	}
}

int pfm_copies_open(struct pfm_context *context)
{
	struct pfm_copies *copies = context->copies;
	unsigned long flags;

	if (!copies)
		return 0;
	if (context->set_count > PFM_COPIED_SETS)
		return pfm_fail(context, -EINVAL, PFM_REASON_COPIED_SETS,
				context->set_count);
	pfm_copies_forget_counts(copies);
	/* The sets of idle copies may differ from the parent's sets by now. */
	pfm_copies_trim(copies, 0);
	copies->set_count = context->set_count;
	if (context->instances)
		pfm_instances_forget(context->instances);
	prepare(copies);
	raw_spin_lock_irqsave(&copies->lock, flags);
	copies->configuration++;
	copies->started = false;
	copies->not_followed = 0;
	copies->closed = 0;
	copies->made = 0;
	copies->dropped = 0;
	copies->foreign_runs = 0;
	copies->statistics = (struct pfm_context_statistics){};
	copies->is_open = true;
	raw_spin_unlock_irqrestore(&copies->lock, flags);
	return 0;
}

void pfm_copies_close(struct pfm_copies *copies)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&copies->lock, flags);
	copies->is_open = false;
	raw_spin_unlock_irqrestore(&copies->lock, flags);
}

static void detach_copy(struct pfm_context *copy, void *argument)
{
	struct task_struct **task = argument;

	*task = pfm_detach(copy);
}

void pfm_copies_end(struct pfm_copies *copies)
{
	struct task_struct *task;
	struct pfm_context *copy;
	unsigned long flags;

	begin_walk(copies, false);
	while ((copy = next_of_walk(copies))) {
		pfm_context_call(copy, detach_copy, &task);
		if (task) {
			raw_spin_lock_irqsave(&copies->lock, flags);
			pfm_copy_retire(copies, copy);
			raw_spin_unlock_irqrestore(&copies->lock, flags);
			put_task_struct(task);
		}
		cond_resched();
	}
	end_walk(copies);
	pfm_copies_trim(copies, 0);
}

void pfm_copies_configure(struct pfm_context *context)
{
	pfm_assert_here(context);
	if (context->copies)
		context->copies->configuration++;
}

bool pfm_copies_start(struct pfm_copies *copies, bool started)
{
	unsigned long flags;
	bool live;

	raw_spin_lock_irqsave(&copies->lock, flags);
	copies->started = started;
	live = copies->count;
	raw_spin_unlock_irqrestore(&copies->lock, flags);
	return live;
}

static void add_foreign_runs(struct pfm_context *copy, void *argument)
{
	u64 *runs = argument;

	if (pfm_copies_begin_read(copy))
		*runs += copy->foreign_runs;
}

static void finish_foreign_runs(struct pfm_copies *copies, void *argument)
{
	u64 *runs = argument;

	lockdep_assert_held(&copies->lock);
	*runs += copies->foreign_runs;
}

void pfm_copies_status(struct pfm_context *context, struct pfm_status *status)
{
	struct pfm_copies *copies = context->copies;
	unsigned long flags;

	if (!copies)
		return;
	pfm_copies_read(copies, add_foreign_runs, finish_foreign_runs,
			&status->foreign_runs);
	if (status->foreign_runs)
		status->flags |= PFM_STATUS_FOREIGN_CPU;
	raw_spin_lock_irqsave(&copies->lock, flags);
	status->copies = copies->count;
	status->closed_copies = copies->closed;
	status->not_followed = copies->not_followed;
	status->dropped_counts = min_t(u64, copies->dropped, U32_MAX);
	raw_spin_unlock_irqrestore(&copies->lock, flags);
}

void pfm_copies_statistics(struct pfm_copies *copies, struct pfm_statistics *statistics)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&copies->lock, flags);
	statistics->copies = copies->made;
	statistics->not_followed = copies->not_followed;
	raw_spin_unlock_irqrestore(&copies->lock, flags);
}
