// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "amd_ibs": AMD's instruction based sampling (IBS).  The register map is
 * perfmon_amd.h.
 *
 * One unit samples fetches, and one unit samples ops.  A unit counts its events up to a maximum,
 * takes a sample and stops.  It then sets the valid bit of its control register and raises an NMI.
 * The maximum is a field of the control register.  We set the maximum to the number of events until
 * the PMD overflows (rounded up, see run_unit()).  A PMD has 64 bits, so this number may not fit
 * into the field.  Then we set the maximum to the largest number that the field can hold.
 *
 * The manuals are the AMD64 Architecture Programmer's Manual, volume 2, section "Instruction-Based
 * Sampling", and the BIOS and Kernel Developer's Guide (BKDG) of family 10h.
 *
 * perf's driver owns the hardware.  So each unit is held by a *placeholder*: a pinned perf event of
 * the CPU.  perf gives a unit to only one event at a time, so nobody else gets the unit.  We write
 * the registers ourselves.  For each NMI the kernel calls all NMI handlers.  Our first handler is
 * called before perf's.  It must not leave a sample to perf, because perf would take the sample
 * and begin a new period.  So it halts the units, and they stay halted until our second handler is
 * called, after perf's.
 *
 * perf treats a placeholder as an event that counts all the time, and uses the fields config,
 * sample_period, period_left and prev_count of a placeholder.  These fields always agree with the
 * registers, so perf can stop and restart a placeholder at any time, and the count goes on.  A unit
 * that we do not use is halted.  perf may start it again, which does no harm, because nobody gets
 * its samples.
 */
#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>

#include "amd_ibs.h"
#include "amd_ibs_control.h"
#include "compat/cpuid.h"
#include "x86.h"
#include <perfmon/perfmon_amd.h>

/*
 * When we halt a unit, we may find a sample whose NMI has not come yet.  This is the maximum number
 * of ticks until the NMI comes.  On real hardware it comes within a microsecond, but a virtual CPU
 * may have to wait longer.
 */
#define LATE_TICKS    (HZ / 10)

/*
 * The smallest maximum of each unit.  IbsOpMaxCnt, a field of the op unit's control register, holds
 * the maximum divided by 16.  The values 0 to 8 of this field are reserved (BKDG of family 10h).
 */
#define LEAST_OPS     0x90
#define LEAST_FETCHES 0x10

#define LEVELS	      (PFM_AMD_IBS_USER | PFM_AMD_IBS_KERNEL)

DEFINE_PER_CPU(struct ibs_cpu, ibs_cpus);

u32 amd_ibs_caps __ro_after_init;
static struct pfm_pmu ibs;

static unsigned int pmc_of(unsigned int n)
{
	return n == PFM_AMD_IBS_FETCH ? PFM_AMD_IBS_PMC_FETCH : PFM_AMD_IBS_PMC_OP;
}

static u64 levels_of(const struct pfm_registers *registers, unsigned int n)
{
	return registers->pmcs[pmc_of(n)] & LEVELS;
}

/*
 * The units cannot count at one level only.  If a PMC selects only one level, the user gets only
 * the samples of that level, and the PMD must not reveal how many events occurred at the other
 * level.  So the PMD does not change until a sample ends the period.  Until then, the events of the
 * period are counted in registers->state.
 */
static bool is_filtered(const struct pfm_registers *registers, unsigned int n)
{
	return levels_of(registers, n) != LEVELS;
}

/* Return: the value of PMD @n, including the count in registers->state. */
static u64 value_of(const struct pfm_registers *registers, unsigned int n)
{
	return registers->pmds[n] + registers->state[n];
}

static void note(struct perf_event *event, u64 config, u64 period, s64 left, u64 count)
{
	event->hw.config = config;
	event->hw.sample_period = period;
	local64_set(&event->hw.period_left, left);
	local64_set(&event->hw.prev_count, count);
}

/* Halt a unit, and make the fields of its placeholder agree with the registers.  Interrupts off. */
void amd_ibs_park(struct perf_event *event, enum unit unit)
{
	halt_unit(unit);
	note(event, 0, IBS_MOST_BASIC, IBS_MOST_LEFT, 0);
}

/* ---- start and halt ----------------------------------------------------------------------- */

