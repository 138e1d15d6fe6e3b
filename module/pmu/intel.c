// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "intel": Intel's architectural performance monitoring, perfmon_intel.h.
 *
 * CPUID leaf 0AH, and 23H where present, tell which counters there are and how wide they are
 * (Intel SDM, volume 3B, section "Architectural Performance Monitoring").  So no list of
 * processor models is needed.
 */
#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include <linux/err.h>
#include <linux/module.h>

#include "compat/cpuid.h"
#include "intel_extra.h"
#include "intel_lbr.h"
#include "intel_pebs.h"
#include "x86.h"
#include <perfmon/perfmon_intel.h>

#define LEAF_COUNTERS	  0x0a
#define LEAF_EXTENDED	  0x23
#define RDPMC_FIXED	  BIT(30)
#define FULL_WIDTH_WRITES BIT_ULL(13) /* of IA32_PERF_CAPABILITIES */
#define LEGACY_BITS	  32 /* a legacy write extends bit 31 to the higher bits */

#define SELECT_OF_USER                                                                   \
	(PFM_INTEL_PMC_EVENT | PFM_INTEL_PMC_UMASK | PFM_INTEL_PMC_USER |                \
	 PFM_INTEL_PMC_KERNEL | PFM_INTEL_PMC_EDGE | PFM_INTEL_PMC_INVERT |              \
	 PFM_INTEL_PMC_CMASK)
#define SELECT_UMASK2 GENMASK_ULL(47, 40) /* leaf 23H: unit mask 2 */
#define SELECT_EQUAL  BIT_ULL(36) /* leaf 23H: equal flag */

#define FOR_EACH_NUMBER(do_it)                                                           \
	do_it(0) do_it(1) do_it(2) do_it(3) do_it(4) do_it(5) do_it(6) do_it(7) do_it(8) \
		do_it(9) do_it(10) do_it(11) do_it(12) do_it(13) do_it(14) do_it(15)

#define SELECT_NAME(n)	"IA32_PERFEVTSEL" #n,
#define GENERAL_NAME(n) "IA32_PMC" #n,
#define FIXED_NAME(n)	"IA32_FIXED_CTR" #n,
static const char *const select_names[] = { FOR_EACH_NUMBER(SELECT_NAME) };
static const char *const general_names[] = { FOR_EACH_NUMBER(GENERAL_NAME) };
static const char *const fixed_names[] = { FOR_EACH_NUMBER(FIXED_NAME) };

static struct pfm_register intel_pmcs[PFM_INTEL_FRONTEND + 1] __ro_after_init;
static struct pfm_register intel_pmds[INTEL_LBR_PMDS] __ro_after_init;

/*
 * The architectural events: Intel SDM 3B, "Pre-defined Architectural Performance Events".
 * Each model also has events that only certain counters can count.
 */
static bool counts_anywhere(u64 pmc)
{
	switch (pmc & (PFM_INTEL_PMC_EVENT | PFM_INTEL_PMC_UMASK)) {
	case 0x003c: /* cycles */
	case 0x013c: /* reference cycles */
	case 0x00c0: /* instructions */
	case 0x4f2e: /* last level cache references */
	case 0x412e: /* last level cache misses */
	case 0x00c4: /* branches */
	case 0x00c5: /* mispredicted branches */
		return true;
	default:
		return false;
	}
}

static bool check_pmc(unsigned int n, u64 *value);
static int set_up(bool shared);

static struct x86_pmu intel = {
	.pmu = {
		.interface = PFM_PMU_INTERFACE,
		.name = "intel",
		.pmcs = intel_pmcs,
		.pmds = intel_pmds,
		.pmc_count = ARRAY_SIZE(intel_pmcs),
		.pmd_count = ARRAY_SIZE(intel_pmds),
	},
	.masks_interrupt = true,
	.counts_anywhere = counts_anywhere,
	.check_pmc = check_pmc,
	.set_up = set_up,
};

/**
 * struct counters - the counters as CPUID and IA32_PERF_CAPABILITIES describe them
 * @version: of architectural performance monitoring
 * @general: bitmap of the general counters
 * @fixed: bitmap of the fixed counters
 * @general_bits: width of a general counter
 * @fixed_bits: width of a fixed counter
 * @select: bits of an event select that may be written
 * @capabilities: IA32_PERF_CAPABILITIES
 */
struct counters {
	unsigned int version;
	u32 general;
	u32 fixed;
	u32 general_bits;
	u32 fixed_bits;
	u64 select;
	u64 capabilities;
};

static struct counters found;

static bool check_pmc(unsigned int n, u64 *value)
{
	return intel_extra_accepts(&intel, n, *value);
}

static int set_up(bool shared)
{
	if (!shared)
		intel_extra_describe(&intel, intel_pmcs);
	if (found.version >= 2)
		intel.pebs = intel_pebs_set_up(found.capabilities, found.general, shared,
					       &intel_pmcs[PFM_INTEL_PEBS]);
	return PTR_ERR_OR_ZERO(intel.pebs);
}

/* From version 5 on, ECX is a bitmap of fixed counters in addition to their number in EDX. */
static void __init read_counters(struct counters *counters)
{
	u32 eax, ebx, ecx, edx;

	cpuid_count(LEAF_COUNTERS, 0, &eax, &ebx, &ecx, &edx);
	counters->version = eax & 0xff;
	counters->general = (1u << min(eax >> 8 & 0xff, 16u)) - 1;
	counters->general_bits = eax >> 16 & 0xff;
	counters->select = SELECT_OF_USER;
	if (counters->version < 2)
		return;
	counters->fixed = (1u << min(edx & 0x1f, 16u)) - 1;
	if (counters->version >= 5)
		counters->fixed |= ecx & 0xffff;
	counters->fixed_bits = edx >> 5 & 0xff;
}

