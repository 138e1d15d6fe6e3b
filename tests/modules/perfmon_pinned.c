// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates a pinned perf event on each CPU. The event belongs to the kernel, like the events of the
 * hard lockup detector and those that KVM creates for its guests. The event counts cycles. A
 * parameter shows the counts.
 */
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#define CPU_CYCLES 0x11 /* of Arm PMUv3 */

static DEFINE_PER_CPU(struct perf_event *, events);

/*
 * Prints a line for each CPU: the CPU's number, the count of its event, for how many ns the event
 * was enabled, and for how many ns it was running.
 */
static int get_counts(char *text, const struct kernel_param *unused)
{
	u64 value, enabled, running;
	int cpu, length = 0;

	for_each_possible_cpu(cpu) {
		struct perf_event *event = per_cpu(events, cpu);

		if (!event)
			continue;
		value = perf_event_read_value(event, &enabled, &running);
		length += scnprintf(text + length, PAGE_SIZE - length,
				    "%d %llu %llu %llu\n", cpu, value, enabled, running);
	}
	return length;
}

static const struct kernel_param_ops counts_ops = { .get = get_counts };
module_param_cb(counts, &counts_ops, NULL, 0400);

static void release_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(events, cpu))
			perf_event_release_kernel(per_cpu(events, cpu));
}

static int __init pinned_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = CPU_CYCLES,
		.pinned = 1,
	};
	struct perf_event *event;
	int cpu, error = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
		if (IS_ERR(event)) {
			error = PTR_ERR(event);
			break;
		}
		per_cpu(events, cpu) = event;
	}
	cpus_read_unlock();
	if (error)
		release_all();
	return error;
}
module_init(pinned_init);
module_exit(release_all);

MODULE_DESCRIPTION("perfmon: pinned perf events that belong to the kernel, for tests");
MODULE_LICENSE("GPL");
