// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hooks call these functions to make a copy at a fork, and to end the copy when its thread
 * ends.
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "base/limits.h"
#include "base/threads.h"
#include "claims/claim.h"
#include "claims/holder.h"
#include "counting/cpu.h"
#include "counting/reset.h"
#include "counting/set_switch.h"
#include "counting/switch.h"
#include "counting/throttle.h"
#include "counting/virtual.h"
#include "copies.h"
#include "copy_pool.h"
#include "detach.h"
#include "inherit.h"
#include "load.h"

/* ---- copying sets ------------------------------------------------------------------------ */

/*
 * Return: the counters whose values are added to the sums.  Counters with reset values are left
 * out: the value of such a counter is a position in a sampling period, not a count.
 */
static u64 summed_counters(const struct pfm_set *set)
{
	u64 rest, summed = 0;
	unsigned int n;

	pfm_for_each_bit(n, rest, set->registers.counters)
		if (!set->attributes[n].long_reset && !set->attributes[n].short_reset)
			summed |= BIT_ULL(n);
	return summed;
}

/*
 * Return: the virtual PMDs whose values are added to the sums.  Virtual PMDs that show the present
 * value of their source, such as the number of the CPU, are left out.  PFM_PMD_MONOTONIC_TIME is
 * left out, too: several threads may be monitored at the same time, and a sum would count this time
 * more than once.
 */
static u64 summed_virtual(const struct pfm_pmu *pmu, const struct pfm_set *set)
{
	u64 rest, summed = 0;
	unsigned int n;

	pfm_for_each_bit(n, rest, set->used_virtual)
		if (!pfm_virtual_is_state(pmu, PFM_VIRTUAL_PMD_BASE + n))
			summed |= BIT_ULL(n);
	return summed & ~BIT_ULL(PFM_PMD_MONOTONIC_TIME - PFM_VIRTUAL_PMD_BASE);
}

/*
 * With the same random periods, threads that run the same code would be sampled at the same
 * instructions.  So each set of each copy starts at a different place in the sequence of the
 * random generator.  These places depend only on the order in which the sets are configured.
 */
static void vary_periods(struct pfm_copies *copies, struct pfm_set *set)
{
	const u32 golden = 0x9e3779b9; /* spreads consecutive numbers evenly */
	unsigned int n;
	u64 rest;

	copies->configured++;
	pfm_for_each_bit(n, rest, set->registers.counters) {
		struct pfm_pmd_attributes *attributes = &set->attributes[n];

		if (attributes->is_random)
			attributes->random_state = 1 + (attributes->random_state +
							copies->configured * golden) %
							       0x7ffffffe;
	}
}

/*
 * Copy the configuration of @from to @set.  The PMCs of both sets then have the same values and the
 * same pmc_stamp, so a CPU that switches between the two sets need not write the PMCs.
 */
static void configure_set(struct pfm_context *copy, struct pfm_set *set,
			  const struct pfm_set *from)
{
	const size_t head = offsetof(struct pfm_set, id);

	memcpy((void *)set + head, (const void *)from + head,
	       copy->copies->set_size - head);
	memset(set->registers.state, 0, sizeof(set->registers.state));
	set->sum = NULL;
	if (!copy->format)
		set->notifying = 0;
	vary_periods(copy->copies, set);
	set->summed = summed_counters(set);
	set->summed_virtual = summed_virtual(copy->pmu, set);
	set->load = copy->loads;
}

/*
 * Return: the initial value of counter @n of a copy.  If overflows of the counter cause samples or
 * set switches, the initial value is the short reset value, so that the first sampling period has
 * its full length.  For other counters the initial value is 0.
 */
static u64 first_value(const struct pfm_context *copy, struct pfm_set *set,
		       unsigned int n)
{
	struct pfm_pmd_attributes *attributes = &set->attributes[n];

	if (!copy->format && !(pfm_set_triggers(set) & BIT_ULL(n)))
		return 0;
	return attributes->short_reset ? pfm_reset_value(attributes, false) : 0;
}

/* Give the PMDs in a set of a copy their initial values. */
static void reset_set(const struct pfm_context *copy, struct pfm_set *set)
{
	struct pfm_registers *registers = &set->registers;
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, registers->used_pmds[0]) {
		set->attributes[n].last_reset = 0;
		registers->pmds[n] = first_value(copy, set, n);
		registers->state[n] = 0;
	}
	pfm_for_each_bit(n, rest, set->used_virtual)
		set->virtual_value[n] = 0;
	registers->resumed = false;
	set->runs = 0;
	set->duration = 0;
	set->reset_pmds = 0;
	set->reset_virtual = 0;
	set->pmd_stamp = 0;
	memset(set->overflowed, 0, sizeof(set->overflowed));
	pfm_throttle_forget(set);
}

/*
 * Give @copy the sets of @source.  Nobody else uses @copy yet.  @source is the parent or another
 * copy.
 */
static void copy_sets(struct pfm_context *copy, const struct pfm_context *source)
{
	const u64 configuration = copy->copies->configuration;
	const struct pfm_set *active = READ_ONCE(source->active), *from;
	struct pfm_set *set = list_first_entry(&copy->sets, struct pfm_set, node);

	lockdep_assert_held(&source->lock);
	list_for_each_entry(from, &source->sets, node) {
		if (copy->configuration != configuration)
			configure_set(copy, set, from);
		reset_set(copy, set);
		if (from == active)
			copy->active = set;
		set = list_next_entry(set, node);
	}
	copy->configuration = configuration;
}

/* ---- fork ------------------------------------------------------------------------------- */

/*
 * If @source still monitors the current thread, give @copy the configuration of @source.
 * Return: whether @source still monitors the thread.
 */
