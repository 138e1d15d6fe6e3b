// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU descriptions "amd_l3" and "amd_df": counters of the third-level cache and of the data fabric
 * of AMD's processors.  The register map is perfmon_amd_uncore.h.
 *
 * Several CPUs share the registers.  One of these CPUs owns the registers, and all accesses are
 * made there (amd_uncore_perf.c).  The counters cannot interrupt.  We use a timer instead: its
 * callback updates the 64-bit values.  The hardware's counts are only read, never written.
 */
#include <asm/cpufeature.h>
#include <asm/irq_regs.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/topology.h>

#include "amd_uncore.h"
#include "compat/cpuid.h"
#include "compat/hrtimer.h"
#include <perfmon/perfmon_amd_uncore.h>

#define MSR_L3	     0xc0010230
#define MSR_DF	     0xc0010240
#define L3_COUNTERS  6
#define DF_COUNTERS  4
#define COUNTER_BITS 48
#define ENABLE	     BIT_ULL(22)

#define LEAF_CACHES  0x8000001d
#define LEAF_APIC    0x8000001e
#define LEAF_PERFMON 0x80000022
#define LEVEL_3	     3

static unsigned int poll_ms = 1000;
module_param(poll_ms, uint, 0644);
MODULE_PARM_DESC(poll_ms,
		 "ms between two reads of a running counter, 1 to 60000 (default: 1000)");

static bool is_17h __ro_after_init; /* L3 events have the fields of families 17h and 18h */
static bool is_version_2 __ro_after_init;

/* ---- counting: on the owner CPU, interrupts off ------------------------------------------- */

static u64 count_of(u32 control)
{
	u32 low, high;

	native_rdmsr(control + 1, low, high);
	return (u64)high << 32 | low;
}

static void update(struct uncore_cpu *cpu, unsigned int n)
{
	struct uncore_counter *counter = &cpu->counters[n];
	const u32 control = uncore_control(cpu, n);
	u64 count, grown;

	if (!control)
		return;
	count = count_of(control);
	grown = (count - counter->last) & pfm_width_mask(COUNTER_BITS);
	counter->last = count;
	counter->value += grown;
	if (counter->value < grown)
		cpu->overflows |= BIT_ULL(n);
}

/*
 * The event is also stored in the placeholder's field hw.config.  perf writes this field to the
 * control register whenever perf starts or stops the placeholder.
 */
void uncore_select(struct uncore_cpu *cpu, unsigned int n, u64 event)
{
	struct perf_event *placeholder = cpu->counters[n].placeholder;
	const u32 control = uncore_control(cpu, n);

	if (placeholder)
		placeholder->hw.config = event;
	if (event)
		event |= ENABLE;
	if (control)
		native_wrmsr(control, (u32)event, (u32)(event >> 32));
}

static void update_all(struct uncore_cpu *cpu)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, cpu->running->counters)
		update(cpu, n);
}

static void halt_all(struct uncore_cpu *cpu)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, cpu->running->counters) {
		update(cpu, n);
		uncore_select(cpu, n, 0);
	}
	cpu->running = NULL;
}

static u64 poll_ns(void)
{
	return clamp(READ_ONCE(poll_ms), 1u, 60000u) * (u64)NSEC_PER_MSEC;
}

/*
 * Start the counters of a set, and the timer.  An overflow that has not been acknowledged stays in
 * cpu->overflows, so the timer's callback reports it again.
 */
static void run_all(struct uncore_cpu *cpu, struct pfm_registers *registers)
{
	unsigned int n;
	u64 rest;

	cpu->running = registers;
	pfm_for_each_bit(n, rest, registers->counters) {
		const u32 control = uncore_control(cpu, n);

		if (control)
			cpu->counters[n].last = count_of(control);
		uncore_select(cpu, n, registers->pmcs[n]);
	}
	hrtimer_start(&cpu->timer, ns_to_ktime(poll_ns()), HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * The timer's callback, which replaces the overflow interrupt.  While the callback runs, only
 * pfm_overflow() stops this CPU's counters.  The comment at soft_interrupt() in perfmon_soft.c
 * explains why.  When a CPU goes offline, its timer is not queued, because the counters have been
 * stopped.  Even if a queued timer were moved to another CPU, its callback would do nothing there.
 */
static enum hrtimer_restart interrupt(struct hrtimer *timer)
{
	struct uncore_cpu *cpu = container_of(timer, struct uncore_cpu, timer);
	struct pfm_registers *registers = cpu->running;

	if (!registers || cpu != this_cpu_ptr(cpu->uncore->cpus))
		return HRTIMER_NORESTART;
	update_all(cpu);
	if (!(cpu->overflows & registers->interrupting)) {
		hrtimer_forward_now(timer, ns_to_ktime(poll_ns()));
		return HRTIMER_RESTART;
	}
	halt_all(cpu);
	registers = pfm_overflow(&cpu->uncore->pmu, get_irq_regs(), NULL).next;
	if (registers)
		run_all(cpu, registers);
	return HRTIMER_NORESTART; /* if a set counts, run_all() has set the timer */
}

static bool can_count(const struct uncore_cpu *cpu, const struct pfm_registers *registers)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, registers->counters)
		if (!uncore_control(cpu, n))
			return false;
	return true;
}

