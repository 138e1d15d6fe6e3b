// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arm PMUv3, perfmon_armv8.h.  The event numbers are from the Arm ARM, "PMU events and
 * event numbers" (common events, 0x0000 to 0x003F).
 */
#include <perfmon/perfmon_armv8.h>

#include "cpu_events.h"
#include "common_events.h"

#define L1D_CACHE_REFILL 0x03
#define L1D_CACHE	 0x04
#define INST_RETIRED	 0x08
#define PC_WRITE_RETIRED 0x0c
#define BR_MIS_PRED	 0x10
#define CPU_CYCLES	 0x11
#define BUS_CYCLES	 0x1d
#define CHAIN		 0x1e
#define BR_RETIRED	 0x21
#define STALL_FRONTEND	 0x23
#define STALL_BACKEND	 0x24

#define COMMON_EVENTS	 0x40

/*
 * These are the codes that perf(1) uses for these names, so pfmon and perf count the same events.
 * For branches, perf uses PC_WRITE_RETIRED (every change of the PC by software). Some newer cores
 * do not have this event. On these cores, perf uses BR_RETIRED.
 */
static const struct common_event common[] = {
	COMMON_CYCLES(CPU_CYCLES),
	COMMON_INSTRUCTIONS(INST_RETIRED),
	COMMON_BRANCHES(RETIRED_BRANCHES_TEXT, PC_WRITE_RETIRED, BR_RETIRED),
	COMMON_BRANCH_MISSES(BR_MIS_PRED),
	COMMON_CACHE_REFERENCES("accesses to the first-level data cache", L1D_CACHE),
	COMMON_CACHE_MISSES("refills of the first-level data cache", L1D_CACHE_REFILL),
	COMMON_EVENT("bus-cycles", ROLE_OTHER, "cycles of the CPU's bus", BUS_CYCLES),
	COMMON_FRONTEND_STALLS("cycles without an instruction to issue", STALL_FRONTEND),
	COMMON_BACKEND_STALLS("cycles in which no instruction could be issued",
			      STALL_BACKEND),
};

/* If possible, the cycle counter counts cycles, so that the other counters stay available. */
static const struct counter_rule rules[] = {
	{
		.code = CPU_CYCLES,
		.mask = PFM_ARMV8_PMC_EVENT,
		.first = PFM_ARMV8_CYCLE_COUNTER,
		.last = PFM_ARMV8_CYCLE_COUNTER,
	},
	{ .first = 0, .last = PFM_ARMV8_CYCLE_COUNTER - 1 },
};

static unsigned int encode(const struct pmu *pmu, uint64_t code, unsigned int modes,
			   uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT])
{
	uint64_t value = 0;

	(void)pmu;
	if (pmd != PFM_ARMV8_CYCLE_COUNTER)
		value |= code & PFM_ARMV8_PMC_EVENT;
	if (!(modes & MODE_USER))
		value |= PFM_ARMV8_PMC_EXCLUDE_USER;
	if (!(modes & MODE_KERNEL))
		value |= PFM_ARMV8_PMC_EXCLUDE_KERNEL;
	/* With EXCLUDE_KERNEL, the module excludes the kernel even if the kernel runs at EL2. */

	bits[0] = (struct pmc_bits){ .pmc = pmd, .value = value, .mask = ~0ull };
	return 1;
}

/*
 * Returns whether the CPU implements the event @code, as far as pfmon knows. The registers
 * PMCEID0_EL0 and PMCEID1_EL0 show which common events the CPU implements. User programs cannot
 * read these registers, but the kernel lists the same events in sysfs. The kernel leaves out only
 * the event CHAIN, because CHAIN joins two counters and counts nothing itself.
 */
static bool has_code(uint64_t code)
{
	if (code == CHAIN)
		return false;
	if (code >= COMMON_EVENTS || !cpu_events_known())
		return true;
	return cpu_events_have(code);
}

const struct pmu pmu_armv8 = {
	.name = "armv8",
	.is_hardware = true,
	.has_modes = true,
	.code_mask = PFM_ARMV8_PMC_EVENT,
	.common = common,
	.common_count = sizeof(common) / sizeof(common[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.encode = encode,
	.has_code = has_code,
};
