// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "amd": the core counters of AMD's processors from K8 on.  The register map
 * is perfmon_amd.h.
 *
 * The manuals are the AMD64 Architecture Programmer's Manual, volume 2, section "Performance
 * Monitoring Counters", and the BIOS and Kernel Developer's Guide of family 10h.
 */
#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <linux/module.h>

#include "amd_ibs.h"
#include "compat/cpuid.h"
#include "x86.h"
#include <perfmon/perfmon_amd.h>

#define LEAF_PERFMON  0x80000022
#define COUNTERS_K8   4
#define COUNTERS_F15H 6
#define MOST_COUNTERS X86_FIXED
#define COUNTER_BITS  48
#define FAMILY_15H    0x15
#define FAMILY_17H    0x17

#define SELECT_OF_USER                                                                   \
	(PFM_AMD_PMC_EVENT | PFM_AMD_PMC_UMASK | PFM_AMD_PMC_USER | PFM_AMD_PMC_KERNEL | \
	 PFM_AMD_PMC_EDGE | PFM_AMD_PMC_INVERT | PFM_AMD_PMC_CMASK)

#define FOR_EACH_NUMBER(do_it)                                                           \
	do_it(0) do_it(1) do_it(2) do_it(3) do_it(4) do_it(5) do_it(6) do_it(7) do_it(8) \
		do_it(9) do_it(10) do_it(11) do_it(12) do_it(13) do_it(14) do_it(15)

#define SELECT_NAME(n)	"PERF_CTL" #n,
#define COUNTER_NAME(n) "PERF_CTR" #n,
static const char *const select_names[] = { FOR_EACH_NUMBER(SELECT_NAME) };
static const char *const counter_names[] = { FOR_EACH_NUMBER(COUNTER_NAME) };

static struct pfm_register amd_pmcs[MOST_COUNTERS] __ro_after_init;
static struct pfm_register amd_pmds[MOST_COUNTERS] __ro_after_init;

/* Except in family 15h, every counter can count every event that check_pmc() accepts. */
static bool counts_anywhere(u64 pmc)
{
	return boot_cpu_data.x86 != FAMILY_15H;
}

static struct x86_pmu amd = {
	.pmu = {
		.interface = PFM_PMU_INTERFACE,
		.name = "amd",
		.pmcs = amd_pmcs,
		.pmds = amd_pmds,
		.pmc_count = ARRAY_SIZE(amd_pmcs),
		.pmd_count = ARRAY_SIZE(amd_pmds),
	},
	.select_bits = SELECT_OF_USER,
	.counts_anywhere = counts_anywhere,
};

/*
 * Up to family 14h, events with numbers from E0H on are events of the northbridge.  They are
 * refused: the cores share the northbridge, so the counters of all cores would count the same
 * events.
 */
static bool is_not_northbridge(unsigned int n, u64 *value)
{
	return (*value & 0xe0) != 0xe0;
}

/*
 * In family 15h, each event can be counted by certain counters only.  If a PMC selects neither user
 * level nor kernel level, its counter counts nothing, so this function accepts every event.
 */
static bool is_on_its_counter(unsigned int n, u64 *value)
{
	return !(*value & (PFM_AMD_PMC_USER | PFM_AMD_PMC_KERNEL)) ||
	       pfm_amd_15h_counters(*value) & BIT(n);
}

/*
 * From family 17h on, an event needs two counters if it can occur more than 15 times in a cycle.
 * One counter alone would count too little, so the event is refused if the PMC selects user level
 * or kernel level.  Event FFFH, which merges two counters into one, is always refused.
 */
static bool needs_one_counter(unsigned int n, u64 *value)
{
	if (pfm_amd_17h_merges_counters(*value))
		return false;
	return !(*value & (PFM_AMD_PMC_USER | PFM_AMD_PMC_KERNEL)) ||
	       !pfm_amd_17h_needs_two_counters(*value);
}

static void __init describe_counter(unsigned int n)
{
	const bool core = boot_cpu_has(X86_FEATURE_PERFCTR_CORE);
	const u32 select = core ? MSR_F15H_PERF_CTL + 2 * n : MSR_K7_EVNTSEL0 + n;
	const u32 value = core ? MSR_F15H_PERF_CTR + 2 * n : MSR_K7_PERFCTR0 + n;

	amd.counters[n] = (struct x86_counter){
		.select = select,
		.value = value,
		.load = value,
		.rdpmc = n,
		.bits = COUNTER_BITS,
	};
	amd_pmcs[n] = (struct pfm_register){
		.name = select_names[n],
		.type = PFM_REG_NO_EMUL64,
		.reserved = ~SELECT_OF_USER,
		.user_clear = PFM_AMD_PMC_KERNEL,
		.address = select,
		.counters = BIT_ULL(n),
	};
	amd_pmds[n] = (struct pfm_register){
		.name = counter_names[n],
		.type = PFM_REG_COUNTER,
		.width = COUNTER_BITS - X86_SPARE_BITS,
		.address = value,
	};
}

/*
 * Version 2 of AMD's PMU, PerfMonV2, has global registers, and CPUID reports the number of its
 * counters.  The global registers control only the counters of the CPU feature PERFCTR_CORE.  If a
 * hypervisor hides this feature, PerfMonV2 cannot be used.
 * Return: the number of counters; 0 if PerfMonV2 cannot be used.
 */
static unsigned int __init counters_of_version_2(void)
{
	const u32 last = cpuid_eax(0x80000000);

	if (!boot_cpu_has(X86_FEATURE_PERFCTR_CORE) || last < LEAF_PERFMON ||
	    !(cpuid_eax(LEAF_PERFMON) & BIT(0)))
		return 0;
	amd.global_control = MSR_AMD64_PERF_CNTR_GLOBAL_CTL;
	amd.global_acknowledge = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR;
	return cpuid_ebx(LEAF_PERFMON) & 0xf;
}

static unsigned int __init count_counters(void)
{
	unsigned int count = counters_of_version_2();

	if (count)
		return min_t(unsigned int, count, MOST_COUNTERS);
	return boot_cpu_has(X86_FEATURE_PERFCTR_CORE) ? COUNTERS_F15H : COUNTERS_K8;
}

static int __init amd_init(void)
{
	unsigned int n, count;
	int error;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_AMD &&
	    boot_cpu_data.x86_vendor != X86_VENDOR_HYGON)
		return -ENODEV;
	count = count_counters();
	for (n = 0; n < count; n++)
		describe_counter(n);
	if (!boot_cpu_has(X86_FEATURE_PERFCTR_CORE))
		amd.check_pmc = is_not_northbridge;
	else if (boot_cpu_data.x86 == FAMILY_15H)
		amd.check_pmc = is_on_its_counter;
	else if (boot_cpu_data.x86 >= FAMILY_17H)
		amd.check_pmc = needs_one_counter;
	error = x86_register(&amd);
	if (error)
		return error;
	error = amd_ibs_register();
	if (error)
		x86_unregister();
	return error;
}
module_init(amd_init);

static void __exit amd_exit(void)
{
	amd_ibs_unregister();
	x86_unregister();
}
module_exit(amd_exit);

MODULE_ALIAS(PFM_PMU_ALIAS("x86:ven0002*"));
MODULE_ALIAS(PFM_PMU_ALIAS("x86:ven0009*")); /* Hygon */
MODULE_ALIAS("perfmon_amd_ibs");
MODULE_DESCRIPTION(
	"perfmon: PMU descriptions of AMD's core performance counters and of IBS");
MODULE_LICENSE("GPL");
