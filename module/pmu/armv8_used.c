// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arm PMUv3: mark our counters as used, in the data of perf's driver.
 *
 * For each CPU, the kernel's arm_pmu driver has the bitmap "used_mask" of the counters that are
 * used, and the array "events" with the perf events of these counters.  The driver does not
 * allocate a used counter.  From Linux 6.1 to 7.2 the driver looks up events in these four cases:
 * - In its interrupt handler: the events of counters that have overflowed.  The driver ignores a
 *   counter without an event.
 * - When it opens counters to user level (since 6.13, PMUv3p9): the events of used counters.  Each
 *   event must exist.
 * - When the CPU loses or regains its power: the events of all counters.  The driver stops each
 *   event or starts it again.
 * - When it merges the branch filters of events (since 6.17): the events of all counters.
 * So for each of our counters, we not only set the bit in "used_mask", but also store an event in
 * "events": a placeholder.  All its fields are 0 except for its PMU and its state.  Its PMU is an
 * arm_pmu whose functions do nothing, so nothing happens when the driver stops or starts the
 * placeholder.  The placeholder does not belong to a perf context, and perf never schedules it.
 *
 * If we used real perf events instead, one pinned event for each CPU and counter, our code would
 * not depend on the data of perf's driver.  But whenever perf schedules any event, perf may move
 * our events to other counters, which stops and reloads our events.  We would have to move the
 * counts, too, and the counter numbers that our users' programs use would be wrong.
 */
#include <linux/bitmap.h>
#include <linux/perf_event.h>

#include "armv8.h"
#include "compat/arm_pmu.h"
#include "perfmon_pmu.h"

static struct perf_event __percpu *placeholders;

/* Each CPU has one placeholder for all of our counters there.  A placeholder is always stopped. */
static void stay_stopped(struct perf_event *event)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static u64 read_nothing(struct perf_event *event)
{
	return 0;
}

static void write_nothing(struct perf_event *event, u64 value)
{
}

static struct arm_pmu no_pmu = {
	.enable = stay_stopped,
	.disable = stay_stopped,
	.read_counter = read_nothing,
	.write_counter = write_nothing,
};

static struct pmu_hw_events *events_of(const struct arm_pmu *pmu, unsigned int cpu)
{
	return per_cpu_ptr(pmu->hw_events, cpu);
}

static bool is_ours(const struct arm_pmu *pmu, unsigned int cpu, unsigned int n)
{
	return READ_ONCE(events_of(pmu, cpu)->events[arm_pmu_used_bit(n)]) ==
	       per_cpu_ptr(placeholders, cpu);
}

/**
 * armv8_used_by_perf() - find the counters that perf uses
 * @pmu: the PMU
 * @cpu: the CPU
 * @counters: bitmap of the counters to check
 *
 * May be called even in an NMI.  If the caller runs on another CPU than @cpu, the result may be
 * outdated.
 *
 * Return: those of @counters that are used, but not by us
 */
u64 armv8_used_by_perf(const struct arm_pmu *pmu, unsigned int cpu, u64 counters)
{
	unsigned int n;
	u64 rest, used = 0;

	pfm_for_each_bit(n, rest, counters)
		if (test_bit(arm_pmu_used_bit(n), events_of(pmu, cpu)->used_mask) &&
		    !is_ours(pmu, cpu, n))
			used |= BIT_ULL(n);
	return used;
}

/**
 * armv8_mark_used() - mark counters as used by us
 * @pmu: the PMU
 * @cpu: the caller's CPU, with interrupts off, or an offline CPU
 * @counters: bitmap of counters that are not used
 *
 * An NMI may come when only some of the counters are marked.  This is harmless: the NMI handler
 * only reads the marks.  A counter's event is stored before its bit is set, so each marked counter
 * has an event.
 */
void armv8_mark_used(const struct arm_pmu *pmu, unsigned int cpu, u64 counters)
{
	unsigned int n, bit;
	u64 rest;

	pfm_for_each_bit(n, rest, counters) {
		bit = arm_pmu_used_bit(n);
		WRITE_ONCE(events_of(pmu, cpu)->events[bit],
			   per_cpu_ptr(placeholders, cpu));
		barrier();
		set_bit(bit, events_of(pmu, cpu)->used_mask);
	}
}

/**
 * armv8_used_by_us() - find the counters that we use
 * @pmu: the PMU
 * @cpu: the CPU
 * @counters: bitmap of the counters to check
 *
 * Return: those of @counters that are ours
 */
u64 armv8_used_by_us(const struct arm_pmu *pmu, unsigned int cpu, u64 counters)
{
	unsigned int n;
	u64 rest, ours = 0;

	pfm_for_each_bit(n, rest, counters)
		if (is_ours(pmu, cpu, n))
			ours |= BIT_ULL(n);
	return ours;
}

/* Return: true if neither perf nor perfmon uses a counter of @cpu. */
bool armv8_none_used(const struct arm_pmu *pmu, unsigned int cpu)
{
	return bitmap_empty(events_of(pmu, cpu)->used_mask, ARMPMU_MAX_HWEVENTS);
}

/**
 * armv8_mark_unused() - undo armv8_mark_used()
 * @pmu: the PMU
 * @cpu: as for armv8_mark_used()
 * @counters: bitmap of counters; the marks of those that are not ours do not change
 */
void armv8_mark_unused(const struct arm_pmu *pmu, unsigned int cpu, u64 counters)
{
	unsigned int n, bit;
	u64 rest;

	pfm_for_each_bit(n, rest, armv8_used_by_us(pmu, cpu, counters)) {
		bit = arm_pmu_used_bit(n);
		clear_bit(bit, events_of(pmu, cpu)->used_mask);
		barrier();
		WRITE_ONCE(events_of(pmu, cpu)->events[bit], NULL);
	}
}

/* Process context; may sleep. */
int armv8_used_init(void)
{
	struct perf_event *placeholder;
	unsigned int cpu;

	placeholders = alloc_percpu(struct perf_event);
	if (!placeholders)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		placeholder = per_cpu_ptr(placeholders, cpu);
		placeholder->pmu = &no_pmu.pmu;
		stay_stopped(placeholder);
	}
	return 0;
}

void armv8_used_exit(void)
{
	free_percpu(placeholders);
}