static void write_pmds(struct uncore_cpu *cpu, const struct pfm_registers *registers,
		       u64 pmds)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, pmds)
		cpu->counters[n].value = registers->pmds[n];
}

static u64 overflows(const struct uncore_cpu *cpu, const struct pfm_registers *registers)
{
	return cpu->overflows & registers->counters;
}

static u64 read_counters(struct uncore_cpu *cpu, const struct pfm_registers *registers,
			 u64 *values)
{
	unsigned int n;
	u64 rest;

	if (cpu->running)
		update_all(cpu);
	pfm_for_each_bit(n, rest, registers->counters)
		values[n] = cpu->counters[n].value;
	return overflows(cpu, registers);
}

static u64 stop(struct uncore_cpu *cpu, struct pfm_registers *registers)
{
	if (cpu->running) {
		halt_all(cpu);
		hrtimer_try_to_cancel(&cpu->timer);
	}
	return read_counters(cpu, registers, registers->pmds);
}

/*
 * The masks have the same defaults as in perf.  In families 17h and 18h, a thread mask of 0 selects
 * all threads, and a slice mask of 0 selects all slices.  From family 19h on, a thread mask of 0
 * selects all threads, all cores and all slices.
 */
static bool l3_check_pmc(unsigned int n, u64 *value)
{
	if (!*value)
		return true;
	if (is_17h) {
		if (!(*value & PFM_AMD_L3_SLICES))
			*value |= PFM_AMD_L3_SLICES;
		if (!(*value & PFM_AMD_L3_THREADS))
			*value |= PFM_AMD_L3_THREADS;
	} else if (!(*value & PFM_AMD_L3_19H_THREADS)) {
		*value &= PFM_AMD_UNCORE_EVENT | PFM_AMD_UNCORE_UMASK;
		*value |= PFM_AMD_L3_19H_THREADS | PFM_AMD_L3_19H_ALL_CORES |
			  PFM_AMD_L3_19H_ALL_SLICES;
	}
	return true;
}

/* Does nothing: run_all() writes the control registers, since perf may have moved placeholders. */
static void write_pmcs(const struct pfm_registers *registers,
		       const struct pfm_registers *programmed)
{
}

/* Most operations do not get a pointer to the PMU, so each PMU has operations of its own. */
#define OPERATIONS(name, check)                                                          \
	static bool name##_can_count(const struct pfm_registers *registers)              \
	{                                                                                \
		return can_count(this_cpu_ptr(name.cpus), registers);                    \
	}                                                                                \
	static void name##_write_pmds(struct pfm_registers *registers, u64 pmds)         \
	{                                                                                \
		write_pmds(this_cpu_ptr(name.cpus), registers, pmds);                    \
	}                                                                                \
	static void name##_start(struct pfm_registers *registers)                        \
	{                                                                                \
		run_all(this_cpu_ptr(name.cpus), registers);                             \
	}                                                                                \
	static u64 name##_stop(struct pfm_registers *registers)                          \
	{                                                                                \
		return stop(this_cpu_ptr(name.cpus), registers);                         \
	}                                                                                \
	static u64 name##_read(struct pfm_registers *registers, u64 *values)             \
	{                                                                                \
		return read_counters(this_cpu_ptr(name.cpus), registers, values);        \
	}                                                                                \
	static u64 name##_overflows(const struct pfm_registers *registers)               \
	{                                                                                \
		return overflows(this_cpu_ptr(name.cpus), registers);                    \
	}                                                                                \
	static void name##_acknowledge(struct pfm_registers *registers, u64 counters)    \
	{                                                                                \
		this_cpu_ptr(name.cpus)->overflows &= ~counters;                         \
	}                                                                                \
	static const struct pfm_pmu_operations name##_operations = {                     \
		.owner = uncore_owner,                                                   \
		.claim = uncore_claim,                                                   \
		.release = uncore_release,                                               \
		.load = uncore_load,                                                     \
		.check_pmc = (check),                                                    \
		.can_count = name##_can_count,                                           \
		.write_pmcs = write_pmcs,                                                \
		.write_pmds = name##_write_pmds,                                         \
		.start = name##_start,                                                   \
		.stop = name##_stop,                                                     \
		.read = name##_read,                                                     \
		.overflows = name##_overflows,                                           \
		.acknowledge = name##_acknowledge,                                       \
	}