static bool imitate(struct pfm_context *copy, struct pfm_context *source)
{
	struct pfm_copies *copies = copy->copies;
	bool is_monitored;

	raw_spin_lock(&source->lock);
	is_monitored = source->attachment.task == current &&
		       source->state != PFM_STATE_UNLOADED;
	if (is_monitored) {
		copy->attachment.sees_kernel = source->attachment.sees_kernel;
		copy->attachment.follows = source->attachment.follows;
		copy_sets(copy, source);
		pfm_claim_again(copy, source);
		/*
		 * For the first copy, @source is the parent.  pfm_copies_refuse() relies on the
		 * fact that the parent's lock is held here.
		 */
		WRITE_ONCE(copies->count, copies->count + 1);
	}
	raw_spin_unlock(&source->lock);
	return is_monitored;
}

/*
 * Load @copy on @child.  Return: false if another process has already loaded a context on @child.
 */
static bool attach(struct pfm_context *copy, struct task_struct *child)
{
	/* The tid and tgid are numbers in the loader's pid namespace. */
	struct pid_namespace *namespace = ns_of_pid(copy->copies->parent->loader);
	bool entered;

	raw_spin_lock(&copy->lock);
	entered = pfm_thread_enter(copy, child);
	if (entered) {
		get_task_struct(child);
		copy->attachment.tid = task_pid_nr_ns(child, namespace);
		copy->attachment.tgid = task_tgid_nr_ns(child, namespace);
		copy->reading = 0;
		copy->foreign_runs = 0;
		pfm_statistics_begin(copy);
		copy->state = PFM_STATE_LOADED;
		pfm_set_activate(copy, copy->active, true);
		copy->started = copy->copies->started;
		if (copy->started)
			pfm_monitoring_begin(copy);
	} else {
		pfm_unclaim(copy, child);
	}
	raw_spin_unlock(&copy->lock);
	return entered;
}

/*
 * Load a copy of @source on @child.  Return: true if a copy was loaded, or if @child needs none,
 * because @source does not monitor the current thread any more.
 */
static bool follow(struct pfm_copies *copies, struct pfm_context *source,
		   struct task_struct *child)
{
	struct pfm_context *copy;

	lockdep_assert_held(&copies->lock);
	if (copies->count >= READ_ONCE(pfm_limits.max_copies))
		return false;
	copy = pfm_copy_take(copies);
	if (!copy)
		return false;
	if (!imitate(copy, source)) {
		pfm_copy_put(copies, copy);
		return true;
	}
	if (attach(copy, child)) {
		list_add(&copy->copy_node, &copies->living);
		copies->made++;
		this_cpu_inc(pfm_cpu.statistics.copy_count);
		return true;
	}
	WRITE_ONCE(copies->count, copies->count - 1);
	pfm_copy_put(copies, copy);
	return false;
}

/*
 * Return: memory for one more copy.  NULL on PREEMPT_RT, or if max_copies copies are living
 * already, or if there is not enough memory.
 */
static struct pfm_context *alloc_spare(struct pfm_copies *copies)
{
	const gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT;

	if (IS_ENABLED(CONFIG_PREEMPT_RT) ||
	    READ_ONCE(copies->count) >= READ_ONCE(pfm_limits.max_copies))
		return NULL;
	return pfm_copy_alloc(copies, gfp);
}

static noinline void make_copy(struct pfm_context *source, struct task_struct *child)
{
	struct pfm_copies *copies = source->copies;
	struct pfm_context *spare = NULL;

	raw_spin_lock(&copies->lock);
	if (copies->is_open && !copies->idle_count) {
		/* Do not let other forks wait while memory is allocated. */
		raw_spin_unlock(&copies->lock);
		spare = alloc_spare(copies);
		raw_spin_lock(&copies->lock);
	}
	if (copies->is_open) {
		if (spare && pfm_copy_add(copies, spare))
			spare = NULL;
		/*
		 * /proc shows a new thread before the hooks see the fork.  So the loader may
		 * already have loaded another context on @child.  In that case @child is monitored,
		 * and @not_followed must not count it.
		 */
		if (!follow(copies, source, child) &&
		    !pfm_thread_is_held_by(child, copies->parent->loader)) {
			copies->not_followed++;
			this_cpu_inc(pfm_cpu.statistics.not_followed_count);
		}
	}
	raw_spin_unlock(&copies->lock);
	if (spare)
		pfm_copy_free(spare);
	pfm_threads_fit_soon();
}

/*
 * The context's file may be released at the same time.  The memory of the context, of its parent
 * and of struct pfm_copies is freed after an RCU grace period.  Interrupts are off, so no grace
 * period ends before this function returns.  Other memory that belongs to the parent is used only
 * while copies->is_open.
 */
void pfm_inherit(struct pfm_context *source, struct task_struct *child)
{
	if (!(source->flags & PFM_INHERIT_FLAGS))
		return;
	if (source->flags & PFM_FL_INHERIT_ALL || same_thread_group(child, current))
		make_copy(source, child);
}

/* ---- end ------------------------------------------------------------------------------- */

void pfm_inherit_end(struct pfm_context *copy, bool closed)
{
	struct pfm_copies *copies = copy->copies;
	struct pfm_context *surplus = NULL;
	struct task_struct *task = NULL;

	raw_spin_lock(&copies->lock);
	raw_spin_lock(&copy->lock);
	if (copy->attachment.task == current)
		task = pfm_detach(copy);
	raw_spin_unlock(&copy->lock);
	if (task) {
		surplus = pfm_copy_retire(copies, copy);
		copies->closed += closed;
	}
	raw_spin_unlock(&copies->lock);
	pfm_copy_free_surplus(surplus);
	/* put_task_struct() does not free the task_struct, because the thread is running. */
	if (task)
		put_task_struct(task);
}
