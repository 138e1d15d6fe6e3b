// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <perfmon/perfmon_intel.h>
#include <perfmon/perfmon_power.h>

#include "measure.h"

#define INTEL_CYCLES	    0x3c
#define AMD_CYCLES	    0x76
#define X86_INSTRUCTIONS    0xc0 /* Intel's and AMD's */
#define POWER_CYCLES_1_TO_4 0x1e1e1e1e /* PM_CYC on PMC1 to PMC4 */

/* ---- PMUs whose PMCs select an event and levels ------------------------------------------ */

bool selects_levels(void)
{
	return pmu_is("armv8") || pmu_is("intel") || pmu_is("amd");
}

static uint64_t at_levels(uint64_t event, unsigned int levels)
{
	if (pmu_is("armv8"))
		return event | (levels & AT_USER ? 0 : KERNEL) |
		       (levels & AT_KERNEL ? 0 : USER);
	return event | (levels & AT_USER ? PFM_INTEL_PMC_USER : 0) |
	       (levels & AT_KERNEL ? PFM_INTEL_PMC_KERNEL : 0);
}

uint64_t instructions(unsigned int levels)
{
	return at_levels(pmu_is("armv8") ? INSTRUCTIONS : X86_INSTRUCTIONS, levels);
}

uint64_t cycles(unsigned int levels)
{
	return at_levels(pmu_is("armv8")   ? CPU_CYCLES
			 : pmu_is("intel") ? INTEL_CYCLES
					   : AMD_CYCLES,
			 levels);
}

static uint64_t available_counters(void)
{
	return pmu()->info.counter_pmds[0] & pmu()->info.available_pmds[0];
}

unsigned int event_counters(void)
{
	const unsigned int end = pmu_is("armv8") ? EVENT_COUNTERS : PFM_INTEL_FIXED;
	unsigned int n;

	for (n = 0; n < end && available_counters() & BIT(n); n++)
		;
	return n;
}

unsigned int prompt_counter(void)
{
	return pmu_is("armv8") ? PFM_ARMV8_CYCLE_COUNTER : event_counters() - 1;
}

uint64_t prompt_cycles(unsigned int levels)
{
	return pmu_is("armv8") ? at_levels(0, levels) : cycles(levels);
}

unsigned int other_counters(void)
{
	return pmu_is("armv8") ? event_counters() : event_counters() - 1;
}

uint64_t wrap_of(unsigned int n)
{
	char path[64];

	snprintf(path, sizeof(path), SYSFS "pmu_desc/pmd%u/width", n);
	return BIT(read_number(path));
}

/*
 * Selects user level for all available fixed counters of an Intel PMU. If @at_kernel is true, also
 * selects kernel level for them. One PMC drives all of these counters. A fixed counter that is not
 * in use does not count.
 */
static void program_fixed(int fd, bool at_kernel)
{
	uint64_t control = 0;
	unsigned int n;

	for (n = 0; PFM_INTEL_FIXED + n < MOST_COUNTERS; n++)
		if (available_counters() & BIT(PFM_INTEL_FIXED + n))
			control |= PFM_INTEL_FIXED_USER(n) |
				   (at_kernel ? PFM_INTEL_FIXED_KERNEL(n) : 0);
	write_pmc(fd, PFM_INTEL_FIXED, control);
}

unsigned int use_all_counters(int fd, unsigned int *numbers)
{
	unsigned int n, count = 0;

	for (n = 0; n < MOST_COUNTERS; n++) {
		if (!(available_counters() & BIT(n)))
			continue;
		numbers[count++] = n;
		if (pmu_is("intel") && n >= PFM_INTEL_FIXED)
			program_fixed(fd, false);
		else if (pmu_is("armv8") && n == PFM_ARMV8_CYCLE_COUNTER)
			write_pmc(fd, n, USER);
		else
			write_pmc(fd, n, instructions(AT_USER));
		write_pmd(fd, n, 0);
	}
	return count;
}