/*
 * Start the unit of PMD @n for the rest of the period.  The maximum of the unit must be a multiple
 * of 16, so it may be larger than the number of events that remain.  If the count of the unit can
 * start above 0, it starts at the difference between these two numbers.  If the count can only
 * start at 0, the difference is the number of events by which the sample is late.
 */
static void run_unit(struct ibs_cpu *cpu, struct pfm_registers *registers, unsigned int n)
{
	const enum unit unit = unit_of(n);
	struct perf_event *event = cpu->placeholders[unit];
	const u64 config = registers->pmcs[pmc_of(n)] & ~LEVELS;
	const s64 left = -value_of(registers, n);
	u64 next, most, count = 0;

	if (!levels_of(registers, n))
		return;
	cpu->left[unit] = left > 0 && left < IBS_MOST_LEFT ? left : IBS_MOST_LEFT;
	next = min_t(u64, cpu->left[unit], most_of(unit));
	most = max_t(u64, round_up(next, 16), unit == OP ? LEAST_OPS : LEAST_FETCHES);
	if (unit == OP && amd_ibs_caps & IBS_CAPS_RDWROPCNT)
		count = most - next;
	cpu->running |= BIT_ULL(n);
	note(event, config, most, cpu->left[unit], count);
	x86_write(control_of(unit), counting(unit, config, count, most));
}

static void run(struct ibs_cpu *cpu, struct pfm_registers *registers)
{
	unsigned int n;
	u64 rest;

	cpu->loaded = registers;
	pfm_for_each_bit(n, rest, registers->counters & IBS_COUNTERS)
		run_unit(cpu, registers, n);
}

/* Return: the number of events that a running unit must still count until its PMD overflows. */
static s64 left_of(const struct ibs_cpu *cpu, enum unit unit, u64 control)
{
	const struct perf_event *event = cpu->placeholders[unit];

	return local64_read(&event->hw.period_left) -
	       (s64)(counted(unit, control) - local64_read(&event->hw.prev_count));
}

/*
 * The core does not see the samples that take_sample() drops, so the core's throttling does not
 * limit them.  A CPU may drop up to MOST_DROPS samples in a tick.  If it drops another sample in
 * the same tick, the next period has at least LONG_PERIOD events.
 */
#define MOST_DROPS  100
#define LONG_PERIOD 20000

static bool drops_too_many(struct ibs_cpu *cpu)
{
	const unsigned long now = jiffies;

	if (cpu->drop_tick != now) {
		cpu->drop_tick = now;
		cpu->drops = 0;
	}
	return ++cpu->drops > MOST_DROPS;
}

/* Return: the value that registers->state[@n] gets after a dropped sample. */
static u64 state_after_drop(struct ibs_cpu *cpu, const struct pfm_registers *registers,
			    unsigned int n)
{
	const s64 period = -registers->pmds[n];

	if (likely(!drops_too_many(cpu)) || period <= 0 || period >= LONG_PERIOD)
		return 0;
	return period - LONG_PERIOD;
}

/*
 * Handle a sample of PMD @n.  The hardware does not distinguish user and kernel level.  So a
 * sample at a level that the PMC does not select is dropped here, and the same period begins
 * again.
 */
static void take_sample(struct ibs_cpu *cpu, struct pfm_registers *registers,
			unsigned int n, const struct pt_regs *regs,
			struct pfm_hardware_sample *noted)
{
	const enum unit unit = unit_of(n);
	bool is_kernel;
	u64 ip;

	amd_ibs_collect(cpu, unit);
	ip = amd_ibs_instruction(cpu, unit);
	is_kernel = ip ? amd_ibs_is_of_kernel(ip)
		       : !regs || !user_mode((struct pt_regs *)regs);
	if (levels_of(registers, n) &
	    (is_kernel ? PFM_AMD_IBS_KERNEL : PFM_AMD_IBS_USER)) {
		*noted = (struct pfm_hardware_sample){
			.counters = BIT_ULL(n),
			.ip = ip,
			.is_kernel = is_kernel,
		};
		cpu->pending |= BIT_ULL(n);
		registers->pmds[n] = value_of(registers, n);
		registers->state[n] = 0;
	} else {
		amd_ibs_drop(cpu, unit);
		registers->state[n] = state_after_drop(cpu, registers, n);
	}
}

