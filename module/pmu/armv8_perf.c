// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arm PMUv3: sharing it with perf_event.
 *
 * The kernel's arm_pmu driver owns the interrupt and hands out the counters.
 * It notes for each CPU which ones are given to perf events; a counter that is
 * noted there without an event is left alone by all of its code, but for two
 * places, and those are interposed:
 *
 * handle_irq	clears the overflow bits of all counters.  Ours are halted before
 *		it runs, so that none can overflow unseen, and go on after it.
 * reset	forgets everything, when a CPU comes up or has been without power.
 *		Ours are put back in place.
 *
 * What cannot be helped: perf clears PMCR_EL0.E, which halts every counter, for
 * the time it takes to move its own events.  It sets it again, because the note
 * of ours makes the CPU look used.
 */
#include <asm/irq_regs.h>
#include <linux/cpu_pm.h>
#include <linux/interrupt.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "armv8.h"
#include "armv8_registers.h"
#include "compat/arm_pmu.h"
#include "perfmon_pmu.h"

#define EVENT_CPU_CYCLES 0x11

DEFINE_PER_CPU(u32, armv8_kept_overflows);

/* CPUs that we use, all of one arm_pmu */
struct cpumask armv8_cpus;

static struct arm_pmu *arm_pmu;
static u32 taken; /* counters that are ours, on each of armv8_cpus */
static irqreturn_t (*perf_handle_irq)(struct arm_pmu *pmu);
static void (*perf_reset)(void *pmu);

static bool here_is_ours(void)
{
	return cpumask_test_cpu(smp_processor_id(), &armv8_cpus);
}

/*
 * In place of the arm_pmu's own; the interrupt may be an NMI.  pfm_overflow()
 * is asked whenever one of ours wrapped.  perf's handler forgets all overflows that it
 * finds: ours have been noted by then, and nothing of ours counts while it runs.
 */
static irqreturn_t shared_handle_irq(struct arm_pmu *pmu)
{
	irqreturn_t result = IRQ_HANDLED;
	struct pfm_registers *running;
	struct pfm_overflow_result overflow = {};

	if (!here_is_ours())
		return perf_handle_irq(pmu);

	running = pfm_running_registers(&armv8_pmu);
	if (running) {
		armv8_halt(running);
		if (armv8_read_overflows() & running->counters) {
			overflow = pfm_overflow(&armv8_pmu, get_irq_regs(), NULL);
			running = overflow.next;
		}
	} else {
		/*
		 * As an NMI, between the core's taking a set out and its asking
		 * for overflows: what still counts is about to be stopped.
		 */
		armv8_disable(taken);
		isb();
		this_cpu_or(armv8_kept_overflows, armv8_read_overflows() & taken);
	}
	if (!overflow.ours || armv8_read_overflows() & ~taken)
		result = perf_handle_irq(pmu);
	if (running)
		armv8_enable(running->counters);
	return overflow.ours ? IRQ_HANDLED : result;
}

static void let_all_count(void)
{
	armv8_write_control(armv8_read_control() | ARMV8_PMCR_E);
}

/*
 * In place of the arm_pmu's own.  Interrupts are off, and the CPU is
 * - coming up: its idle thread runs, which is not monitored; or
 * - back from a state without power.  In cpuidle the idle thread runs, but in
 *   suspend to RAM and hibernation it is the thread that wrote to
 *   /sys/power/state: that one can be counting, see power_changes().
 */
static void shared_reset(void *pmu)
{
	struct pfm_registers *running;
	u32 overflows;

	perf_reset(pmu);
	if (!here_is_ours())
		return;
	/* PMCR_EL0.P and .C must have done their work before values come in. */
	isb();
	let_all_count();
	running = pfm_running_registers(&armv8_pmu);
	if (!running) {
		pfm_registers_lost();
		return;
	}
	overflows = this_cpu_read(armv8_kept_overflows);
	armv8_program(running, NULL);
	armv8_load(running, running->used_pmds[0]);
	/* Raises the interrupt again, as far as they have one. */
	armv8_set_overflows(overflows);
	armv8_enable(running->counters);
}

