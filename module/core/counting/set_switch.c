// SPDX-License-Identifier: GPL-2.0-only
/*
 * Set switches: by time, by overflows, and at a restart.
 *
 * Sets become active in the order of their numbers; the first one follows the last.  The
 * cost of a switch does not depend on the number of sets.
 *
 * The duration of a set grows while the set is active, its context monitors, and the thread is
 * on a CPU.  When the thread is switched out, the timer keeps running.  When the thread is
 * switched in, the timer is set to the time that remains.
 */
#include <linux/list.h>
#include <linux/string.h>

#include "clock.h"
#include "context.h"
#include "cpu.h"
#include "cpu_timer.h"
#include "reset.h"
#include "set_clock.h"
#include "set_switch.h"
#include "switch.h"
#include "throttle.h"

/*
 * If no more than this number of ns remains of the set's turn when the timer expires, the turn is
 * regarded as over.  The timer can be early for two reasons.  First, the timer's clock differs from
 * the clock that measures durations.  Second, when one turn follows another, the next expiry is
 * computed from the last expiry, not from now.
 */
#define SLACK 5000

/* Forget the overflows that came before the context was loaded. */
static void forget_former_load(struct pfm_context *context, struct pfm_set *set)
{
	if (set->load == context->loads)
		return;
	set->load = context->loads;
	memset(set->overflowed, 0, sizeof(set->overflowed));
	pfm_reset_forget(set);
	pfm_throttle_forget(set);
}

void pfm_set_activate(struct pfm_context *context, struct pfm_set *set, bool is_long)
{
	unsigned int n;
	u64 rest;

	pfm_assert_here(context);
	WRITE_ONCE(context->active, set); /* see pfm_set_find() */
	set->registers.task = context->attachment.task;
	set->registers.sees_kernel = pfm_may_see_kernel(context);
	set->runs++;
	set->ends_at = set->duration + set->timeout;
	forget_former_load(context, set);
	if (pfm_reset_is_due(set) && pfm_reset(context, set, is_long))
		set->pmd_stamp = 0;
	pfm_for_each_bit(n, rest, set->triggers)
		set->attributes[n].switch_remaining = set->attributes[n].switch_count;
}

static struct pfm_set *next_set(struct pfm_context *context)
{
	struct pfm_set *set = context->active;

	if (list_is_last(&set->node, &context->sets))
		return list_first_entry(&context->sets, struct pfm_set, node);
	return list_next_entry(set, node);
}

static __always_inline void switch_sets(struct pfm_context *context, bool is_long,
					u64 now)
{
	bool was_monitoring = context->monitoring;

	this_cpu_inc(pfm_cpu.statistics.set_switch_count);
	context->statistics.set_switches++;
	if (was_monitoring)
		pfm_monitoring_suspend(context, now);
	pfm_set_activate(context, next_set(context), is_long);
	if (was_monitoring)
		pfm_monitoring_take_up(context, now);
}

void pfm_set_switch(struct pfm_context *context, bool is_long, u64 now)
{
	switch_sets(context, is_long, now);
}

/*
 * Make the set after @set active.  pfm_pause() may find an overflow, and this overflow may already
 * mask the context or switch sets.  Return: the registers to be started; NULL: none.
 */
static struct pfm_registers *switch_from(struct pfm_context *context, struct pfm_set *set,
					 u64 now)
{
	pfm_pause(context);
	if (!context->monitoring)
		return NULL;
	if (context->active == set)
		switch_sets(context, false, now);
	return pfm_counting_prepare(context, set);
}

struct pfm_registers *pfm_set_switch_running(struct pfm_context *context,
					     struct pfm_set *set, u64 now)
{
	struct pfm_cpu *cpu = pfm_here(context);
	struct pfm_registers *registers = switch_from(context, set, now);

	pfm_timing_add(&cpu->statistics.set_switch_ns, &now);
	return registers;
}

void pfm_set_timer_start(struct pfm_context *context, struct pfm_set *set, bool is_fresh)
{
	s64 left = is_fresh ? set->ends_at - set->duration
			    : pfm_set_rest(context, set, pfm_clock());

	pfm_assert_here(context);
	pfm_cpu_timer_start(&pfm_here(context)->set_timer, left);
}

static void time_is_over(struct pfm_context *context, struct pfm_set *set, u64 now)
{
	struct pfm_registers *registers;

	lockdep_assert_held(&context->lock);
	registers = pfm_set_switch_running(context, set, now);
	if (registers)
		context->pmu->operations->start(registers);
}

/*
 * Switch sets if the timeout of the active set is over; if it is not, set the timer again.
 * Interrupt context.  The timer may have been set for a thread that is no longer on this CPU.  An
 * overflow in an NMI may switch sets at the same time.
 */
static void look_at_time(struct pfm_cpu *cpu)
{
	struct pfm_context *context = cpu->context;
	u64 now = pfm_clock();
	struct pfm_set *set;
	s64 left;

	if (!context)
		return;
	raw_spin_lock(&context->lock);
	set = READ_ONCE(context->active);
	if (context->monitoring && set->unusual & PFM_SET_TIMED) {
		left = pfm_set_rest(context, set, now);
		if (left > SLACK)
			pfm_cpu_timer_start_again(&cpu->set_timer, left);
		else
			time_is_over(context, set, now);
	}
	raw_spin_unlock(&context->lock);
}

void pfm_set_timer_init(struct pfm_cpu __percpu *cpus)
{
	pfm_cpu_timer_init(&cpus->set_timer, cpus, look_at_time);
}

void pfm_set_timer_exit(struct pfm_cpu __percpu *cpus)
{
	pfm_cpu_timer_exit(&cpus->set_timer);
}
