// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interrupt budget: no period, however short, hangs a machine.
 *
 * A CPU with too many overflow interrupts counts nothing until about a tick later.
 * The number alone does not tell: on a slow machine a few in a tick take all of it.
 * So the clock is looked at once in a while, and if interrupts of the length of this
 * one fill too much of the time that is too many, too.
 */
#include <linux/percpu.h>

#include "compat/hrtimer.h"
#include "switch.h"
#include "throttle.h"

/* Percent of the time that handlers may take.  Entry and return come on top. */
#define BUSY 25

/* Interrupts as long as the one that began at @begun fill too much of the time. */
static bool is_busy(struct pfm_throttle *throttle, u64 begun)
{
	u64 now = pfm_clock();
	u64 taken = pfm_clock_between(begun, now) * throttle->step;
	u64 passed = pfm_clock_between(throttle->looked, now);

	throttle->looked = now;
	return taken * 100 > passed * BUSY;
}

/* A tick's interrupts are counted in steps, of one if so few are allowed. */
static bool has_too_many(struct pfm_throttle *throttle)
{
	unsigned int limit = READ_ONCE(pfm_limits.max_interrupts_per_tick);
	unsigned long now = jiffies;

	if (throttle->tick != now) {
		throttle->tick = now;
		throttle->interrupts = 0;
	}
	throttle->interrupts += throttle->step;
	throttle->step = clamp(limit / 4, 1u, PFM_THROTTLE_LOOK);
	throttle->left = throttle->step;
	return throttle->interrupts > limit;
}

bool pfm_throttle_is_due(struct pfm_throttle *throttle, u64 begun)
{
	bool busy = is_busy(throttle, begun);

	return has_too_many(throttle) || busy;
}

static struct pfm_cpu *cpu_of(struct pfm_throttle *throttle)
{
	return container_of(throttle, struct pfm_cpu, throttle);
}

/* Of a CPU that went offline meanwhile the timer comes elsewhere: nothing runs there. */
static enum hrtimer_restart go_on(struct hrtimer *timer)
{
	struct pfm_throttle *throttle = container_of(timer, struct pfm_throttle, timer);

	if (cpu_of(throttle) == this_cpu_ptr(&pfm_cpu))
		pfm_let_go(PFM_HELD_THROTTLED);
	return HRTIMER_NORESTART;
}

static void start_timer(struct irq_work *work)
{
	struct pfm_throttle *throttle = container_of(work, struct pfm_throttle, work);

	hrtimer_start(&throttle->timer, ns_to_ktime(TICK_NSEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

void pfm_throttle_wait(struct pfm_throttle *throttle)
{
	irq_work_queue(&throttle->work);
}

void pfm_throttle_init(void)
{
	int number;

	for_each_possible_cpu(number) {
		struct pfm_throttle *throttle = &per_cpu(pfm_cpu, number).throttle;

		throttle->left = throttle->step = PFM_THROTTLE_LOOK;
		init_irq_work(&throttle->work, start_timer);
		hrtimer_setup(&throttle->timer, go_on, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}

/* There is no context any more. */
void pfm_throttle_exit(void)
{
	int number;

	for_each_possible_cpu(number) {
		struct pfm_throttle *throttle = &per_cpu(pfm_cpu, number).throttle;

		irq_work_sync(&throttle->work);
		hrtimer_cancel(&throttle->timer);
	}
}