/*
 * Save the value of PMD @n; the caller halts its unit afterwards.  If the unit has a sample,
 * *@samples is incremented.
 * Return: whether the sample ends the period.
 */
static bool save_unit(struct ibs_cpu *cpu, struct pfm_registers *registers,
		      unsigned int n, unsigned int *samples)
{
	const enum unit unit = unit_of(n);
	const u64 control = read_control(cpu, unit);
	const bool is_sample = has_sample(unit, control);
	s64 left = left_of(cpu, unit, control);

	*samples += is_sample;
	/*
	 * A period ends only when its sample is taken.  If the unit was halted after it reached
	 * the maximum and before it took the sample, we let one event of the period remain.
	 */
	if (left <= 0 && !is_sample)
		left = 1;
	if (is_filtered(registers, n))
		registers->state[n] += cpu->left[unit] - left;
	else
		registers->pmds[n] += cpu->left[unit] - left;
	return is_sample && left <= 0;
}

/*
 * Expect an NMI whose sample has already been found, or was lost when the unit was halted.  If a
 * unit is halted outside of an NMI, such an NMI may come immediately.  So the caller calls this
 * function before the halt.  The handler of such an NMI may clear @expects_late, so the caller
 * calls this function again after the halt.
 */
void amd_ibs_expect_late(struct ibs_cpu *cpu)
{
	cpu->late_until = jiffies + LATE_TICKS;
	cpu->expects_late = true;
}

/*
 * Halt the units of the loaded set and save their values.
 * @noted: gets the samples; has UNITS + 1 elements, which the caller has set to zero
 */
static void save(struct ibs_cpu *cpu, const struct pt_regs *regs,
		 struct pfm_hardware_sample *noted)
{
	struct pfm_registers *registers = cpu->loaded;
	unsigned int n, samples = 0;
	u64 rest;

	if (!in_nmi())
		amd_ibs_expect_late(cpu);
	cpu->sequence++;
	memset(cpu->data, 0, sizeof(cpu->data));
	pfm_for_each_bit(n, rest, cpu->running) {
		if (save_unit(cpu, registers, n, &samples)) {
			take_sample(cpu, registers, n, regs, noted);
			if (noted->counters)
				noted++;
		}
		amd_ibs_park(cpu->placeholders[unit_of(n)], unit_of(n));
		WRITE_ONCE(cpu->kept[unit_of(n)], 0);
	}
	cpu->running = 0;
	/*
	 * If both units raise an NMI, the handler of the first NMI takes both samples, and the
	 * handler of the second NMI does not find a sample.
	 */
	if (!in_nmi() || samples == UNITS)
		amd_ibs_expect_late(cpu);
}

/*
 * Handle samples.
 * Return: the set that counts next, whose units do not run yet; NULL if no set counts next.
 */
static struct pfm_registers *handle_samples(struct ibs_cpu *cpu, struct pt_regs *regs)
{
	struct pfm_hardware_sample noted[UNITS + 1] = {};
	struct pfm_registers *loaded = cpu->loaded;

	save(cpu, regs, noted);
	/*
	 * If pfm_running_registers() no longer returns the loaded set, the core is about to call
	 * stop().  stop() will return the overflows, so they are not reported here.
	 */
	if (pfm_running_registers(&ibs) != loaded)
		return NULL;
	return cpu->pending ? pfm_overflow(&ibs, regs, noted).next : loaded;
}

/* ---- the interrupt ------------------------------------------------------------------------ */

static bool is_late(struct ibs_cpu *cpu)
{
	if (!cpu->expects_late)
		return false;
	cpu->expects_late = false;
	return !time_after(jiffies, cpu->late_until);
}

static bool any_sample(const struct ibs_cpu *cpu)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, cpu->running)
		if (has_sample(unit_of(n), x86_read_msr(control_of(unit_of(n)))))
			return true;
	return false;
}