/*
 * From version 2 on, Intel's PMUs have a register that starts all counters. The same versions have
 * fixed counters, so a PMU with fixed counters has this register. From PerfMonV2 on, AMD's PMUs
 * have a register that starts all counters.
 */
bool starts_at_once(void)
{
	if (pmu_is("intel"))
		return pmu()->info.implemented_pmds[0] >> PFM_INTEL_FIXED;
	return !pmu_is("amd") || strstr(read_text("/proc/cpuinfo"), " perfmon_v2");
}

bool counters_are_shared(void)
{
	char path[96];

	if (!pmu_is("intel") && !pmu_is("amd"))
		return false;
	snprintf(path, sizeof(path), "/sys/module/%s/parameters/ownership_now",
		 pmu_module());
	return !strcmp(read_text(path), "shared\n");
}

bool counters_are_independent(void)
{
	return pmu_is("armv8") || counters_are_shared();
}

/* ---- any PMU ----------------------------------------------------------------------------- */

void program_busy_counter(int fd, unsigned int n)
{
	if (pmu_is("power"))
		write_pmc(fd, PFM_POWER_MMCR1, POWER_CYCLES_1_TO_4);
	else if (pmu_is("intel") && n >= PFM_INTEL_FIXED)
		program_fixed(fd, true);
	else if (pmu_is("armv8") && n == PFM_ARMV8_CYCLE_COUNTER)
		write_pmc(fd, n, 0);
	else
		write_pmc(fd, n, pmu()->busy[0]);
}

unsigned int sample_promptly(int fd, uint64_t period, uint32_t flags)
{
	struct pfarg_pmd pmd = {
		.reg_num = pmu()->pmds[0],
		.reg_flags = flags,
		.reg_value = -period,
		.reg_short_reset = -period,
		.reg_long_reset = -period,
	};
	struct pfarg_pmc pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };

	if (pmu_is("armv8")) {
		pmd.reg_num = pmc.reg_num = PFM_ARMV8_CYCLE_COUNTER;
		pmc.reg_value = 0;
	}
	must(fd, pfm_write_pmcs(fd, &pmc, 1));
	must(fd, pfm_write_pmds(fd, &pmd, 1));
	return pmd.reg_num;
}

/* ---- what a test needs ------------------------------------------------------------------- */

static void need_known_clock(void)
{
	if (!is_deterministic())
		skip("QEMU counts instructions only with --icount");
}

void need_levels(void)
{
	if (!selects_levels())
		skip("no PMU whose PMCs select an event and levels");
}

void need_known_instructions(void)
{
	need_levels();
	need_known_clock();
}

void need_independent_counters(void)
{
	need_known_instructions();
	if (!counters_are_independent())
		skip("one register controls several counters");
}

void need_user_instructions(void)
{
	if (!pmu_is("power"))
		need_levels();
	else if (getenv("QEMU_VERSION") && !getenv("QEMU_LEVELS")) /* from tests/vm/run */
		skip("this QEMU cannot count user-level instructions alone");
	need_known_clock();
}

void need_exact_counts(void)
{
	need_armv8();
	need_known_clock();
}

void need_armv8(void)
{
	if (!pmu_is("armv8"))
		skip("the PMU is not armv8");
}

void need_power(void)
{
	if (!pmu_is("power"))
		skip("the PMU is not power");
}

const char *need_x86(void)
{
	const char *module = pmu_module();

	if (strcmp(module, "perfmon_intel") && strcmp(module, "perfmon_amd"))
		skip("no x86 PMU");
	return module;
}

void need_overflow_interrupts(void)
{
	const char *qemu = getenv("QEMU_VERSION"); /* set by tests/vm/run */
	struct pfm_info info; /* not pmu(), which fails if it does not know the PMU */
	int fd;

	if (!qemu || atoi(qemu) >= 10)
		return;
	fd = pfm_open_device();
	must(fd, pfm_get_info(fd, &info));
	close(fd);
	if (!strcmp(info.pmu_name, "power"))
		skip("QEMU %s raises no overflow interrupts on POWER", qemu);
}
