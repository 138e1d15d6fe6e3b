// SPDX-License-Identifier: GPL-2.0-only
/*
 * The code that the PMU descriptions of x86 processors share: it moves values between registers
 * and memory.
 *
 * The highest bit of a counter is its overflow flag.  Each write of the counter sets the flag, and
 * a wrap clears it.  So one RDPMC reads both the value and the flag, and the two always agree.  No
 * status register is needed.
 *
 * Processors with a global control register start and stop all counters with one write.  On other
 * processors the event selects have enable bits, which start() and stop() write one by one.
 */
#include <asm/cpufeature.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "compat/cpuid.h"
#include "perf_pmus.h"
#include "perfmon_pmu.h"
#include "x86.h"

struct x86_pmu *x86;
DEFINE_STATIC_KEY_FALSE(x86_has_branches);

static char *ownership = "auto";
module_param(ownership, charp, 0444);
MODULE_PARM_DESC(ownership,
		 "exclusive: perf cannot count while we do; shared: both can, which "
		 "costs more; auto (default): shared if perf or the NMI watchdog has a "
		 "counter when the module is loaded, else exclusive");

static bool is_shared;

/* Whether perf reserves the counters, so that perf and perfmon can exclude each other. */
static bool perf_reserves;

/* Words of pfm_registers.config. */
enum {
	RUNNING_GLOBAL,
	RUNNING_FIXED,
	RUNNING_ARMED,
	RUNNING_PEBS
};

/* The bits of @counters in the global registers.  Those of fixed counters begin at bit 32. */
static u64 global_bits(u64 counters)
{
	return (counters & X86_GENERAL_MASK) | (counters & X86_FIXED_MASK)
						       << (32 - X86_FIXED);
}

/*
 * Return: the value of the fixed counters' control register while the set counts.  The fields of
 * fixed counters that the set does not use are 0, so these counters do not count.
 */
static u64 running_fixed(const struct pfm_registers *registers)
{
	const u64 asked = registers->pmcs[X86_FIXED];
	u64 running = 0, rest, field;
	unsigned int n;

	pfm_for_each_bit(n, rest, registers->counters & X86_FIXED_MASK) {
		field = asked >> X86_FIXED_SHIFT(n) & X86_FIXED_LEVELS;
		if (registers->interrupting & BIT(n))
			field |= X86_FIXED_INT;
		running |= field << X86_FIXED_SHIFT(n);
	}
	return running;
}

static void configure_pebs(struct pfm_registers *registers)
{
	const u64 asked = registers->pmcs[X86_PEBS];
	const u64 armed = asked & registers->counters & registers->interrupting;

	registers->config[RUNNING_ARMED] = armed;
	registers->config[RUNNING_PEBS] = armed | (asked & armed << X86_PEBS_LATENCY);
}

static void x86_configure(struct pfm_registers *registers)
{
	registers->config[RUNNING_GLOBAL] = global_bits(registers->counters);
	registers->config[RUNNING_FIXED] = running_fixed(registers);
	if (x86->pebs)
		configure_pebs(registers);
}

/*
 * Return: a bitmap of the set's armed counters.  After an armed counter has wrapped, the processor
 * writes a PEBS record.
 */
u64 x86_armed(const struct pfm_registers *registers)
{
	return registers->config[RUNNING_ARMED];
}

/*
 * Return: the event select of counter @n while the set counts.  A PMC that was not written has its
 * default value, which selects no level, so its counter does not count.
 */
static u64 running_select(const struct pfm_registers *registers, unsigned int n)
{
	u64 select = registers->pmcs[n] | X86_SELECT_EN;

	/* The interrupt of an armed counter comes with the record, not with the wrap. */
	if (unlikely(x86_armed(registers) & BIT(n)))
		return select | x86->pebs->select;
	return registers->interrupting & BIT(n) ? select | X86_SELECT_INT : select;
}

/**
 * struct x86_contents - what the registers of a CPU contain, if it has a global control register
 * @selects: event selects
 * @fixed: the fixed counters' control register
 * @pebs: the register that arms counters
 * @extras: registers that refine events
 *
 * write_pmcs() compares the new values with this structure, not with its argument @programmed,
 * which is always a set of the same context.  So write_pmcs() avoids writes even when the CPU
 * switches between threads whose contexts have the same values of the PMCs.
 */