/* Halt the units of a set whose registers are being written, and keep their samples. */
static void keep_units(struct ibs_cpu *cpu)
{
	unsigned int n, samples = 0;
	enum unit unit;
	u64 rest;

	pfm_for_each_bit(n, rest, cpu->running) {
		unit = unit_of(n);
		cpu->kept[unit] = read_control(cpu, unit);
		samples += has_sample(unit, cpu->kept[unit]);
		halt_unit(unit);
	}
	if (samples == UNITS)
		amd_ibs_expect_late(cpu);
	cpu->missed = true;
}

/*
 * Our first handler: halts the units and handles their samples.  If registers are being written, it
 * only keeps the samples.  The kernel calls this handler for every NMI of the CPU, whichever device
 * raised the NMI.  Even if another device raised it, no unit may take a sample until perf's handler
 * has returned.
 */
int amd_ibs_nmi(unsigned int type, struct pt_regs *regs)
{
	struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);
	const bool is_ours = any_sample(cpu) || is_late(cpu);

	if (cpu->is_changing)
		keep_units(cpu);
	else if (cpu->running)
		cpu->next = handle_samples(cpu, regs);
	return is_ours ? NMI_HANDLED : NMI_DONE;
}

/* Our second handler, called for the same NMI after perf's handler: starts the units again. */
int amd_ibs_nmi_end(unsigned int type, struct pt_regs *regs)
{
	struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);
	struct pfm_registers *next = cpu->next;

	cpu->next = NULL;
	if (next)
		run(cpu, next);
	return NMI_DONE;
}

static void set_changing(struct ibs_cpu *cpu, bool is_changing)
{
	barrier();
	WRITE_ONCE(cpu->is_changing, is_changing);
	barrier();
}

/* ---- operations --------------------------------------------------------------------------- */

static bool ibs_can_count(const struct pfm_registers *registers)
{
	const struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);
	const struct perf_event *event;
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, registers->counters & IBS_COUNTERS) {
		event = cpu->placeholders[unit_of(n)];
		if (!event || event->state != PERF_EVENT_STATE_ACTIVE)
			return false;
	}
	return true;
}

/* Does nothing, because start() writes the control registers. */
static void ibs_write_pmcs(const struct pfm_registers *registers,
			   const struct pfm_registers *programmed)
{
}

/* A new value of a PMD begins a new period. */
static void ibs_write_pmds(struct pfm_registers *registers, u64 pmds)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, registers->changed & IBS_COUNTERS)
		registers->state[n] = 0;
	registers->changed = 0;
}

/*
 * A unit may take a sample before the other unit is started.  The NMI handler only keeps this
 * sample, and this function handles it.  For such a sample, the core gets the CPU registers with
 * which the thread entered the kernel.
 */
static void ibs_start(struct pfm_registers *registers)
{
	struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);

	do {
		set_changing(cpu, true);
		cpu->missed = false;
		run(cpu, registers);
		set_changing(cpu, false);
		if (likely(!READ_ONCE(cpu->missed)))
			return;
		set_changing(cpu, true);
		registers = handle_samples(cpu, task_pt_regs(registers->task ?: current));
	} while (registers);
	set_changing(cpu, false);
}

static u64 ibs_read(struct pfm_registers *registers, u64 *values)
{
	struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);
	unsigned int n, sequence;
	s64 left, started;
	u64 rest, value;

	pfm_for_each_bit(n, rest, registers->counters & IBS_COUNTERS) {
		do {
			sequence = READ_ONCE(cpu->sequence);
			barrier();
			value = registers->pmds[n];
			if (cpu->loaded == registers && cpu->running & BIT_ULL(n) &&
			    !is_filtered(registers, n)) {
				started = cpu->left[unit_of(n)];
				left = left_of(cpu, unit_of(n),
					       x86_read_msr(control_of(unit_of(n))));
				value += started - max(left, 1ll);
			}
			barrier();
		} while (sequence != READ_ONCE(cpu->sequence));
		values[n] = value;
	}
	return cpu->loaded == registers ? cpu->pending : 0;
}

/* pfm_overflow() may call this function; the units are then halted already. */
static u64 ibs_stop(struct pfm_registers *registers)
{
	struct pfm_hardware_sample unused[UNITS + 1] = {};
	struct ibs_cpu *cpu = this_cpu_ptr(&ibs_cpus);
	const bool was_changing = cpu->is_changing;
	u64 overflows = 0;

	set_changing(cpu, true);
	if (cpu->loaded == registers) {
		if (cpu->running)
			save(cpu, NULL, unused);
		overflows = cpu->pending;
		cpu->pending = 0;
		cpu->missed = false;
		cpu->loaded = NULL;
	}
	set_changing(cpu, was_changing);
	return overflows;
}

