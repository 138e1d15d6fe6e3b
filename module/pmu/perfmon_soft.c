// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "soft": counters made by software, for machines without a usable PMU, and for
 * testing the core on such machines.
 *
 * Each CPU has simulated hardware: PMCs, counters of counter_width bits and a word of latched
 * overflows.  The source of a counter is a number that the kernel keeps anyway and that only grows:
 * a clock, or a field of the thread.  For each running counter, we store the value that its source
 * had at the last update.  An update adds to the counter the amount by which the source has grown
 * since then.  If this makes the counter wrap, the update latches the wrap.  Updates happen
 *
 *  - in stop(), which the core calls at every context switch.  No timer is set for counters of
 *    context switches and migrations, so stop() finds their overflows;
 *  - in read(), so that the values and the overflows that read() returns agree;
 *  - in the callback of a timer, which acts as the overflow interrupt: start() sets the timer to
 *    the earliest time at which one of the interrupting counters can wrap.
 *
 * A source has 64 bits, so no counts are lost between two updates.  But if a counter wraps several
 * times between two updates, only one of these wraps is latched, as in hardware.  With 64-bit
 * counters, centuries pass between two wraps.  With 16-bit counters, wraps are lost if
 *
 *  - interrupts are off for longer than 65 us, in which a counter of nanoseconds wraps once;
 *  - 65536 faults happen between two updates (for counters that interrupt, the timer prevents
 *    this);
 *  - a waiting thread, whose counters are not updated, migrates 65536 times.
 *
 * A counter of context switches never loses a wrap, because there is an update at each switch.
 *
 * The operations and the timer run on the CPU whose data they use, with interrupts off, never
 * in an NMI.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <asm/irq_regs.h>
#if defined(CONFIG_X86)
#include <asm/tsc.h>
#elif defined(CONFIG_ARM64)
#include <asm/arch_timer.h>
#elif defined(CONFIG_PPC)
#include <asm/time.h>
#endif
#include "compat/hrtimer.h"
#include "perfmon_pmu.h"
#include <perfmon/perfmon_soft.h>

#define SOFT_LARGEST_STEP_BACK (1ull << 30) /* ns, or ticks of the time counter */

/*
 * The timer never expires earlier than SOFT_MINIMUM_NS after a start, so that the thread makes
 * progress even if a counter wraps all the time.  perf's software clocks use the same minimum.
 */
#define SOFT_MINIMUM_NS	       10000

/*
 * A page fault takes at least SOFT_FAULT_NS on any CPU, so the number of faults until the wrap
 * gives a lower bound of the time until the wrap.  But the timer waits for at least
 * SOFT_FAULT_LOOK_NS, so the interrupt may be up to SOFT_FAULT_LOOK_NS late.  With these two values
 * no wrap of a 16-bit counter is missed (65536 faults take at least 4 ms).
 */
#define SOFT_FAULT_NS	       64
#define SOFT_FAULT_LOOK_NS     1000000

/*
 * The timer is not set for a wrap that is SOFT_FAR or more counts ahead.  Even the fastest source
 * takes half a day to count that far, and stop() finds the wrap at the next switch.  For fewer
 * counts, the conversion to ns cannot overflow.
 */
#define SOFT_FAR	       BIT_ULL(48)
#define SOFT_NEVER	       U64_MAX

/* ns per tick of the time counter, times 2^SOFT_TICK_SHIFT */
#define SOFT_TICK_SHIFT	       20
static u32 soft_ns_per_tick;

static unsigned int counter_width = 64;
module_param(counter_width, uint, 0444);
MODULE_PARM_DESC(counter_width, "width of a counter in bits, 16 to 64 (default: 64)");

static u64 soft_mask;
static struct pfm_pmu soft_pmu;

/**
 * struct soft_cpu - the simulated hardware of one CPU
 * @timer: its callback acts as the overflow interrupt
 * @running: registers of the set that counts; NULL when halted
 * @active: the counters that run
 * @overflows: latched wraps
 * @event: the event of each counter, PFM_SOFT_*
 * @value: the counters, of counter_width bits
 * @source: value of the source at the last update of @value; valid while the counter runs
 */