struct x86_contents {
	u64 selects[X86_FIXED];
	u64 fixed;
	u64 pebs;
	u64 extras[X86_EXTRAS];
};

static DEFINE_PER_CPU(struct x86_contents, x86_contents);

/* Called on each CPU after all its PMCs have been set to zero. */
void x86_registers_cleared(void)
{
	*this_cpu_ptr(&x86_contents) = (struct x86_contents){};
}

/* If any event select has to be written, all event selects have to be reset first. */
static noinline void reset_selects(struct x86_contents *here,
				   const struct pfm_registers *registers)
{
	bool differs = false;
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, registers->counters & X86_GENERAL_MASK)
		differs |= here->selects[n] != running_select(registers, n);
	if (!differs)
		return;
	/* Erratum AAK100 (intel_quirks.c): no counter may be armed during the reset. */
	if (here->pebs) {
		here->pebs = 0;
		x86_write(x86->pebs->enable, 0);
	}
	x86->reset_selects();
	memset(here->selects, 0, sizeof(here->selects));
}

/*
 * The registers of counters that the set does not use keep their contents: the global control
 * register does not let these counters count.  On processors without a global control register,
 * this function does nothing, and start() writes the event selects.
 */
static void x86_write_pmcs(const struct pfm_registers *registers,
			   const struct pfm_registers *programmed)
{
	struct x86_contents *here = this_cpu_ptr(&x86_contents);
	unsigned int n;
	u64 rest, value;

	if (!x86->global_control)
		return;
	if (unlikely(x86->reset_selects))
		reset_selects(here, registers);
	pfm_for_each_bit(n, rest, registers->counters & X86_GENERAL_MASK) {
		value = running_select(registers, n);
		if (here->selects[n] == value)
			continue;
		here->selects[n] = value;
		x86_write(x86->counters[n].select, value);
	}
	value = registers->config[RUNNING_FIXED];
	if (registers->counters & X86_FIXED_MASK && here->fixed != value) {
		here->fixed = value;
		x86_write(x86->fixed_control, value);
	}
	value = registers->config[RUNNING_PEBS];
	if (unlikely(here->pebs != value)) {
		here->pebs = value;
		x86_write(x86->pebs->enable, value);
	}
	for (n = 0; n < x86->extra_count; n++) {
		value = registers->pmcs[x86->extras[n].pmc];
		if (here->extras[n] == value)
			continue;
		here->extras[n] = value;
		x86_write(x86->extras[n].msr, value);
	}
}

static void load(const struct x86_counter *counter, u64 value)
{
	x86_write(counter->load, (value & counter->mask) | counter->fill);
}

static void x86_write_pmds(struct pfm_registers *registers, u64 pmds)
{
	const struct x86_counter *const counters = x86->counters;
	u64 n, rest;

	pfm_for_each_bit(n, rest, pmds)
		load(&counters[n], registers->pmds[n]);
}

void x86_halt_one_by_one(const struct pfm_registers *registers)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, registers->counters)
		x86_write(x86->counters[n].select, 0);
}

/*
 * A counter may overflow before the last counter is started.  The NMI handler may then mask the
 * context or switch to another set.  In this case the set @registers must not count any more when
 * this function returns.
 */
static noinline void start_one_by_one(struct pfm_registers *registers)
{
	struct pfm_registers *running;
	unsigned int n;
	u64 rest;

	for (;;) {
		pfm_for_each_bit(n, rest, registers->counters)
			x86_write(x86->counters[n].select, running_select(registers, n));
		running = pfm_running_registers(&x86->pmu);
		if (likely(running == registers))
			return;
		x86_halt(registers);
		if (!running)
			return;
		registers = running;
	}
}

static __always_inline void start(struct pfm_registers *registers)
{
	if (x86->global_control)
		x86_write(x86->global_control, registers->config[RUNNING_GLOBAL]);
	else
		start_one_by_one(registers);
}

/* Before the start, drop a record that came after the last stop. */
static noinline void start_armed(struct pfm_registers *registers)
{
	x86->pebs->empty();
	start(registers);
}

void x86_start(struct pfm_registers *registers)
{
	if (unlikely(x86_armed(registers)))
		start_armed(registers);
	else
		start(registers);
}

static void x86_begin(struct pfm_registers *registers)
{
	if (x86_records_branches(registers))
		x86->branches->begin(registers);
	x86_start(registers);
}

