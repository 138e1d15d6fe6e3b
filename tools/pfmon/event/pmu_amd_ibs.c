// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMD's instruction based sampling, PMU "amd_ibs" of perfmon_amd.h. libpfm4 has no events for it.
 * The low byte of a code is the number of the PMD; the other bits go into the PMC.
 */
#include <perfmon/perfmon_amd.h>

#include "pmu.h"

#define PMD_OF_CODE 0xffull
#define CODE	    (PMD_OF_CODE | PFM_AMD_IBS_COUNT_OPS | PFM_AMD_IBS_RANDOM)

static const struct common_event common[] = {
	{
		.name = "ibs_op",
		.description = "operations that were dispatched; samples are exact",
		.codes = { PFM_AMD_IBS_OP | PFM_AMD_IBS_COUNT_OPS },
		.code_count = 1,
	},
	{
		.name = "ibs_op_cycles",
		.description = "CPU cycles; samples are exact",
		.role = ROLE_CYCLES,
		.codes = { PFM_AMD_IBS_OP },
		.code_count = 1,
	},
	{
		.name = "ibs_fetch",
		.description = "instruction fetches; samples are exact",
		.codes = { PFM_AMD_IBS_FETCH },
		.code_count = 1,
	},
	{
		.name = "ibs_fetch_random",
		.description = "instruction fetches, with periods that vary by up to 15; "
			       "samples are exact",
		.codes = { PFM_AMD_IBS_FETCH | PFM_AMD_IBS_RANDOM },
		.code_count = 1,
	},
};

static const struct counter_rule rules[] = {
	{
		.code = PFM_AMD_IBS_OP,
		.mask = PMD_OF_CODE,
		.first = PFM_AMD_IBS_OP,
		.last = PFM_AMD_IBS_OP,
	},
	{
		.code = PFM_AMD_IBS_FETCH,
		.mask = PMD_OF_CODE,
		.first = PFM_AMD_IBS_FETCH,
		.last = PFM_AMD_IBS_FETCH,
	},
};

static unsigned int encode(const struct pmu *pmu, uint64_t code, unsigned int modes,
			   uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT])
{
	uint64_t value = code & CODE & ~PMD_OF_CODE;

	(void)pmu;
	if ((code & PMD_OF_CODE) != pmd)
		return 0;
	if (modes & MODE_USER)
		value |= PFM_AMD_IBS_USER;
	if (modes & MODE_KERNEL)
		value |= PFM_AMD_IBS_KERNEL;
	bits[0] = (struct pmc_bits){
		.pmc = pmd == PFM_AMD_IBS_OP ? PFM_AMD_IBS_PMC_OP : PFM_AMD_IBS_PMC_FETCH,
		.value = value,
		.mask = ~0ull,
	};
	return 1;
}

const struct pmu pmu_amd_ibs = {
	.name = "amd_ibs",
	.has_modes = true,
	.filters_samples = true,
	.code_mask = CODE,
	.common = common,
	.common_count = sizeof(common) / sizeof(common[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.encode = encode,
};