OPERATIONS(amd_l3, l3_check_pmc);
OPERATIONS(amd_df, NULL);

/* ---- which CPUs share registers: called on each CPU --------------------------------------- */

/*
 * Return: the APIC id of this CPU without its low bits.  The APIC ids of CPUs that share registers
 * differ only in the low bits.
 */
static int l3_of_this_cpu(void)
{
	u32 eax, ebx, ecx, edx;
	unsigned int leaf, sharing;

	for (leaf = 0;; leaf++) {
		cpuid_count(LEAF_CACHES, leaf, &eax, &ebx, &ecx, &edx);
		if (!(eax & 0x1f))
			return -ENODEV;
		if ((eax >> 5 & 7) == LEVEL_3)
			break;
	}
	sharing = (eax >> 14 & 0xfff) + 1;
	return cpuid_eax(LEAF_APIC) >> order_base_2(sharing);
}

static int package_of_this_cpu(void)
{
	return topology_physical_package_id(smp_processor_id());
}

/* ---- descriptions ------------------------------------------------------------------------- */

struct uncore amd_l3 = {
	.pmu = {
		.interface = PFM_PMU_INTERFACE,
		.name = "amd_l3",
		.model = "AMD third-level cache",
		.scope = "l3",
		.operations = &amd_l3_operations,
	},
	.name_in_perf = "amd_l3",
	.base = MSR_L3,
	.instance_of = l3_of_this_cpu,
};

struct uncore amd_df = {
	.pmu = {
		.interface = PFM_PMU_INTERFACE,
		.name = "amd_df",
		.model = "AMD data fabric",
		.scope = "package",
		.operations = &amd_df_operations,
	},
	.name_in_perf = "amd_df",
	.base = MSR_DF,
	.instance_of = package_of_this_cpu,
};

#define FOR_EACH_NUMBER(do_it)                                                           \
	do_it(0) do_it(1) do_it(2) do_it(3) do_it(4) do_it(5) do_it(6) do_it(7) do_it(8) \
		do_it(9) do_it(10) do_it(11) do_it(12) do_it(13) do_it(14) do_it(15)
#define L3_CTL(n) "L3PMCCTL" #n,
#define L3_CTR(n) "L3PMCCTR" #n,
#define DF_CTL(n) "DF_PERF_CTL" #n,
#define DF_CTR(n) "DF_PERF_CTR" #n,
static const char *const l3_names[][UNCORE_COUNTERS] = {
	{ FOR_EACH_NUMBER(L3_CTL) },
	{ FOR_EACH_NUMBER(L3_CTR) },
};
static const char *const df_names[][UNCORE_COUNTERS] = {
	{ FOR_EACH_NUMBER(DF_CTL) },
	{ FOR_EACH_NUMBER(DF_CTR) },
};

static void __init describe(struct uncore *uncore, unsigned int count, u64 bits_of_user,
			    const char *const names[][UNCORE_COUNTERS])
{
	unsigned int n;

	for (n = 0; n < count; n++) {
		uncore->pmcs[n] = (struct pfm_register){
			.name = names[0][n],
			.reserved = ~bits_of_user,
			.address = uncore->base + 2 * n,
			.counters = BIT_ULL(n),
		};
		uncore->pmds[n] = (struct pfm_register){
			.name = names[1][n],
			.type = PFM_REG_COUNTER,
			.width = 64,
			.address = uncore->base + 2 * n + 1,
		};
	}
	uncore->pmu.pmcs = uncore->pmcs;
	uncore->pmu.pmds = uncore->pmds;
	uncore->pmu.pmc_count = count;
	uncore->pmu.pmd_count = count;
}

