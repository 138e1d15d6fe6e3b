// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMD's core counters, perfmon_amd.h. The event codes are from the BIOS and Kernel Developer's
 * Guide of family 10h, and from the Processor Programming Reference of family 17h. On family 15h,
 * there are many events that only some of the counters can count: see pfm_amd_15h_counters().
 */
#include <perfmon/perfmon_amd.h>

#include "common_events.h"

#define CODE                                                                             \
	(PFM_AMD_PMC_EVENT | PFM_AMD_PMC_UMASK | PFM_AMD_PMC_EDGE | PFM_AMD_PMC_INVERT | \
	 PFM_AMD_PMC_CMASK)

#define CYCLES_NOT_HALTED 0x0076
#define INSTRUCTIONS	  0x00c0
#define BRANCHES	  0x00c2
#define BRANCH_MISSES	  0x00c3

#define FAMILY_15H	  0x15
#define FAMILY_17H	  0x17

/* Up to family 16h, the northbridge counts the events from this number on. */
#define NORTHBRIDGE	  0xe0

/* The events that have the same codes on all families. */
/* clang-format off */
#define EVENTS_OF_ALL_FAMILIES \
	COMMON_CYCLES(CYCLES_NOT_HALTED), \
	COMMON_INSTRUCTIONS(INSTRUCTIONS), \
	COMMON_BRANCHES(RETIRED_BRANCHES_TEXT, BRANCHES), \
	COMMON_BRANCH_MISSES(BRANCH_MISSES)
/* clang-format on */

/* perf(1) uses the same codes for these names. */
static const struct common_event common_k8[] = {
	EVENTS_OF_ALL_FAMILIES,
	COMMON_CACHE_REFERENCES("accesses to the second-level cache", 0x077d),
	COMMON_CACHE_MISSES("accesses that missed the second-level cache", 0x077e),
	COMMON_FRONTEND_STALLS("cycles without an instruction to decode", 0x00d0),
	COMMON_BACKEND_STALLS("cycles in which no instruction could be dispatched",
			      0x00d1),
};

static const struct common_event common_17h[] = {
	EVENTS_OF_ALL_FAMILIES,
	COMMON_CACHE_REFERENCES("requests to the second-level cache", 0xff60),
	COMMON_CACHE_MISSES("requests that missed the second-level cache", 0x0964),
};

static const struct counter_rule rules[] = { { .first = 0, .last = 15 } };

static unsigned int encode(const struct pmu *pmu, uint64_t code, unsigned int modes,
			   uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT])
{
	uint64_t value = code & CODE;

	(void)pmu;
	if (modes & MODE_USER)
		value |= PFM_AMD_PMC_USER;
	if (modes & MODE_KERNEL)
		value |= PFM_AMD_PMC_KERNEL;
	bits[0] = (struct pmc_bits){ .pmc = pmd, .value = value, .mask = ~0ull };
	return 1;
}

static unsigned int encode_15h(const struct pmu *pmu, uint64_t code, unsigned int modes,
			       uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT])
{
	if (!(pfm_amd_15h_counters(code) >> pmd & 1))
		return 0;
	return encode(pmu, code, modes, pmd, bits);
}

static const char *refuse_northbridge(const struct pmu *pmu, uint64_t code)
{
	(void)pmu;
	if ((code & NORTHBRIDGE) != NORTHBRIDGE)
		return NULL;
	return "it is an event of the northbridge, which the cores share";
}

static const char *refuse_15h(const struct pmu *pmu, uint64_t code)
{
	if (pfm_amd_15h_counters(code))
		return NULL;
	if (refuse_northbridge(pmu, code))
		return refuse_northbridge(pmu, code);
	return "no core counter of family 15h can count it: the event does not exist, or "
	       "its unit mask has more than one bit";
}

static const char *refuse_17h(const struct pmu *pmu, uint64_t code)
{
	(void)pmu;
	if (pfm_amd_17h_merges_counters(code))
		return "it counts nothing: it merges two counters into one";
	if (!pfm_amd_17h_needs_two_counters(code))
		return NULL;
	return "its count can grow by more than 15 in a cycle, so it needs two counters";
}

/*
 * Returns the family of a processor. @id is EAX of CPUID leaf 1. The extended family is added only
 * if the base family is 0FH.
 */
static unsigned int family_of(uint64_t id)
{
	unsigned int family = id >> 8 & 0xf;

	return family == 0xf ? family + (id >> 20 & 0xff) : family;
}

static bool is_17h_or_later(uint64_t id)
{
	return family_of(id) >= FAMILY_17H;
}

static bool is_15h(uint64_t id)
{
	return family_of(id) == FAMILY_15H;
}

static bool is_other(uint64_t id)
{
	return !is_15h(id) && !is_17h_or_later(id);
}

#define AMD(events)                                                                      \
	.name = "amd", .is_hardware = true, .has_modes = true, .code_mask = CODE,        \
	.common = (events), .common_count = sizeof(events) / sizeof((events)[0]),        \
	.rules = rules, .rule_count = sizeof(rules) / sizeof(rules[0])

const struct pmu pmu_amd_k8 = {
	AMD(common_k8),
	.is_model = is_other,
	.encode = encode,
	.refusal = refuse_northbridge,
};

const struct pmu pmu_amd_15h = {
	AMD(common_k8),
	.is_model = is_15h,
	.encode = encode_15h,
	.refusal = refuse_15h,
};

const struct pmu pmu_amd_17h = {
	AMD(common_17h),
	.is_model = is_17h_or_later,
	.encode = encode,
	.refusal = refuse_17h,
};
