// SPDX-License-Identifier: GPL-2.0-only
/*
 * From one event set to the next: by time, by overflows, at a restart.
 *
 * Sets follow each other in the order of their numbers, round and round.  What a
 * switch costs does not depend on how many there are.
 *
 * The time of a set is that of its thread on a CPU, monitoring: its duration.  So
 * nothing has to be kept when the thread goes out; when it comes in, the timer is
 * set to what is left.
 */
#include <linux/hardirq.h>
#include <linux/list.h>
#include <linux/string.h>

#include "clock.h"
#include "compat/hrtimer.h"
#include "context.h"
#include "reset.h"
#include "set_switch.h"
#include "switch.h"

/* The timer's clock and that of durations may differ by so much: ns. */
#define SLACK 1000

static s64 time_left(struct pfm_context *context, struct pfm_set *set)
{
	return set->ends_at - (s64)pfm_set_duration(context, set);
}

u64 pfm_set_time_left(struct pfm_context *context, struct pfm_set *set)
{
	return max_t(s64, time_left(context, set), 0);
}

/* What overflowed before the context was loaded does not concern this time. */
static void forget_former_load(struct pfm_context *context, struct pfm_set *set)
{
	if (set->load == context->loads)
		return;
	set->load = context->loads;
	memset(set->overflowed, 0, sizeof(set->overflowed));
	pfm_reset_forget(set);
}

void pfm_set_activate(struct pfm_context *context, struct pfm_set *set, bool is_long)
{
	unsigned int n;
	u64 rest;

	context->active = set;
	set->registers.task = context->task;
	set->runs++;
	set->ends_at = set->duration + set->timeout;
	forget_former_load(context, set);
	if (pfm_reset(context, set, is_long))
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

void pfm_set_switch(struct pfm_context *context, bool is_long)
{
	bool was_monitoring = context->monitoring;
	u64 now = pfm_clock();

	this_cpu_inc(pfm_cpu.statistics.set_switch_count);
	if (was_monitoring)
		pfm_monitoring_suspend(context, now);
	pfm_set_activate(context, next_set(context), is_long);
	if (was_monitoring)
		pfm_monitoring_take_up(context, now);
}

/* An overflow that only shows itself now may have masked it, or switched already. */
static struct pfm_registers *switch_from(struct pfm_context *context, struct pfm_set *set)
{
	pfm_pause(context);
	if (!context->monitoring)
		return NULL;
	if (context->active == set)
		pfm_set_switch(context, false);
	return pfm_counting_prepare(context, set);
}

struct pfm_registers *pfm_set_switch_running(struct pfm_context *context,
					     struct pfm_set *set)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);
	u64 begun = static_branch_unlikely(&pfm_timing) ? pfm_clock() : 0;
	struct pfm_registers *registers = switch_from(context, set);

	pfm_timing_add(&cpu->statistics.set_switch_ns, &begun);
	return registers;
}

static void timer_set(struct pfm_cpu *cpu, u64 left)
{
	hrtimer_start(&cpu->set_timer.timer, ns_to_ktime(left),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

void pfm_set_timer_start(struct pfm_context *context, struct pfm_set *set)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);

	if (in_nmi())
		irq_work_queue(&cpu->set_timer.work);
	else
		timer_set(cpu, pfm_set_time_left(context, set));
}

static void time_is_over(struct pfm_context *context, struct pfm_set *set)
{
	struct pfm_registers *registers = pfm_set_switch_running(context, set);

	if (registers)
		context->pmu->operations->start(registers);
}

/*
 * Interrupt context.  The timer may have been left behind for another thread, and an
 * overflow that is an NMI may switch sets while this looks.
 */
static void look_at_time(struct pfm_cpu *cpu)
{
	struct pfm_context *context = cpu->context;
	struct pfm_set *set;
	s64 left;

	if (!context)
		return;
	raw_spin_lock(&context->lock);
	set = READ_ONCE(context->active);
	if (context->monitoring && set->unusual & PFM_SET_TIMED) {
		left = time_left(context, set);
		if (left > SLACK)
			timer_set(cpu, left);
		else
			time_is_over(context, set);
	}
	raw_spin_unlock(&context->lock);
}

/*
 * Of a CPU that went offline meanwhile the timer comes elsewhere: the thread, which is
 * on another CPU then, has that one's.
 */
static enum hrtimer_restart timer_ends(struct hrtimer *timer)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);

	if (timer == &cpu->set_timer.timer)
		look_at_time(cpu);
	return HRTIMER_NORESTART; /* set anew, if at all */
}

static void timer_asked_for(struct irq_work *work)
{
	look_at_time(this_cpu_ptr(&pfm_cpu));
}

void pfm_set_timer_init(void)
{
	int number;

	for_each_possible_cpu(number) {
		struct pfm_set_timer *timer = &per_cpu(pfm_cpu, number).set_timer;

		timer->work = IRQ_WORK_INIT_HARD(timer_asked_for);
		hrtimer_setup(&timer->timer, timer_ends, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}

/* There is no context any more. */
void pfm_set_timer_exit(void)
{
	int number;

	for_each_possible_cpu(number) {
		struct pfm_set_timer *timer = &per_cpu(pfm_cpu, number).set_timer;

		irq_work_sync(&timer->work);
		hrtimer_cancel(&timer->timer);
	}
}