static u64 ibs_overflows(const struct pfm_registers *registers)
{
	return this_cpu_read(ibs_cpus.pending);
}

static void ibs_acknowledge(struct pfm_registers *registers, u64 counters)
{
	this_cpu_and(ibs_cpus.pending, ~counters);
}

static const struct pfm_pmu_operations operations = {
	.claim = amd_ibs_claim,
	.release = amd_ibs_release,
	.can_count = ibs_can_count,
	.write_pmcs = ibs_write_pmcs,
	.write_pmds = ibs_write_pmds,
	.start = ibs_start,
	.stop = ibs_stop,
	.read = ibs_read,
	.sample = amd_ibs_sample,
	.overflows = ibs_overflows,
	.acknowledge = ibs_acknowledge,
};

/* ---- the description ---------------------------------------------------------------------- */

static struct pfm_register pmcs[PFM_AMD_IBS_PMC_OP + 1] __ro_after_init = {
	[PFM_AMD_IBS_PMC_FETCH] = {
		.name = "IBS_FETCH_CTL",
		.reserved = ~(LEVELS | PFM_AMD_IBS_RANDOM),
		.user_clear = PFM_AMD_IBS_KERNEL,
		.address = MSR_AMD64_IBSFETCHCTL,
		.counters = BIT_ULL(PFM_AMD_IBS_FETCH),
	},
	[PFM_AMD_IBS_PMC_OP] = {
		.name = "IBS_OP_CTL",
		.reserved = ~(LEVELS | PFM_AMD_IBS_COUNT_OPS),
		.user_clear = PFM_AMD_IBS_KERNEL,
		.address = MSR_AMD64_IBSOPCTL,
		.counters = BIT_ULL(PFM_AMD_IBS_OP),
	},
};

static struct pfm_register pmds[PFM_AMD_IBS_REGISTERS] __ro_after_init = {
	[PFM_AMD_IBS_FETCH] = {
		.name = "IBS_FETCHES",
		.type = PFM_REG_COUNTER,
		.width = 64,
		.address = MSR_AMD64_IBSFETCHCTL,
	},
	[PFM_AMD_IBS_OP] = {
		.name = "IBS_OPS",
		.type = PFM_REG_COUNTER,
		.width = 64,
		.address = MSR_AMD64_IBSOPCTL,
	},
};

static struct pfm_pmu ibs = {
	.interface = PFM_PMU_INTERFACE,
	.name = "amd_ibs",
	.operations = &operations,
	.pmcs = pmcs,
	.pmds = pmds,
	.pmc_count = ARRAY_SIZE(pmcs),
	.pmd_count = ARRAY_SIZE(pmds),
	.rank = PFM_RANK_HARDWARE + 1, /* so that "amd" is the default PMU */
};

static u32 __init find_caps(void)
{
	const bool has_leaf = cpuid_eax(0x80000000) >= IBS_CPUID_FEATURES;
	const u32 found = has_leaf ? cpuid_eax(IBS_CPUID_FEATURES) : 0;

	return found & IBS_CAPS_AVAIL ? found : IBS_CAPS_DEFAULT;
}

static bool is_registered;

int __init amd_ibs_register(void)
{
	int error;

	if (!boot_cpu_has(X86_FEATURE_IBS) || !amd_ibs_find_units())
		return 0;
	amd_ibs_caps = find_caps();
	if (!(amd_ibs_caps & IBS_CAPS_OPCNT))
		pmcs[PFM_AMD_IBS_PMC_OP].reserved |= PFM_AMD_IBS_COUNT_OPS;
	amd_ibs_describe_data(pmds);
	ibs.model = boot_cpu_data.x86_model_id;
	ibs.id = cpuid_eax(1);
	error = pfm_pmu_register(&ibs);
	is_registered = !error;
	return error;
}

void amd_ibs_unregister(void)
{
	if (is_registered)
		pfm_pmu_unregister(&ibs);
}
