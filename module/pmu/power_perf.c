// SPDX-License-Identifier: GPL-2.0-only
/*
 * POWER: perf_event is refused the hardware while it is ours.
 *
 * The kernel's driver counts its events.  It reserves the hardware for the first one and
 * releases it after the last one.  An event that it refuses, because the hardware is
 * reserved, is not counted, but its destroy() is set.  Newer kernels (seen in 6.12)
 * call that, which takes one from the count.  From then on the driver lets as many
 * events in without reserving anything.  They and we would program the same counters,
 * and both would count wrongly without a word.
 *
 * So event_init() is interposed as long as this module is loaded: an event that was
 * refused has nothing to destroy.  Where the kernel does not call it, that changes
 * nothing.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/wait_bit.h>

#include "power.h"

static struct pmu *perf; /* NULL if perf_event does not use the hardware */
static int (*init_event)(struct perf_event *event);
static atomic_t callers = ATOMIC_INIT(0);

/* In place of init_event(); process context, may sleep. */
static int refuse_or_init(struct perf_event *event)
{
	int error;

	atomic_inc(&callers);
	error = init_event(event);
	if (error)
		event->destroy = NULL;
	if (atomic_dec_and_test(&callers))
		wake_up_var(&callers);
	return error;
}

/**
 * power_perf_init() - have perf_event leave the hardware alone when it is refused
 *
 * An event tells which struct pmu is the hardware's; it never counts.  Process context.
 *
 * Return: 0 or a negative errno
 */
int power_perf_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL,
						 NULL, NULL);
	if (PTR_ERR(event) == -ENOENT)
		return 0;
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf = event->pmu;
	perf_event_release_kernel(event);

	init_event = perf->event_init;
	/* Who calls the new function sees what that calls. */
	smp_store_release(&perf->event_init, refuse_or_init);
	return 0;
}

/**
 * power_perf_exit() - undo power_perf_init()
 *
 * Waits until a module that interposed after us has gone.  Process context; the hardware
 * is not ours.
 */
void power_perf_exit(void)
{
	if (!perf)
		return;
	while (cmpxchg(&perf->event_init, refuse_or_init, init_event) != refuse_or_init) {
		pr_warn_once(
			"perfmon: waiting for another module to leave perf_event alone\n");
		schedule_timeout_idle(HZ);
	}
	/*
	 * A caller that has read the old pointer has come to where it is counted after the
	 * first grace period, or has left.  One that is counted no more has left after the second.
	 */
	synchronize_rcu_tasks();
	wait_var_event(&callers, !atomic_read(&callers));
	synchronize_rcu_tasks();
}
