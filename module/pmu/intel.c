// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "intel": Intel's architectural performance monitoring.  The register map is
 * perfmon_intel.h.
 *
 * CPUID describes the counters and their widths, see intel_counters.c.  Only intel_extra.c and
 * intel_quirks.c need lists of processor models.
 */
#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "intel_counters.h"
#include "intel_extra.h"
#include "intel_lbr.h"
#include "intel_pebs.h"
#include "intel_quirks.h"
#include "x86.h"
#include <perfmon/perfmon_intel.h>

#define RDPMC_FIXED	  BIT(30)
#define FULL_WIDTH_WRITES BIT_ULL(13) /* of IA32_PERF_CAPABILITIES */
/* Width of a legacy write to IA32_PMCn.  Such a write copies bit 31 to all higher bits. */
#define LEGACY_BITS	  32

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

/* Every counter can count the architectural events.  Some other events need certain counters. */
static bool counts_anywhere(u64 pmc)
{
	return intel_is_architectural(pmc, ~0u);
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

static struct intel_counters found;
static struct intel_quirks quirks;

/* Whether the processor has several kinds of core. */
static bool mixed;

/*
 * On another kind of core, the number of a non-architectural event may stand for a different
 * event or for none.  The count of such an event would be wrong.
 */
static bool means_the_same_everywhere(u64 select)
{
	return !(select & (PFM_INTEL_PMC_USER | PFM_INTEL_PMC_KERNEL)) ||
	       intel_is_architectural(select, found.events);
}

static int show_cores(char *text, const struct kernel_param *unused)
{
	return sysfs_emit(text, "%s\n", mixed ? "several kinds" : "one kind");
}

static const struct kernel_param_ops cores_operations = { .get = show_cores };
module_param_cb(cores, &cores_operations, NULL, 0444);
MODULE_PARM_DESC(
	cores,
	"read: \"one kind\" or \"several kinds\" of core; perfmon offers only the counters and events that all kinds have");

static bool check_pmc(unsigned int n, u64 *value)
{
	if (mixed && n < PFM_INTEL_FIXED && !means_the_same_everywhere(*value))
		return false;
	return intel_extra_accepts(&intel, n, *value);
}

/*
 * Remove @counters from the description, because an erratum affects them.  They count correctly
 * only with shared ownership, because perf then handles the erratum.
 */
static void leave_out(u32 counters)
{
	unsigned int n;
	u64 rest;

	found.general &= ~counters;
	pfm_for_each_bit(n, rest, (u64)counters) {
		intel.counters[n] = (struct x86_counter){};
		intel_pmcs[n] = (struct pfm_register){};
		intel_pmds[n] = (struct pfm_register){};
	}
}

static int set_up(bool shared)
{
	const struct x86_pebs *pebs = NULL;

	if (!shared)
		leave_out(quirks.unusable);
	if (found.version >= 2)
		pebs = intel_pebs_set_up(&found, mixed, shared, quirks.no_pebs,
					 &intel_pmcs[PFM_INTEL_PEBS]);
	if (IS_ERR(pebs))
		return PTR_ERR(pebs);
	intel.pebs = pebs;
	if (!shared && !mixed)
		intel_extra_describe(&intel, intel_pmcs);
	return 0;
}

static bool __init has_full_width(const struct intel_counters *counters)
{
	return counters->capabilities & FULL_WIDTH_WRITES;
}

/*
 * Return: the width of a PMD.  Without full-width writes, the width is 30 bits, even if the counter
 * is fixed.  The reason is that perf may load the counter if the ownership is shared.  On a
 * processor without full-width writes, perf loads only values that are less than 2^31 counts before
 * the wrap.
 * @bits: width of the counter in hardware
 */
static unsigned int __init width_of(const struct intel_counters *counters,
				    unsigned int bits)
{
	return (has_full_width(counters) ? bits : LEGACY_BITS) - X86_SPARE_BITS;
}

static void __init describe_general(const struct intel_counters *counters, unsigned int n)
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
		.width = width_of(counters, counters->general_bits),
		.address = value,
	};
}

static void __init describe_fixed(const struct intel_counters *counters, unsigned int i)
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
		.width = width_of(counters, counters->fixed_bits),
		.address = value,
	};
}

static void __init describe_control(const struct intel_counters *counters)
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

static void __init describe(const struct intel_counters *counters)
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
	if (!mixed)
		intel_lbr_describe(&intel, counters->version, intel_pmcs, intel_pmds);
}

static int __init intel_init(void)
{
	int error;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return -ENODEV;
	error = intel_find_counters(&found, &mixed);
	if (error)
		return error;
	intel_find_quirks(&quirks);
	intel.exclusive_only = mixed || quirks.needs_reset;
	describe(&found);
	if (quirks.needs_reset && intel.global_control &&
	    !(~found.general & (BIT(RESET_COUNTERS) - 1)))
		intel.reset_selects = intel_reset_counters;
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
