// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon_intel: finds out which counters and events all CPUs have.
 *
 * CPUID leaf 0AH, and 23H where present, describe only the CPU that executes CPUID (Intel SDM,
 * volume 3B, section "Architectural Performance Monitoring").  A processor may have several kinds
 * of core (CPUID leaf 07H, EDX bit 15, "hybrid").  A thread may move from one kind to another at
 * any time.  So perfmon_intel offers only the counters and events that all kinds have.
 */
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/perf_event.h>
#include <linux/cpu.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "compat/cpuid.h"
#include "intel_counters.h"
#include <perfmon/perfmon_intel.h>

#define LEAF_COUNTERS 0x0a
#define LEAF_EXTENDED 0x23

#define SELECT_OF_USER                                                                   \
	(PFM_INTEL_PMC_EVENT | PFM_INTEL_PMC_UMASK | PFM_INTEL_PMC_USER |                \
	 PFM_INTEL_PMC_KERNEL | PFM_INTEL_PMC_EDGE | PFM_INTEL_PMC_INVERT |              \
	 PFM_INTEL_PMC_CMASK)
#define SELECT_UMASK2 GENMASK_ULL(47, 40) /* leaf 23H: unit mask 2 */
#define SELECT_EQUAL  BIT_ULL(36) /* leaf 23H: equal flag */

/*
 * From version 5 on, fixed counter i exists if bit i of ECX of leaf 0AH is set, or if i is less
 * than the number in the low bits of EDX.
 */
static void read_counters(struct intel_counters *counters)
{
	u32 eax, ebx, ecx, edx;

	cpuid_count(LEAF_COUNTERS, 0, &eax, &ebx, &ecx, &edx);
	counters->version = eax & 0xff;
	counters->general = (1u << min(eax >> 8 & 0xff, 16u)) - 1;
	counters->general_bits = eax >> 16 & 0xff;
	counters->events = ~ebx & ((1u << min(eax >> 24, 31u)) - 1);
	counters->select = SELECT_OF_USER;
	if (counters->version < 2)
		return;
	counters->fixed = (1u << min(edx & 0x1f, 16u)) - 1;
	if (counters->version >= 5)
		counters->fixed |= ecx & 0xffff;
	counters->fixed_bits = edx >> 5 & 0xff;
}

static void read_extensions(struct intel_counters *counters)
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

static void read_capabilities(struct intel_counters *counters)
{
	u32 low = 0, high = 0;

	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsr_safe(MSR_IA32_PERF_CAPABILITIES, &low, &high);
	counters->capabilities = low;
}

/* Called on each CPU, with interrupts off. */
static void read_here(void *at)
{
	struct intel_counters *counters = at;

	read_counters(counters);
	read_extensions(counters);
	read_capabilities(counters);
}

/*
 * Remove from @all what @here lacks.  If the CPUs differ, fields of @all->capabilities that have
 * several bits may get wrong values.  These fields are not used in this case.
 */
static void reduce(struct intel_counters *all, const struct intel_counters *here)
{
	all->version = min(all->version, here->version);
	all->general &= here->general;
	all->fixed &= here->fixed;
	all->events &= here->events;
	all->select &= here->select;
	all->capabilities &= here->capabilities;
}

/* If a counter were wider on one CPU than on the others, it would wrap at a larger value there. */
static bool same_widths(const struct intel_counters *a, const struct intel_counters *b)
{
	return a->general_bits == b->general_bits && a->fixed_bits == b->fixed_bits;
}

static int reduce_to_all_cpus(struct intel_counters *counters, bool *mixed)
{
	unsigned int cpu, first = cpumask_first(cpu_online_mask);
	struct intel_counters here;

	smp_call_function_single(first, read_here, counters, 1);
	for_each_online_cpu(cpu) {
		here = (struct intel_counters){};
		smp_call_function_single(cpu, read_here, &here, 1);
		if (!same_widths(counters, &here)) {
			pr_info("perfmon: perfmon_intel does not support CPUs whose counters differ in width\n");
			return -ENODEV;
		}
		*mixed |= memcmp(counters, &here, sizeof(here)) != 0;
		reduce(counters, &here);
	}
	/* A CPU that comes online later may be of a kind that has not been examined. */
	if (*mixed && !cpumask_equal(cpu_online_mask, cpu_present_mask)) {
		pr_info("perfmon: this processor has several kinds of core: bring all CPUs online before perfmon_intel is loaded\n");
		return -ENODEV;
	}
	return 0;
}

/**
 * intel_find_counters() - find out which counters and events all CPUs have
 * @counters: filled in
 * @mixed: becomes true if the processor has several kinds of core, otherwise false
 *
 * Process context, may sleep.
 *
 * Return: 0; -ENODEV if there are no counters, or if the CPUs differ in a way that is not
 * supported.  If such a difference is the cause, a message in the kernel's log names it.
 */
int intel_find_counters(struct intel_counters *counters, bool *mixed)
{
	int error;

	if (cpuid_eax(0) < LEAF_COUNTERS)
		return -ENODEV;
	*counters = (struct intel_counters){};
	*mixed = boot_cpu_has(X86_FEATURE_HYBRID_CPU);
	cpus_read_lock();
	error = reduce_to_all_cpus(counters, mixed);
	cpus_read_unlock();
	if (error)
		return error;
	return counters->version && counters->general ? 0 : -ENODEV;
}

/**
 * intel_is_architectural() - find out whether an event means the same on all processors
 * @select: value of an event select
 * @events: bitmap of architectural events
 *
 * Return: whether the event is one of @events.
 */
bool intel_is_architectural(u64 select, u32 events)
{
	/* Indexed by the event's number: SDM 3B, "Pre-defined Architectural Performance Events" */
	static const u16 codes[] = {
		0x003c, /* cycles */
		0x00c0, /* instructions */
		0x013c, /* reference cycles */
		0x4f2e, /* last level cache references */
		0x412e, /* last level cache misses */
		0x00c4, /* branches */
		0x00c5, /* mispredicted branches */
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(codes); n++)
		if (codes[n] == (select & (PFM_INTEL_PMC_EVENT | PFM_INTEL_PMC_UMASK)))
			return events & BIT(n);
	return false;
}
