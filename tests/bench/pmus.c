// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <string.h>
#include <perfmon/perfmon_amd.h>
#include <perfmon/perfmon_armv8.h>
#include <perfmon/perfmon_intel.h>
#include <perfmon/perfmon_power.h>
#include <perfmon/perfmon_soft.h>

#include "pmus.h"
#include "tool.h"

#define SIX(x)                                                                           \
	{                                                                                \
		x, x, x, x, x, x                                                         \
	}

#define ARMV8_INST_RETIRED 0x08
#define ARMV8_CPU_CYCLES   0x11
#define ARMV8_COUNTER(n)                                                                 \
	{                                                                                \
		n, ARMV8_INST_RETIRED, ARMV8_CPU_CYCLES, n                               \
	}

#define POWER_INST_CMPL 0x02020202 /* PM_INST_CMPL on PMC1 to PMC4 */
#define POWER_CYC	0x1e1e1e1e /* PM_CYC on PMC1 to PMC4 */
#define POWER_COUNTER(n)                                                                 \
	{                                                                                \
		PFM_POWER_MMCR1, POWER_INST_CMPL, POWER_CYC, n                           \
	}

#define SOFT_COUNTER(n, event)                                                           \
	{                                                                                \
		n, event, PFM_SOFT_CONTEXT_SWITCHES, n                                   \
	}

#define X86_INSTRUCTIONS 0xc0 /* the event's code on Intel and AMD */
#define INTEL_CYCLES	 0x3c
#define AMD_CYCLES	 0x76
#define X86_USER	 PFM_INTEL_PMC_USER /* AMD's bits are the same */
#define X86_BOTH	 (PFM_INTEL_PMC_USER | PFM_INTEL_PMC_KERNEL)
#define X86_COUNTER(n, cycles)                                                           \
	{                                                                                \
		n, X86_INSTRUCTIONS | X86_BOTH, (cycles) | X86_BOTH, n                   \
	}

/*
 * Fixed counter 0 counts instructions, and fixed counter 1 counts cycles. Both count at user and
 * kernel level.
 */
#define INTEL_FIXED_ON                                                                   \
	(PFM_INTEL_FIXED_USER(0) | PFM_INTEL_FIXED_KERNEL(0) | PFM_INTEL_FIXED_USER(1) | \
	 PFM_INTEL_FIXED_KERNEL(1))
#define INTEL_FIXED_COUNTER(n)                                                           \
	{                                                                                \
		PFM_INTEL_FIXED, INTEL_FIXED_ON, INTEL_FIXED_ON, PFM_INTEL_FIXED + (n)   \
	}

static const struct pmu pmus[] = {
	{
		.name = "armv8",
		.counters = { ARMV8_COUNTER(0), ARMV8_COUNTER(1), ARMV8_COUNTER(2),
			      ARMV8_COUNTER(3), ARMV8_COUNTER(4), ARMV8_COUNTER(5) },
		.cycles = { PFM_ARMV8_CYCLE_COUNTER, 0, 0, PFM_ARMV8_CYCLE_COUNTER },
		.cycles_of_user = PFM_ARMV8_PMC_EXCLUDE_KERNEL,
		.recorded = 0x1e,
		.perf = { SIX(ARMV8_INST_RETIRED), SIX(ARMV8_INST_RETIRED),
			  ARMV8_CPU_CYCLES },
	},
	{
		.name = "power",
		.counters = { POWER_COUNTER(1),
			      POWER_COUNTER(2),
			      POWER_COUNTER(3),
			      POWER_COUNTER(4),
			      { PFM_POWER_MMCR0, 0, 0, PFM_POWER_PMC5 },
			      { PFM_POWER_MMCR0, 0, 0, PFM_POWER_PMC6 } },
		.cycles = { PFM_POWER_MMCR0, 0, 0, PFM_POWER_PMC6 },
		.cycles_of_user = PFM_POWER_MMCR0_FCS,
		.recorded = 0x1e,
		/* The first four events use PMC1 to PMC4, the last two use PMC5 and PMC6. */
		.perf = { { 0x02, 0x1e, 0x02, 0x1e, 0x500fa, 0x600f4 },
			  { 0x10002, 0x2001e, 0x30002, 0x4001e, 0x500fa, 0x600f4 },
			  0x1e },
	},
	{
		.name = "intel",
		.counters = { X86_COUNTER(0, INTEL_CYCLES), X86_COUNTER(1, INTEL_CYCLES),
			      X86_COUNTER(2, INTEL_CYCLES), X86_COUNTER(3, INTEL_CYCLES),
			      INTEL_FIXED_COUNTER(0), INTEL_FIXED_COUNTER(1) },
		.cycles = { 0, INTEL_CYCLES | X86_BOTH, INTEL_CYCLES | X86_BOTH, 0 },
		.cycles_of_user = INTEL_CYCLES | X86_USER,
		.recorded = 0xe | 1ull << PFM_INTEL_FIXED,
		/* perf counts the cycles and one of the instruction events with fixed counters. */
		.perf = { { X86_INSTRUCTIONS, X86_INSTRUCTIONS, X86_INSTRUCTIONS,
			    X86_INSTRUCTIONS, X86_INSTRUCTIONS, INTEL_CYCLES },
			  { X86_INSTRUCTIONS, X86_INSTRUCTIONS, X86_INSTRUCTIONS,
			    X86_INSTRUCTIONS, X86_INSTRUCTIONS, INTEL_CYCLES },
			  INTEL_CYCLES },
	},
	{
		.name = "amd",
		.counters = { X86_COUNTER(0, AMD_CYCLES), X86_COUNTER(1, AMD_CYCLES),
			      X86_COUNTER(2, AMD_CYCLES), X86_COUNTER(3, AMD_CYCLES),
			      X86_COUNTER(4, AMD_CYCLES), X86_COUNTER(5, AMD_CYCLES) },
		.cycles = { 0, AMD_CYCLES | X86_BOTH, AMD_CYCLES | X86_BOTH, 0 },
		.cycles_of_user = AMD_CYCLES | X86_USER,
		.recorded = 0x1e,
		.perf = { SIX(X86_INSTRUCTIONS), SIX(X86_INSTRUCTIONS), AMD_CYCLES },
	},
	{
		.name = "soft",
		.counters = { SOFT_COUNTER(0, PFM_SOFT_TIME_COUNTER),
			      SOFT_COUNTER(1, PFM_SOFT_TASK_CLOCK),
			      SOFT_COUNTER(2, PFM_SOFT_TIME_COUNTER),
			      SOFT_COUNTER(3, PFM_SOFT_TASK_CLOCK),
			      SOFT_COUNTER(4, PFM_SOFT_TIME_COUNTER),
			      SOFT_COUNTER(5, PFM_SOFT_TASK_CLOCK) },
		.cycles = SOFT_COUNTER(0, PFM_SOFT_TIME_COUNTER),
	},
};

const struct pmu *find_pmu(void)
{
	static const struct pmu *found;
	struct pfm_info info;
	size_t i;

	if (found)
		return found;
	perfmon_describe(&info);
	for (i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++)
		if (strcmp(pmus[i].name, info.pmu_name) == 0)
			return found = &pmus[i];
	errx(1, "no events known for the PMU \"%s\"", info.pmu_name);
}

bool has_hardware_events(void)
{
	return find_pmu()->perf.cycles;
}
