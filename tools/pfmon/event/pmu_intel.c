// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel's architectural performance monitoring, perfmon_intel.h.  Event codes: Intel SDM, volume
 * 3B, section "Pre-defined Architectural Performance Events".
 */
#include <perfmon/perfmon_intel.h>

#include "pmu.h"

#define CODE                                                                             \
	(PFM_INTEL_PMC_EVENT | PFM_INTEL_PMC_UMASK | PFM_INTEL_PMC_EDGE |                \
	 PFM_INTEL_PMC_INVERT | PFM_INTEL_PMC_CMASK)

#define UNHALTED_CORE_CYCLES  0x003c
#define UNHALTED_REF_CYCLES   0x013c
#define INSTRUCTIONS_RETIRED  0x00c0
#define LLC_REFERENCES	      0x4f2e
#define LLC_MISSES	      0x412e
#define BRANCHES_RETIRED      0x00c4
#define BRANCH_MISSES_RETIRED 0x00c5

/*
 * Events that only a fixed counter has.  No event select has event 0, so perf and libpfm4 name the
 * counter by the unit mask.
 */
#define FIXED_REF_CYCLES      0x0300
#define FIXED_SLOTS	      0x0400

/* perf(1) uses the same codes for these names. */
static const struct common_event common[] = {
	{
		.name = "cycles",
		.alias = "cpu-cycles",
		.description = "CPU cycles",
		.role = ROLE_CYCLES,
		.codes = { UNHALTED_CORE_CYCLES },
		.code_count = 1,
	},
	{
		.name = "instructions",
		.description = "instructions that were executed to the end",
		.role = ROLE_INSTRUCTIONS,
		.codes = { INSTRUCTIONS_RETIRED },
		.code_count = 1,
	},
	{
		.name = "branches",
		.alias = "branch-instructions",
		.description = "branches that were executed to the end",
		.role = ROLE_BRANCHES,
		.codes = { BRANCHES_RETIRED },
		.code_count = 1,
	},
	{
		.name = "branch-misses",
		.description = "branches that were predicted wrongly",
		.role = ROLE_BRANCH_MISSES,
		.codes = { BRANCH_MISSES_RETIRED },
		.code_count = 1,
	},
	{
		.name = "cache-references",
		.description = "accesses to the last-level cache",
		.role = ROLE_CACHE_REFERENCES,
		.codes = { LLC_REFERENCES },
		.code_count = 1,
	},
	{
		.name = "cache-misses",
		.description = "accesses that missed the last-level cache",
		.role = ROLE_CACHE_MISSES,
		.codes = { LLC_MISSES },
		.code_count = 1,
	},
	{
		.name = "bus-cycles",
		.description = "cycles of the reference clock, on a general counter",
		.codes = { UNHALTED_REF_CYCLES },
		.code_count = 1,
	},
	{
		.name = "ref-cycles",
		.description = "cycles at the rate of the time-stamp counter",
		.codes = { FIXED_REF_CYCLES },
		.code_count = 1,
	},
};

#define FIXED(i) (PFM_INTEL_FIXED + PFM_INTEL_FIXED_##i)

/* Fixed counters are preferred: they leave the general ones free. */
static const struct counter_rule rules[] = {
	{
		.code = INSTRUCTIONS_RETIRED,
		.mask = CODE,
		.first = FIXED(INSTRUCTIONS),
		.last = FIXED(INSTRUCTIONS),
	},
	{
		.code = UNHALTED_CORE_CYCLES,
		.mask = CODE,
		.first = FIXED(CYCLES),
		.last = FIXED(CYCLES),
	},
	{
		.code = FIXED_REF_CYCLES,
		.mask = CODE,
		.first = FIXED(REF_CYCLES),
		.last = FIXED(REF_CYCLES),
		.only = true,
	},
	{
		.code = FIXED_SLOTS,
		.mask = CODE,
		.first = FIXED(SLOTS),
		.last = FIXED(SLOTS),
		.only = true,
	},
	{ .first = 0, .last = PFM_INTEL_FIXED - 1 },
};

static struct pmc_bits encode_fixed(unsigned int i, unsigned int modes)
{
	const uint64_t user = PFM_INTEL_FIXED_USER(i), kernel = PFM_INTEL_FIXED_KERNEL(i);

	return (struct pmc_bits){
		.pmc = PFM_INTEL_FIXED,
		.value = (modes & MODE_USER ? user : 0) |
			 (modes & MODE_KERNEL ? kernel : 0),
		.mask = user | kernel,
	};
}

static unsigned int encode(const struct pmu *pmu, uint64_t code, unsigned int modes,
			   uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT])
{
	uint64_t value = code & CODE;

	(void)pmu;
	if (pmd >= PFM_INTEL_FIXED) {
		bits[0] = encode_fixed(pmd - PFM_INTEL_FIXED, modes);
		return 1;
	}
	if (modes & MODE_USER)
		value |= PFM_INTEL_PMC_USER;
	if (modes & MODE_KERNEL)
		value |= PFM_INTEL_PMC_KERNEL;
	bits[0] = (struct pmc_bits){ .pmc = pmd, .value = value, .mask = ~0ull };
	return 1;
}

const struct pmu pmu_intel = {
	.name = "intel",
	.is_hardware = true,
	.has_modes = true,
	.code_mask = CODE,
	.common = common,
	.common_count = sizeof(common) / sizeof(common[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.encode = encode,
};
