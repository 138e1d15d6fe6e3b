// SPDX-License-Identifier: GPL-2.0-only
/* Timers of CPUs: they end the turn of a set, and let a throttled set count again. */
#include <linux/cpumask.h>
#include <linux/hardirq.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include "compat/hrtimer.h"
#include "cpu.h"
#include "cpu_timer.h"

#define NOT_SET (-1)

/*
 * In the timer's own callback, this function only stores the next expiry.  The callback then sets
 * the timer.
 */
void pfm_cpu_timer_start(struct pfm_cpu_timer *timer, s64 left)
{
	left = max_t(s64, left, 0);
	if (timer->has_come)
		timer->next = left;
	else if (in_nmi())
		irq_work_queue(&timer->work);
	else
		hrtimer_start(&timer->timer, ns_to_ktime(left),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

void pfm_cpu_timer_start_again(struct pfm_cpu_timer *timer, s64 left)
{
	if (timer->has_come)
		left += ktime_to_ns(ktime_sub(hrtimer_cb_get_time(&timer->timer),
					      hrtimer_get_expires(&timer->timer)));
	pfm_cpu_timer_start(timer, left);
}

/*
 * The timer migrates when its CPU goes offline.  The new CPU ignores this timer: threads migrate,
 * too, and use the timers of their new CPUs.  A context that was bound to the old CPU is unloaded.
 */
static enum hrtimer_restart expires(struct hrtimer *hrtimer)
{
	struct pfm_cpu_timer *timer = container_of(hrtimer, struct pfm_cpu_timer, timer);

	if (timer->cpu->sample.cpu != smp_processor_id())
		return HRTIMER_NORESTART;
	timer->has_come = true;
	timer->next = NOT_SET;
	timer->look(timer->cpu);
	timer->has_come = false;
	if (timer->next == NOT_SET)
		return HRTIMER_NORESTART;
	hrtimer_add_expires_ns(hrtimer, timer->next);
	return HRTIMER_RESTART;
}

static void look_at_once(struct irq_work *work)
{
	struct pfm_cpu_timer *timer = container_of(work, struct pfm_cpu_timer, work);

	timer->look(timer->cpu);
}

void pfm_cpu_timer_init(struct pfm_cpu_timer __percpu *timers,
			struct pfm_cpu __percpu *cpus, void (*look)(struct pfm_cpu *cpu))
{
	int number;

	for_each_possible_cpu(number) {
		struct pfm_cpu_timer *timer = per_cpu_ptr(timers, number);

		timer->cpu = per_cpu_ptr(cpus, number);
		timer->look = look;
		timer->work = IRQ_WORK_INIT_HARD(look_at_once);
		hrtimer_setup(&timer->timer, expires, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}

void pfm_cpu_timer_exit(struct pfm_cpu_timer __percpu *timers)
{
	int number;

	for_each_possible_cpu(number) {
		struct pfm_cpu_timer *timer = per_cpu_ptr(timers, number);

		irq_work_sync(&timer->work);
		hrtimer_cancel(&timer->timer);
	}
}