static u64 x86_read(struct pfm_registers *registers, u64 *values)
{
	const struct x86_counter *const counters = x86->counters;
	u64 n, rest, value, overflows = 0;

	pfm_for_each_bit(n, rest, registers->counters) {
		value = x86_read_counter(&counters[n]);
		values[n] = pfm_pmd_merge(registers->pmds[n], value, counters[n].mask);
		if (unlikely(!(value & counters[n].flag)))
			overflows |= BIT(n);
	}
	return overflows;
}

static u64 x86_stop(struct pfm_registers *registers)
{
	if (x86_records_branches(registers))
		x86->branches->end();
	x86_halt(registers);
	return x86_read(registers, registers->pmds);
}

/*
 * Return: those of @overflows that may be handled now.  The overflow of an armed counter has to
 * wait until the counter's record has been written.  x86_stop() does not wait, and reports all
 * wraps.
 */
static noinline u64 only_recorded(u64 overflows, u64 armed)
{
	return overflows & (~armed | x86->pebs->recorded(armed));
}

u64 x86_overflows(const struct pfm_registers *registers)
{
	const struct x86_counter *const counters = x86->counters;
	u64 n, rest, overflows = 0;

	pfm_for_each_bit(n, rest, registers->counters)
		if (!(x86_read_counter(&counters[n]) & counters[n].flag))
			overflows |= BIT(n);
	if (unlikely(overflows & x86_armed(registers)))
		return only_recorded(overflows, x86_armed(registers));
	return overflows;
}

/*
 * Cancel the records that the processor has not written yet for the armed counters.  A late record
 * would change its counter's value.
 */
static void disarm(u64 armed)
{
	if (!(armed & ~x86->pebs->recorded(armed)))
		return;
	x86_write(x86->pebs->enable, 0);
	x86_write(x86->pebs->enable, this_cpu_ptr(&x86_contents)->pebs);
}

/* @more: bits to write to the MSR global_acknowledge, in addition to those of @counters */
static __always_inline void acknowledge(u64 counters, u64 more)
{
	const struct x86_counter *counter;
	u64 n, rest;

	pfm_for_each_bit(n, rest, counters) {
		counter = &x86->counters[n];
		load(counter, x86_read_counter(counter));
	}
	if (x86->global_acknowledge)
		x86_write(x86->global_acknowledge, global_bits(counters) | more);
	x86_note_overflows(counters);
}

static noinline void acknowledge_armed(u64 counters, u64 armed)
{
	disarm(armed);
	acknowledge(counters, x86->pebs->acknowledge);
}

static void x86_acknowledge(struct pfm_registers *registers, u64 counters)
{
	const u64 armed = x86_armed(registers) & counters;

	if (unlikely(armed))
		acknowledge_armed(counters, armed);
	else
		acknowledge(counters, 0);
}

/*
 * The PMDs that are claimed.  With exclusive ownership, all counters are taken when the first PMD
 * is claimed, and returned when no PMD is claimed any more.
 */
static u64 claimed[PFM_HARDWARE_BV];

static bool is_claimed(void)
{
	return memchr_inv(claimed, 0, sizeof(claimed));
}

static int x86_claim(struct pfm_pmu *pmu, const u64 *pmds)
{
	int error = is_claimed() ? 0 : x86_exclusive_claim();
	unsigned int word;

	for (word = 0; !error && word < PFM_HARDWARE_BV; word++)
		claimed[word] |= pmds[word];
	return error;
}

static void x86_release(struct pfm_pmu *pmu, const u64 *pmds)
{
	unsigned int word;

	for (word = 0; word < PFM_HARDWARE_BV; word++)
		claimed[word] &= ~pmds[word];
	if (!is_claimed())
		x86_exclusive_release();
}

static struct pfm_pmu_operations x86_operations = {
	.claim = x86_claim,
	.release = x86_release,
	.configure = x86_configure,
	.write_pmcs = x86_write_pmcs,
	.write_pmds = x86_write_pmds,
	.start = x86_begin,
	.stop = x86_stop,
	.read = x86_read,
	.overflows = x86_overflows,
	.acknowledge = x86_acknowledge,
};

/*
 * Find out whether there are counters, by creating a perf event that never counts.  An emulator or
 * a hypervisor may provide no counters.  perf tested the registers at boot, and refuses the event
 * if there are no counters.  If perf has a PMU for each kind of core, only the PMU of the first
 * online CPU is tried.
 *
 * While the event exists, perf should keep the counters reserved.  If they are not reserved even
 * then, perf never reserves them, and exclusive ownership is not possible.
 */
