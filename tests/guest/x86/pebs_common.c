// SPDX-License-Identifier: GPL-2.0-only
#include <cpuid.h>
#include <stdio.h>
#include <unistd.h>

#include "pebs.h"
#include "x86_registers.h"

#define DTES64 BIT(2) /* CPUID 1 ECX */

/*
 * Checks that the file of parameter "pebs" exists if the PMU is Intel's, and does not exist if the
 * PMU is another one.
 */
bool is_intel(void)
{
	const bool is = pmu_is("intel");

	ck_assert_int_eq(access(PEBS_PARAMETER, F_OK), is ? 0 : -1);
	return is;
}

bool processor_has_pebs(void)
{
	unsigned int eax, ebx, ecx, edx;

	__cpuid(1, eax, ebx, ecx, edx);
	return ecx & DTES64;
}

int pebs_format(void)
{
	int number;

	return sscanf(read_text(PEBS_PARAMETER), "format %d", &number) == 1 ? number : -1;
}

static void check_without(void)
{
	ck_assert_int_eq(pebs_format(), -1);
}

void with_pebs(void (*check)(void))
{
	if (!is_intel())
		return;
	with_own_counters(processor_has_pebs() ? check : check_without);
}

void sample_precisely(int fd, uint64_t period, unsigned int levels)
{
	struct pfarg_pmd pmd = { .reg_num = SAMPLED,
				 .reg_flags = NOTIFY,
				 .reg_value = -period,
				 .reg_short_reset = -period,
				 .reg_long_reset = -period };

	write_pmc(fd, SAMPLED, instructions(levels));
	write_pmc(fd, BESIDE, instructions(levels));
	write_pmc(fd, PFM_INTEL_PEBS, BIT(SAMPLED));
	write_pmd(fd, BESIDE, 0);
	write_one(fd, pmd);
}

void run_precisely(int fd, uint64_t length)
{
	int started, stopped;

	load(fd, thread_id());
	started = pfm_start(fd, NULL);
	precise_loop(length);
	stopped = pfm_stop(fd);
	must(fd, started);
	must(fd, stopped);
}