struct soft_cpu {
	struct hrtimer timer;
	struct pfm_registers *running;
	u64 active;
	u64 overflows;
	u8 event[PFM_SOFT_COUNTERS];
	u64 value[PFM_SOFT_COUNTERS];
	u64 source[PFM_SOFT_COUNTERS];
};

static DEFINE_PER_CPU(struct soft_cpu, soft_cpus);

static u64 soft_source(const struct task_struct *task, unsigned int event)
{
	switch (event) {
	case PFM_SOFT_TASK_CLOCK:
		return ktime_get_mono_fast_ns();
	case PFM_SOFT_TIME_COUNTER:
		return get_cycles();
	}
	if (!task)
		return 0;
	switch (event) {
	case PFM_SOFT_CONTEXT_SWITCHES:
		/* __schedule() counts the switch before the probe of sched_switch runs. */
		return (u64)task->nvcsw + task->nivcsw;
	case PFM_SOFT_CPU_MIGRATIONS:
		return task->se.nr_migrations;
	case PFM_SOFT_MINOR_FAULTS:
		return task->min_flt;
	case PFM_SOFT_MAJOR_FAULTS:
		return task->maj_flt;
	}
	return 0;
}

static void soft_update(struct soft_cpu *cpu, unsigned int n)
{
	u64 source = soft_source(cpu->running->task, cpu->event[n]);
	u64 counts = source - cpu->source[n];

	/*
	 * The clock ktime_get_mono_fast_ns() may step back a little while the timekeeper is
	 * updated: count nothing until the clock has caught up.  A TSC may restart at resume:
	 * continue from its new value.
	 */
	if ((s64)counts <= 0 && -counts < SOFT_LARGEST_STEP_BACK)
		return;
	cpu->source[n] = source;
	if ((s64)counts < 0)
		return;
	if (counts > soft_mask - cpu->value[n])
		cpu->overflows |= BIT_ULL(n);
	cpu->value[n] = (cpu->value[n] + counts) & soft_mask;
}

/*
 * Halt the counters.  For each counter, store its event and the value of its source in the set.
 * The event is stored because the user may select another event before the set starts again.
 */
static void soft_halt(struct soft_cpu *cpu)
{
	struct pfm_registers *registers = cpu->running;
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, cpu->active) {
		soft_update(cpu, n);
		registers->state[n] = cpu->source[n] << 8 | cpu->event[n];
	}
	cpu->active = 0;
	cpu->running = NULL;
}

/* Return: a lower bound of the time until counter @n wraps, in ns. */
static u64 soft_distance(const struct soft_cpu *cpu, unsigned int n)
{
	u64 left = soft_mask - cpu->value[n];

	if (left >= SOFT_FAR)
		return SOFT_NEVER;
	left++;
	switch (cpu->event[n]) {
	case PFM_SOFT_TASK_CLOCK:
		return left;
	case PFM_SOFT_TIME_COUNTER:
		return mul_u64_u32_shr(left, soft_ns_per_tick, SOFT_TICK_SHIFT);
	case PFM_SOFT_MINOR_FAULTS:
	case PFM_SOFT_MAJOR_FAULTS:
		return max_t(u64, left * SOFT_FAULT_NS, SOFT_FAULT_LOOK_NS);
	}
	return SOFT_NEVER;
}

/*
 * Set the timer.  This is allowed while a run queue is locked: the start of a pinned hard timer of
 * this CPU does not wake a thread.
 */
static void soft_arm(struct soft_cpu *cpu)
{
	u64 interrupting = cpu->running->interrupting;
	u64 distance = SOFT_NEVER, rest;
	unsigned int n;

	pfm_for_each_bit(n, rest, cpu->active & interrupting)
		distance = min(distance, soft_distance(cpu, n));
	/* If an overflow was not acknowledged, the timer expires again as soon as possible. */
	if (cpu->overflows & interrupting)
		distance = 0;
	if (distance == SOFT_NEVER)
		return;
	distance = max_t(u64, distance, SOFT_MINIMUM_NS);
	hrtimer_start(&cpu->timer, ns_to_ktime(distance), HRTIMER_MODE_REL_PINNED_HARD);
}