static u64 __init bits_of_l3(void)
{
	const u64 common = PFM_AMD_UNCORE_EVENT | PFM_AMD_UNCORE_UMASK;

	if (is_17h)
		return common | PFM_AMD_L3_SLICES | PFM_AMD_L3_THREADS;
	return common | PFM_AMD_L3_19H_CORE | PFM_AMD_L3_19H_ALL_SLICES |
	       PFM_AMD_L3_19H_ALL_CORES | PFM_AMD_L3_19H_SLICE | PFM_AMD_L3_19H_THREADS;
}

static u64 __init bits_of_df(void)
{
	const u64 common = PFM_AMD_UNCORE_EVENT | PFM_AMD_UNCORE_UMASK;

	return common | (is_version_2 ? PFM_AMD_DF_EVENT_V2 | PFM_AMD_DF_UMASK_V2
				      : PFM_AMD_DF_EVENT);
}

static unsigned int __init df_counters(void)
{
	unsigned int count = is_version_2 ? cpuid_ebx(LEAF_PERFMON) >> 10 & 0x3f : 0;

	return count ? min_t(unsigned int, count, UNCORE_COUNTERS) : DF_COUNTERS;
}

/* ---- module init and exit ----------------------------------------------------------------- */

static void free_cpus(struct uncore *uncore)
{
	int cpu;

	/* No timer is queued any more, but a callback may still be running. */
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(uncore->cpus, cpu)->timer);
	free_percpu(uncore->cpus);
}

static int __init add(struct uncore *uncore)
{
	int cpu, error;

	uncore->cpus = alloc_percpu(struct uncore_cpu);
	if (!uncore->cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct uncore_cpu *data = per_cpu_ptr(uncore->cpus, cpu);

		data->uncore = uncore;
		data->instance = -1;
		hrtimer_setup(&data->timer, interrupt, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
	error = pfm_pmu_register(&uncore->pmu);
	if (error)
		free_cpus(uncore);
	return error;
}

static void remove(struct uncore *uncore)
{
	if (!uncore->cpus)
		return;
	pfm_pmu_unregister(&uncore->pmu);
	free_cpus(uncore);
	uncore->cpus = NULL;
}

static int __init add_all(void)
{
	int error = 0;

	if (boot_cpu_has(X86_FEATURE_PERFCTR_LLC)) {
		describe(&amd_l3, L3_COUNTERS, bits_of_l3(), l3_names);
		error = add(&amd_l3);
	}
	if (!error && boot_cpu_has(X86_FEATURE_PERFCTR_NB)) {
		describe(&amd_df, df_counters(), bits_of_df(), df_names);
		error = add(&amd_df);
		if (error)
			remove(&amd_l3);
	}
	return error;
}

/* Before family 17h, MSR_L3 and MSR_DF belonged to other units, such as the northbridge. */
static int __init uncore_init(void)
{
	int error;

	if ((boot_cpu_data.x86_vendor != X86_VENDOR_AMD &&
	     boot_cpu_data.x86_vendor != X86_VENDOR_HYGON) ||
	    boot_cpu_data.x86 < 0x17 || !boot_cpu_has(X86_FEATURE_TOPOEXT) ||
	    (!boot_cpu_has(X86_FEATURE_PERFCTR_LLC) &&
	     !boot_cpu_has(X86_FEATURE_PERFCTR_NB)) ||
	    cpuid_eax(0x80000000) < LEAF_APIC)
		return -ENODEV;
	is_17h = boot_cpu_data.x86 <= 0x18;
	is_version_2 = cpuid_eax(0x80000000) >= LEAF_PERFMON &&
		       cpuid_eax(LEAF_PERFMON) & BIT(0);
	error = uncore_perf_init();
	if (error)
		return error;
	error = add_all();
	if (error)
		uncore_perf_exit();
	return error;
}
module_init(uncore_init);

static void __exit uncore_exit(void)
{
	remove(&amd_df);
	remove(&amd_l3);
	uncore_perf_exit();
}
module_exit(uncore_exit);

MODULE_ALIAS("perfmon_amd_l3");
MODULE_ALIAS("perfmon_amd_df");
MODULE_DESCRIPTION("perfmon: PMU descriptions of AMD's third-level cache and data fabric");
MODULE_LICENSE("GPL");
