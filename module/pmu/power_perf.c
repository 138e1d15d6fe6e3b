// SPDX-License-Identifier: GPL-2.0-only
/*
 * POWER: keep perf_event from using the hardware while it is ours.
 *
 * The kernel's driver keeps a count of its events.  It reserves the hardware for the first event
 * and releases it after the last one.  If we have reserved the hardware, the driver refuses a new
 * event: it does not increment the count, but it still sets the event's destroy().  Newer kernels
 * (seen in 6.12) call this destroy(), which decrements the count.  Then the count is too low, and
 * the driver would later accept an event without reserving the hardware.  perf and perfmon would
 * program the same counters, and both would silently count wrongly.
 *
 * So this module interposes event_init() while it is loaded.  Our function clears destroy() of a
 * refused event.  Kernels that do not call destroy() are not affected.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/wait_bit.h>

#include "perf_pmus.h"
#include "power.h"

static struct pmu *perf; /* NULL if perf_event does not use the hardware */
static int (*init_event)(struct perf_event *event);
static atomic_t callers = ATOMIC_INIT(0);

/* Called instead of event_init() of perf's driver; process context, may sleep. */
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
 * power_perf_init() - interpose event_init() of perf's driver
 *
 * Creates an event that never counts, gets the driver's struct pmu from it, and releases the event.
 * Process context.
 *
 * Return: 0 or a negative errno
 */
int power_perf_init(void)
{
	struct perf_event *event = perf_idle_event(
		raw_smp_processor_id(), PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	if (PTR_ERR(event) == -ENOENT)
		return 0;
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf = event->pmu;
	perf_event_release_kernel(event);

	init_event = perf->event_init;
	/* init_event must be visible before anybody calls refuse_or_init(). */
	smp_store_release(&perf->event_init, refuse_or_init);
	return 0;
}

/**
 * power_perf_exit() - undo power_perf_init()
 *
 * If another module has interposed the same function after us, waits until that module is
 * unloaded.  Called in process context, after the hardware has been released.
 */
void power_perf_exit(void)
{
	if (!perf)
		return;
	while (cmpxchg(&perf->event_init, refuse_or_init, init_event) != refuse_or_init) {
		pr_warn_once(
			"perfmon: another module has interposed a function of perf's PMU driver: waiting until that module is unloaded\n");
		schedule_timeout_idle(HZ);
	}
	/*
	 * A task may have read the pointer to our function before the pointer was restored.
	 * After the first grace period, each such task is counted in "callers" or has returned
	 * from our function.  When "callers" is 0, the tasks that were counted may still execute
	 * the last instructions of our function.  After the second grace period, they have
	 * returned, too.
	 */
	synchronize_rcu_tasks();
	wait_var_event(&callers, !atomic_read(&callers));
	synchronize_rcu_tasks();
}