static void soft_run(struct soft_cpu *cpu, struct pfm_registers *registers)
{
	unsigned int n;
	u64 rest;

	/* A counter whose PMC is not in use counts nothing. */
	cpu->active = registers->counters & registers->used_pmcs[0];
	cpu->running = registers;
	pfm_for_each_bit(n, rest, cpu->active) {
		u64 before = registers->state[n];
		u8 event = cpu->event[n];

		/*
		 * A field of the thread may have grown while the thread was switched out: count
		 * this growth.
		 */
		if (registers->resumed && (u8)before == event &&
		    event >= PFM_SOFT_CONTEXT_SWITCHES)
			cpu->source[n] = before >> 8;
		else
			cpu->source[n] = soft_source(registers->task, event);
	}
	if (registers->interrupting)
		soft_arm(cpu);
}

/*
 * The overflow interrupt.  The timer may expire too early: the conversion to ns is rough, and for
 * faults the time is only a lower bound.
 *
 * While this callback runs, only pfm_overflow() stops this CPU's counters.  All other calls of
 * stop() run on the same CPU with interrupts off, so they never run during the callback.  They
 * cancel the timer, so the callback does not run after the stop, either.  When a CPU goes offline,
 * its timer is not queued, because the counters have been stopped.  Even if a queued timer were
 * moved to another CPU, its callback would do nothing there.
 */
static enum hrtimer_restart soft_interrupt(struct hrtimer *timer)
{
	struct soft_cpu *cpu = container_of(timer, struct soft_cpu, timer);
	struct pfm_registers *registers = cpu->running;
	unsigned int n;
	u64 rest;

	if (!registers || cpu != this_cpu_ptr(&soft_cpus))
		return HRTIMER_NORESTART;
	pfm_for_each_bit(n, rest, cpu->active)
		soft_update(cpu, n);
	if (!(cpu->overflows & registers->interrupting)) {
		soft_arm(cpu);
		return HRTIMER_NORESTART;
	}
	soft_halt(cpu);
	registers = pfm_overflow(&soft_pmu, get_irq_regs(), NULL).next;
	if (registers)
		soft_run(cpu, registers);
	return HRTIMER_NORESTART; /* soft_run() sets the timer if necessary */
}

static bool soft_check_pmc(unsigned int n, u64 *value)
{
	return *value <= PFM_SOFT_MAJOR_FAULTS;
}

static bool soft_counts_threads(unsigned int n, u64 value)
{
	return value >= PFM_SOFT_CONTEXT_SWITCHES;
}

static void soft_write_pmcs(const struct pfm_registers *registers,
			    const struct pfm_registers *programmed)
{
	struct soft_cpu *cpu = this_cpu_ptr(&soft_cpus);
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, registers->used_pmcs[0])
		cpu->event[n] = registers->pmcs[n];
}

static void soft_write_pmds(struct pfm_registers *registers, u64 pmds)
{
	struct soft_cpu *cpu = this_cpu_ptr(&soft_cpus);
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, pmds)
		cpu->value[n] = registers->pmds[n] & soft_mask;
}

static void soft_start(struct pfm_registers *registers)
{
	soft_run(this_cpu_ptr(&soft_cpus), registers);
}

static u64 soft_overflows(const struct pfm_registers *registers)
{
	return this_cpu_ptr(&soft_cpus)->overflows & registers->counters;
}

static u64 soft_read(struct pfm_registers *registers, u64 *values)
{
	struct soft_cpu *cpu = this_cpu_ptr(&soft_cpus);
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, cpu->active)
		soft_update(cpu, n);
	pfm_for_each_bit(n, rest, registers->used_pmds[0])
		values[n] = pfm_pmd_merge(registers->pmds[n], cpu->value[n], soft_mask);
	return soft_overflows(registers);
}