/*
 * Before the power goes, values come to memory.  When it is back, reset is
 * called, also by a notifier.
 */
static int power_changes(struct notifier_block *block, unsigned long event, void *unused)
{
	struct pfm_registers *running = pfm_running_registers(&armv8_pmu);

	if (!running || !taken)
		return NOTIFY_DONE;
	switch (event) {
	case CPU_PM_ENTER:
		armv8_halt(running);
		armv8_read(running, running->pmds);
		this_cpu_or(armv8_kept_overflows,
			    armv8_read_overflows() & running->counters);
		return NOTIFY_OK;
	case CPU_PM_ENTER_FAILED:
		armv8_enable(running->counters);
		return NOTIFY_OK;
	}
	return NOTIFY_DONE;
}

static struct notifier_block power_notifier = {
	.notifier_call = power_changes,
};

static unsigned long *used_mask(unsigned int cpu)
{
	return per_cpu_ptr(arm_pmu->hw_events, cpu)->used_mask;
}

/* Give counter @n back on those of our CPUs that come before @end. */
static void unnote(unsigned int n, unsigned int end)
{
	unsigned int cpu;

	for_each_cpu(cpu, &armv8_cpus) {
		if (cpu >= end)
			break;
		clear_bit(arm_pmu_used_bit(n), used_mask(cpu));
	}
}

static bool is_noted(unsigned int n)
{
	unsigned int cpu;

	for_each_cpu(cpu, &armv8_cpus)
		if (test_bit(arm_pmu_used_bit(n), used_mask(cpu)))
			return true;
	return false;
}

/*
 * Note counter @n as used on all of our CPUs, offline ones too, or on none.
 *
 * perf changes its notes with the same atomic operations and touches a counter
 * only after having noted it and until it takes the note away, so this needs
 * not run on the CPU concerned.  It looks first: a counter that we cannot have
 * anyway is not to be missing when perf schedules its events.
 */
static bool note(unsigned int n)
{
	unsigned int cpu;

	if (is_noted(n))
		return false;
	for_each_cpu(cpu, &armv8_cpus) {
		if (test_and_set_bit(arm_pmu_used_bit(n), used_mask(cpu))) {
			unnote(n, cpu);
			return false;
		}
	}
	return true;
}

/* Return: the first that cannot be had, and then none is noted; or -1. */
static int note_all(u32 counters)
{
	unsigned int n, noted;
	u32 rest, others;

	pfm_for_each_bit(n, rest, counters) {
		if (note(n))
			continue;
		pfm_for_each_bit(noted, others, counters & (BIT(n) - 1))
			unnote(noted, nr_cpu_ids);
		return n;
	}
	return -1;
}

/* As perf leaves a counter: halted and silent. */
static void silence(u32 counters)
{
	armv8_disable(counters);
	armv8_disable_interrupt(counters);
	isb(); /* no overflow after the one that is cleared here */
	armv8_clear_overflows(counters);
	this_cpu_and(armv8_kept_overflows, ~counters);
}

/* Others of ours may be counting. */
static void begin_here(void *counters)
{
	if (!here_is_ours())
		return;
	silence(*(const u32 *)counters);
	pfm_registers_lost();
	let_all_count();
}

/*
 * Only when they are silent perf may have them.  Without any event perf leaves
 * PMCR_EL0.E off.
 */
static void end_here(void *argument)
{
	unsigned long *used = used_mask(smp_processor_id());
	const u32 counters = *(const u32 *)argument;
	unsigned int n;
	u32 rest;

	if (!here_is_ours())
		return;
	silence(counters);
	pfm_for_each_bit(n, rest, counters)
		clear_bit(arm_pmu_used_bit(n), used);
	if (bitmap_empty(used, ARMPMU_MAX_HWEVENTS))
		armv8_write_control(armv8_read_control() & ~(u64)ARMV8_PMCR_E);
}

