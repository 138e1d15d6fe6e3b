// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interrupt budget: overflow interrupts must not hang the machine, even with the shortest
 * sampling period.
 *
 * An event set with too many overflow interrupts counts nothing for about a tick.
 * Limiting the number of interrupts is not sufficient: on a slow machine a few interrupts
 * may take a whole tick.  So the time that interrupts take is limited as well: a set is throttled
 * if its interrupts take more than a certain share of its duration.  Only every n-th interrupt is
 * timed, and each interrupt that is not timed is assumed to take as long as the timed one.
 *
 * The clock of a set's duration runs only while the set is active and its thread is on a CPU.  So
 * the durations of different sets on a CPU do not overlap.  If the interrupts of each set take at
 * most this share of the set's duration, all interrupts together take at most the same share of the
 * CPU's time.  The number of threads and sets does not matter.  No set is throttled because of the
 * interrupts of another set.
 */
#include <linux/jiffies.h>
#include <linux/percpu.h>

#include "cpu.h"
#include "cpu_timer.h"
#include "set_clock.h"
#include "switch.h"
#include "throttle.h"

/*
 * The share of a set's duration that its overflow interrupts may take, in percent.  The time for
 * interrupt entry and return is not measured.
 */
#define BUSY 25

/*
 * The interrupt began at @begun: add its duration to the statistics.  Return: the duration in ns.
 */
static u64 measure(struct pfm_context *context, u64 begun)
{
	struct pfm_cpu_statistics *statistics = &pfm_here(context)->statistics;
	u64 taken = pfm_clock_between(begun, pfm_clock());

	statistics->ovfl_intr_timed_count++;
	statistics->ovfl_intr_timed_ns += taken;
	context->statistics.timed_interrupts++;
	context->statistics.timed_ns += taken;
	return taken;
}

/*
 * Return: whether the interrupts since the last check took more than BUSY percent of the set's time
 * since then.  @taken: ns that the present interrupt took; the other interrupts are assumed to have
 * taken as long.  @time: the set's duration.
 */
static bool is_busy(struct pfm_budget *budget, u64 taken, u64 time)
{
	u64 passed = pfm_clock_between(budget->looked, time);

	budget->looked = time;
	return taken * budget->step * 100 > passed * BUSY;
}

/*
 * The next check comes after budget->step interrupts.  If only few interrupts are allowed in a
 * tick, this number is 1.
 */
static void next_step(struct pfm_budget *budget, unsigned int limit)
{
	budget->step = clamp(limit / 4, 1u, PFM_THROTTLE_LOOK);
	budget->left = budget->step;
}

static bool has_too_many(struct pfm_budget *budget, u64 time)
{
	unsigned int limit = READ_ONCE(pfm_limits.max_interrupts_per_tick);

	if (pfm_clock_between(budget->tick, time) >= TICK_NSEC) {
		budget->tick = time;
		budget->interrupts = 0;
	}
	budget->interrupts += budget->step;
	next_step(budget, limit);
	return budget->interrupts > limit;
}

bool pfm_throttle_is_due(struct pfm_context *context, struct pfm_set *set, u64 begun)
{
	u64 time = pfm_set_duration(context, set);
	bool busy = is_busy(&set->budget, measure(context, begun), time);

	return has_too_many(&set->budget, time) || busy;
}

struct pfm_registers *pfm_throttle(struct pfm_context *context, struct pfm_set *set,
				   struct pfm_registers *next)
{
	pfm_assert_here(context);
	set->budget.until = pfm_set_duration(context, set) + TICK_NSEC;
	set->unusual |= PFM_SET_THROTTLED;
	if (set != context->active)
		return next;
	/* pfm_pause() may find an overflow that masks the context or switches sets. */
	pfm_pause(context);
	if (!context->monitoring)
		return NULL;
	if (set != context->active)
		return pfm_counting_prepare(context, set);
	/* The timer of the set's timeout is not changed. */
	pfm_throttle_wait(pfm_here(context));
	return NULL;
}

void pfm_throttle_wait(struct pfm_cpu *cpu)
{
	pfm_cpu_timer_look(&cpu->throttle_timer);
}

/*
 * Let the active set count again if it has been throttled long enough; if not, set the timer again.
 * While the context does not monitor, the set's clock stands still, so nothing is done.
 * READ_ONCE() is needed: if the active set is not throttled, it counts, and an NMI for its overflow
 * may make another set active at any time.
 */
static void go_on_or_wait(struct pfm_context *context, struct pfm_cpu_timer *timer)
{
	struct pfm_set *set = READ_ONCE(context->active);
	s64 rest;

	lockdep_assert_held(&context->lock);
	if (!(set->unusual & PFM_SET_THROTTLED) || !context->monitoring)
		return;
	rest = set->budget.until - pfm_set_duration(context, set);
	if (rest > 0) {
		pfm_cpu_timer_start_again(timer, rest);
	} else {
		set->unusual &= ~PFM_SET_THROTTLED;
		pfm_resume(context);
	}
}

/* Called in interrupt context. */
static void look(struct pfm_cpu *cpu)
{
	struct pfm_context *context = cpu->context;

	if (!context)
		return;
	raw_spin_lock(&context->lock);
	go_on_or_wait(context, &cpu->throttle_timer);
	raw_spin_unlock(&context->lock);
}

void pfm_throttle_forget(struct pfm_set *set)
{
	set->budget = (struct pfm_budget){};
	next_step(&set->budget, READ_ONCE(pfm_limits.max_interrupts_per_tick));
	set->unusual &= ~PFM_SET_THROTTLED;
}

void pfm_throttle_init(struct pfm_cpu __percpu *cpus)
{
	pfm_cpu_timer_init(&cpus->throttle_timer, cpus, look);
}

void pfm_throttle_exit(struct pfm_cpu __percpu *cpus)
{
	pfm_cpu_timer_exit(&cpus->throttle_timer);
}