static void __init read_extensions(struct counters *counters)
{
	u32 eax, ebx, ecx, edx;

	if (cpuid_eax(0) < LEAF_EXTENDED)
		return;
	cpuid_count(LEAF_EXTENDED, 0, &eax, &ebx, &ecx, &edx);
	if (!(eax & BIT(1)))
		return;
	if (ebx & BIT(0))
		counters->select |= SELECT_UMASK2;
	if (ebx & BIT(1))
		counters->select |= SELECT_EQUAL;
	cpuid_count(LEAF_EXTENDED, 1, &eax, &ebx, &ecx, &edx);
	counters->general = eax & 0xffff;
	counters->fixed = ebx & 0xffff;
}

static void __init read_capabilities(struct counters *counters)
{
	u32 low = 0, high = 0;

	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsr_safe(MSR_IA32_PERF_CAPABILITIES, &low, &high);
	counters->capabilities = low;
}

static bool __init has_full_width(const struct counters *counters)
{
	return counters->capabilities & FULL_WIDTH_WRITES;
}

static void __init describe_general(const struct counters *counters, unsigned int n)
{
	const u32 value = MSR_ARCH_PERFMON_PERFCTR0 + n;
	const u32 select = MSR_ARCH_PERFMON_EVENTSEL0 + n;

	intel.counters[n] = (struct x86_counter){
		.select = select,
		.value = value,
		.load = has_full_width(counters) ? MSR_IA32_PMC0 + n : value,
		.rdpmc = n,
		.bits = counters->general_bits,
	};
	intel_pmcs[n] = (struct pfm_register){
		.name = select_names[n],
		.type = PFM_REG_NO_EMUL64,
		.reserved = ~counters->select,
		.user_clear = PFM_INTEL_PMC_KERNEL,
		.address = select,
		.counters = BIT_ULL(n),
	};
	intel_pmds[n] = (struct pfm_register){
		.name = general_names[n],
		.type = PFM_REG_COUNTER,
		.width = (has_full_width(counters) ? counters->general_bits
						   : LEGACY_BITS) -
			 X86_SPARE_BITS,
		.address = value,
	};
}

static void __init describe_fixed(const struct counters *counters, unsigned int i)
{
	const unsigned int n = PFM_INTEL_FIXED + i;
	const u32 value = MSR_CORE_PERF_FIXED_CTR0 + i;

	intel.counters[n] = (struct x86_counter){
		.value = value,
		.load = value,
		.rdpmc = RDPMC_FIXED | i,
		.bits = counters->fixed_bits,
	};
	intel_pmds[n] = (struct pfm_register){
		.name = fixed_names[i],
		.type = PFM_REG_COUNTER,
		.width = counters->fixed_bits - X86_SPARE_BITS,
		.address = value,
	};
}

static void __init describe_control(const struct counters *counters)
{
	struct pfm_register *control = &intel_pmcs[PFM_INTEL_FIXED];
	u64 user = 0, kernel = 0, rest;
	unsigned int i;

	pfm_for_each_bit(i, rest, (u64)counters->fixed) {
		user |= PFM_INTEL_FIXED_USER(i);
		kernel |= PFM_INTEL_FIXED_KERNEL(i);
	}
	*control = (struct pfm_register){
		.name = "IA32_FIXED_CTR_CTRL",
		.type = PFM_REG_NO_EMUL64,
		.reserved = ~(user | kernel),
		.user_clear = kernel,
		.address = MSR_CORE_PERF_FIXED_CTR_CTRL,
		.counters = (u64)counters->fixed << PFM_INTEL_FIXED,
	};
	intel.fixed_control = MSR_CORE_PERF_FIXED_CTR_CTRL;
}

static void __init describe(const struct counters *counters)
{
	unsigned int n;
	u64 rest;

	intel.select_bits = counters->select;
	pfm_for_each_bit(n, rest, (u64)counters->general)
		describe_general(counters, n);
	pfm_for_each_bit(n, rest, (u64)counters->fixed)
		describe_fixed(counters, n);
	if (counters->fixed)
		describe_control(counters);
	if (counters->version >= 2) {
		intel.global_control = MSR_CORE_PERF_GLOBAL_CTRL;
		intel.global_acknowledge = MSR_CORE_PERF_GLOBAL_OVF_CTRL;
	}
	intel_lbr_describe(&intel, counters->version, intel_pmcs, intel_pmds);
}

static int __init intel_init(void)
{
	int error;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || cpuid_eax(0) < LEAF_COUNTERS)
		return -ENODEV;
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU)) {
		pr_info("perfmon: perfmon_intel does not support processors with several kinds of core: software events only\n");
		return -ENODEV;
	}
	read_counters(&found);
	if (!found.version || !found.general)
		return -ENODEV;
	read_extensions(&found);
	read_capabilities(&found);
	describe(&found);
	error = x86_register(&intel);
	if (error)
		intel_pebs_free();
	return error;
}
module_init(intel_init);

static void __exit intel_exit(void)
{
	x86_unregister();
	intel_pebs_free();
}
module_exit(intel_exit);

MODULE_ALIAS(PFM_PMU_ALIAS("x86:ven0000*"));
MODULE_DESCRIPTION(
	"perfmon: PMU description of Intel's architectural performance monitoring");
MODULE_LICENSE("GPL");