static u64 soft_stop(struct pfm_registers *registers)
{
	struct soft_cpu *cpu = this_cpu_ptr(&soft_cpus);

	if (cpu->running) {
		soft_halt(cpu);
		if (hrtimer_is_queued(&cpu->timer))
			hrtimer_try_to_cancel(&cpu->timer);
	}
	return soft_read(registers, registers->pmds);
}

static void soft_acknowledge(struct pfm_registers *registers, u64 counters)
{
	this_cpu_ptr(&soft_cpus)->overflows &= ~counters;
}

static const struct pfm_pmu_operations soft_operations = {
	.check_pmc = soft_check_pmc,
	.counts_threads = soft_counts_threads,
	.write_pmcs = soft_write_pmcs,
	.write_pmds = soft_write_pmds,
	.start = soft_start,
	.stop = soft_stop,
	.read = soft_read,
	.overflows = soft_overflows,
	.acknowledge = soft_acknowledge,
};

#define SOFT_PMC(n)                                                                      \
	{                                                                                \
		.name = "SELECT" #n, .address = (n), .type = PFM_REG_NO_LEVELS,          \
		.counters = BIT_ULL(n)                                                   \
	}
#define SOFT_PMD(n)                                                                      \
	{                                                                                \
		.name = "COUNTER" #n, .address = (n), .type = PFM_REG_COUNTER            \
	}

static const struct pfm_register soft_pmcs[PFM_SOFT_COUNTERS] = {
	SOFT_PMC(0), SOFT_PMC(1), SOFT_PMC(2), SOFT_PMC(3),
	SOFT_PMC(4), SOFT_PMC(5), SOFT_PMC(6), SOFT_PMC(7),
};

/* soft_init() sets .width to counter_width */
static struct pfm_register soft_pmds[PFM_SOFT_COUNTERS] = {
	SOFT_PMD(0), SOFT_PMD(1), SOFT_PMD(2), SOFT_PMD(3),
	SOFT_PMD(4), SOFT_PMD(5), SOFT_PMD(6), SOFT_PMD(7),
};

static struct pfm_pmu soft_pmu = {
	.interface = PFM_PMU_INTERFACE,
	.name = "soft",
	.model = "software counters",
	.rank = PFM_RANK_SOFTWARE,
	.operations = &soft_operations,
	.pmcs = soft_pmcs,
	.pmds = soft_pmds,
	.pmc_count = PFM_SOFT_COUNTERS,
	.pmd_count = PFM_SOFT_COUNTERS,
};

/* Return: the rate of get_cycles(), in ticks per second. */
static u64 soft_tick_rate(void)
{
#if defined(CONFIG_X86)
	return tsc_khz * 1000ull;
#elif defined(CONFIG_ARM64)
	return arch_timer_get_cntfrq();
#elif defined(CONFIG_PPC)
	return tb_ticks_per_sec;
#endif
}

static int __init soft_init(void)
{
	unsigned int n;
	int cpu;

	if (counter_width < 16 || counter_width > 64) {
		pr_err("perfmon_soft: counter_width must be 16 to 64, not %u\n",
		       counter_width);
		return -EINVAL;
	}
	soft_mask = pfm_width_mask(counter_width);
	for (n = 0; n < PFM_SOFT_COUNTERS; n++)
		soft_pmds[n].width = counter_width;
	/* Every machine's time counter runs at 1 MHz or faster, so the result fits into 32 bits. */
	soft_ns_per_tick = div64_u64((u64)NSEC_PER_SEC << SOFT_TICK_SHIFT,
				     max_t(u64, soft_tick_rate(), 1000000));
	for_each_possible_cpu(cpu)
		hrtimer_setup(&per_cpu(soft_cpus, cpu).timer, soft_interrupt,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);

	return pfm_pmu_register(&soft_pmu);
}

static void __exit soft_exit(void)
{
	int cpu;

	pfm_pmu_unregister(&soft_pmu);
	/* No timer is queued any more, but a callback may still be running. */
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu(soft_cpus, cpu).timer);
}

module_init(soft_init);
module_exit(soft_exit);

MODULE_ALIAS(PFM_PMU_ALIAS("fallback"));
MODULE_DESCRIPTION("perfmon: PMU description of counters made by software");
MODULE_LICENSE("GPL");
