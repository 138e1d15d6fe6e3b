// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: while this module is loaded, it interposes event_init() of perf's hardware PMU. A
 * parameter shows how many times perf has called the function.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>

#include "pmu/perf_pmus.h"

static struct pmu *perf;
static int (*init_event)(struct perf_event *event);
static atomic_t events = ATOMIC_INIT(0);

static int count_events(struct perf_event *event)
{
	atomic_inc(&events);
	return init_event(event);
}

static int get_events(char *text, const struct kernel_param *unused)
{
	return sprintf(text, "%d\n", atomic_read(&events));
}

static const struct kernel_param_ops events_ops = { .get = get_events };
module_param_cb(events, &events_ops, NULL, 0400);

static int __init perf_interposer_init(void)
{
	struct perf_event *event =
		perf_idle_event(0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	if (IS_ERR(event))
		return PTR_ERR(event);
	perf = event->pmu;
	perf_event_release_kernel(event);
	init_event = perf->event_init;
	smp_store_release(&perf->event_init, count_events);
	return 0;
}

static void __exit perf_interposer_exit(void)
{
	WRITE_ONCE(perf->event_init, init_event);
	/*
	 * Waits until no task runs our function. It does not wait for tasks that sleep in the
	 * function, but there are none, because only the test creates events of this PMU.
	 */
	synchronize_rcu_tasks();
}

module_init(perf_interposer_init);
module_exit(perf_interposer_exit);

MODULE_DESCRIPTION(
	"perfmon: a second module that interposes a function of perf_event, for tests");
MODULE_LICENSE("GPL");
