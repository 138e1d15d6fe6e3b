// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arm PMUv3: our counters in perf_event's notes.
 *
 * For each CPU the kernel's arm_pmu driver notes which counters are used, in used_mask,
 * and by which perf event, in events.  What is used is not given to a perf event.  From
 * 6.1 to 7.2 it looks up the events of counters
 * - that have overflowed, in its interrupt handler, and does without one;
 * - that are used, when it opens counters to user level (since 6.13, PMUv3p9), where it
 *   relies on one;
 * - all, when the CPU loses its power and when that is back: each is stopped, and
 *   started again;
 * - all, to merge their filters of branches (since 6.17).
 * So a counter of ours has an event there, too: a placeholder, which is zero but for its
 * PMU.  That is an arm_pmu whose functions do nothing, so nothing comes of stopping and
 * starting it.  It is in no perf context, and perf never schedules it.
 *
 * Real events, one pinned to each CPU and counter, would need no knowledge of all this.
 * But perf takes such an event from its counter whenever it schedules, for any other
 * event's sake, and puts it on one of its own choice.  It halts and loads that: our
 * counts would have to follow, and with them what is written in our users' programs.
 */
#include <linux/bitmap.h>
#include <linux/perf_event.h>

#include "armv8.h"
#include "compat/arm_pmu.h"
#include "perfmon_pmu.h"

static struct perf_event __percpu *placeholders;

/* One placeholder stands for all counters of its CPU: stopped, whatever it is told. */
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

static struct pmu_hw_events *notes(const struct arm_pmu *pmu, unsigned int cpu)
{
	return per_cpu_ptr(pmu->hw_events, cpu);
}

static bool is_ours(const struct arm_pmu *pmu, unsigned int cpu, unsigned int n)
{
	return READ_ONCE(notes(pmu, cpu)->events[arm_pmu_used_bit(n)]) ==
	       per_cpu_ptr(placeholders, cpu);
}

/**
 * armv8_noted_by_perf() - counters that perf uses
 * @pmu: whose
 * @cpu: where
 * @counters: which it is about
 *
 * Any context.  Elsewhere than on @cpu it may have changed by the time it is told.
 *
 * Return: those of @counters that are used, and not by us
 */
u64 armv8_noted_by_perf(const struct arm_pmu *pmu, unsigned int cpu, u64 counters)
{
	unsigned int n;
	u64 rest, used = 0;

	pfm_for_each_bit(n, rest, counters)
		if (test_bit(arm_pmu_used_bit(n), notes(pmu, cpu)->used_mask) &&
		    !is_ours(pmu, cpu, n))
			used |= BIT_ULL(n);
	return used;
}

/**
 * armv8_note() - note counters as ours
 * @pmu: whose
 * @cpu: where: this CPU, interrupts off, or one that is offline
 * @counters: nobody's
 *
 * An NMI, which only reads, may see some of them noted.  It finds each one's event.
 */
void armv8_note(const struct arm_pmu *pmu, unsigned int cpu, u64 counters)
{
	unsigned int n, bit;
	u64 rest;

	pfm_for_each_bit(n, rest, counters) {
		bit = arm_pmu_used_bit(n);
		WRITE_ONCE(notes(pmu, cpu)->events[bit], per_cpu_ptr(placeholders, cpu));
		barrier();
		set_bit(bit, notes(pmu, cpu)->used_mask);
	}
}

/**
 * armv8_noted_by_us() - counters that are ours
 * @pmu: whose
 * @cpu: where
 * @counters: which it is about
 */
u64 armv8_noted_by_us(const struct arm_pmu *pmu, unsigned int cpu, u64 counters)
{
	unsigned int n;
	u64 rest, ours = 0;

	pfm_for_each_bit(n, rest, counters)
		if (is_ours(pmu, cpu, n))
			ours |= BIT_ULL(n);
	return ours;
}

/* Whether neither perf nor we use any counter there. */
bool armv8_nothing_is_noted(const struct arm_pmu *pmu, unsigned int cpu)
{
	return bitmap_empty(notes(pmu, cpu)->used_mask, ARMPMU_MAX_HWEVENTS);
}

/**
 * armv8_unnote() - undo armv8_note(), as far as it has been done
 * @pmu: whose
 * @cpu: as there
 * @counters: some, of which those are meant that are ours
 */
void armv8_unnote(const struct arm_pmu *pmu, unsigned int cpu, u64 counters)
{
	unsigned int n, bit;
	u64 rest;

	pfm_for_each_bit(n, rest, armv8_noted_by_us(pmu, cpu, counters)) {
		bit = arm_pmu_used_bit(n);
		clear_bit(bit, notes(pmu, cpu)->used_mask);
		barrier();
		WRITE_ONCE(notes(pmu, cpu)->events[bit], NULL);
	}
}

/* Process context; may sleep. */
int armv8_notes_init(void)
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

void armv8_notes_exit(void)
{
	free_percpu(placeholders);
}