static int probe(void)
{
	struct perf_event *event;

	/* Without the APIC no overflow interrupt comes, and the APIC's registers are not mapped. */
	if (!boot_cpu_has(X86_FEATURE_APIC))
		return -ENODEV;
	event = perf_idle_event(cpumask_first(cpu_online_mask), PERF_TYPE_HARDWARE,
				PERF_COUNT_HW_CPU_CYCLES);
	if (PTR_ERR(event) == -ENOENT)
		return -ENODEV;
	perf_reserves = IS_ERR(event) || !x86_exclusive_is_possible();
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	return 0;
}

static void compute_masks(struct x86_pmu *pmu)
{
	struct x86_counter *counter;
	unsigned int n;

	for (n = 0; n < min_t(unsigned int, pmu->pmu.pmd_count, X86_REGISTERS); n++) {
		counter = &pmu->counters[n];
		if (!counter->value)
			continue;
		counter->mask = pfm_width_mask(pmu->pmu.pmds[n].width);
		counter->fill = pfm_width_mask(counter->bits) & ~counter->mask;
		counter->flag = BIT_ULL(counter->bits - 1);
	}
}

/*
 * Return: true if perf reserves the counters for its events, and nobody has reserved them now.
 *
 * From Linux 6.11 on, perf uses other MSRs for the counters of Intel's processors with performance
 * monitoring version 6.  The kernel's functions that reserve counters do nothing for these MSRs,
 * so perf_reserves is false there.
 */
static bool can_be_exclusive(void)
{
	return perf_reserves && x86_exclusive_is_possible();
}

static int choose_ownership(void)
{
	if (!strcmp(ownership, "auto")) {
		is_shared = !x86->exclusive_only && !can_be_exclusive();
	} else if (!strcmp(ownership, "shared") && !x86->exclusive_only) {
		is_shared = true;
	} else if (strcmp(ownership, "exclusive")) {
		pr_err("perfmon: ownership must be %s here, not %s\n",
		       x86->exclusive_only ? "auto or exclusive"
					   : "auto, exclusive or shared",
		       ownership);
		return -EINVAL;
	}
	if (is_shared || perf_reserves)
		return 0;
	pr_err("perfmon: perf does not reserve the counters here, so they cannot be exclusive\n");
	return -EINVAL;
}

static int get_ownership_now(char *buffer, const struct kernel_param *parameter)
{
	return sysfs_emit(buffer, "%s\n", is_shared ? "shared" : "exclusive");
}

static const struct kernel_param_ops ownership_now_ops = { .get = get_ownership_now };
module_param_cb(ownership_now, &ownership_now_ops, NULL, 0444);
MODULE_PARM_DESC(ownership_now, "the current ownership: exclusive or shared (read only)");

/**
 * x86_register() - register the PMU of this machine
 * @pmu: the registers and the description of the hardware, see struct x86_pmu
 *
 * Process context, may sleep.
 *
 * Return: 0, -ENODEV if there is no PMU, -EINVAL if the parameter "ownership" is wrong or
 * impossible here, or the error of @pmu->set_up() or pfm_pmu_register().
 */
int x86_register(struct x86_pmu *pmu)
{
	struct pfm_pmu_operations *operations;
	int error;

	x86 = pmu;
	error = probe();
	if (error)
		return error;
	error = choose_ownership();
	if (error)
		return error;
	error = pmu->set_up ? pmu->set_up(is_shared) : 0;
	if (error)
		return error;
	compute_masks(pmu);
	operations = is_shared ? &x86_shared_operations : &x86_operations;
	operations->check_pmc = pmu->check_pmc;
	if (pmu->branches) {
		operations->sample = pmu->branches->sample;
		operations->callers = pmu->branches->callers;
		static_branch_enable(&x86_has_branches);
	}
	pmu->pmu.model = boot_cpu_data.x86_model_id;
	pmu->pmu.id = cpuid_eax(1);
	pmu->pmu.operations = operations;
	pmu->pmu.independent =
		is_shared; /* each placeholder is started and stopped separately */
	return pfm_pmu_register(&pmu->pmu);
}

/* Undo x86_register().  Process context, may sleep. */
void x86_unregister(void)
{
	pfm_pmu_unregister(&x86->pmu);
}