/* Those of @counters that perf has now, on any of armv8_cpus. */
u32 armv8_perf_has(u32 counters)
{
	unsigned int n;
	u32 rest, has = 0;

	pfm_for_each_bit(n, rest, counters & ~taken)
		if (is_noted(n))
			has |= BIT(n);
	return has;
}

/**
 * armv8_perf_take() - take counters from perf, on all of armv8_cpus
 * @wanted: counters that are not ours yet, bit 31 the cycle counter
 *
 * Process context; hotplug held off.
 *
 * Return: -1, or a counter that perf has on some CPU; then none has been taken.
 */
int armv8_perf_take(u32 wanted)
{
	const bool is_first = !taken;
	int missed = note_all(wanted);

	if (missed >= 0)
		return missed;
	WRITE_ONCE(taken, taken | wanted);
	/*
	 * The call makes every CPU see what the interposed functions read before
	 * it can find them interposed.
	 */
	if (is_first) {
		perf_handle_irq = arm_pmu->handle_irq;
		perf_reset = arm_pmu->reset;
	}
	on_each_cpu_mask(&arm_pmu->supported_cpus, begin_here, &wanted, true);
	if (is_first) {
		WRITE_ONCE(arm_pmu->handle_irq, shared_handle_irq);
		WRITE_ONCE(arm_pmu->reset, shared_reset);
	}
	return -1;
}

static void unnote_offline(u32 counters)
{
	unsigned int n, cpu;
	u32 rest;

	for_each_cpu(cpu, &armv8_cpus)
		if (!cpu_online(cpu))
			pfm_for_each_bit(n, rest, counters)
				clear_bit(arm_pmu_used_bit(n), used_mask(cpu));
}

/**
 * armv8_perf_give_back() - undo armv8_perf_take()
 * @counters: of ours, nothing counts on them
 *
 * Process context; hotplug held off.
 *
 * Who may still be in the interposed functions after the last one?  Nobody:
 * - The interrupt: end_here() is an interrupt too and cannot come on top of
 *   it.  One that comes later reads the restored pointer, and so does an NMI on
 *   top of end_here(): the pointer was written before the call was sent.
 * - reset on a CPU that is back from power-down: interrupts are off until it
 *   has returned, then comes end_here().
 * - reset on a CPU that is coming up: there is none while hotplug is held off.
 */
void armv8_perf_give_back(u32 counters)
{
	WRITE_ONCE(taken, taken & ~counters);
	if (!taken) {
		WRITE_ONCE(arm_pmu->handle_irq, perf_handle_irq);
		WRITE_ONCE(arm_pmu->reset, perf_reset);
	}
	on_each_cpu_mask(&arm_pmu->supported_cpus, end_here, &counters, true);
	unnote_offline(counters);
}

/**
 * armv8_perf_find() - find the arm_pmu of the first of armv8_cpus, which are
 * then restricted to those that have the same
 * @name: its name
 *
 * A raw event belongs to the PMU of the CPU itself, so perf tells which one that
 * is; the event never counts.  An arm_pmu is never freed (its driver is built
 * in and cannot be unbound).
 */
int armv8_perf_find(const char **name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = EVENT_CPU_CYCLES,
		.pinned = 1,
		.disabled = 1,
	};
	struct perf_event *event;
	unsigned int cpu;

	cpu = cpumask_first_and(&armv8_cpus, cpu_online_mask);
	if (cpu >= nr_cpu_ids)
		return -ENODEV;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? -ENODEV : PTR_ERR(event);
	arm_pmu = to_arm_pmu(event->pmu);
	perf_event_release_kernel(event);

	cpumask_and(&armv8_cpus, &armv8_cpus, &arm_pmu->supported_cpus);
	*name = arm_pmu->name;
	return 0;
}

int armv8_perf_init(void)
{
	return cpu_pm_register_notifier(&power_notifier);
}

void armv8_perf_exit(void)
{
	cpu_pm_unregister_notifier(&power_notifier);
	synchronize_rcu(); /* the notifiers are called inside RCU */
}
