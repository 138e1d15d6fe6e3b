// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests that a stopped set counts nothing, even if other code enables all counters. For
 * example, perf's handler enables all counters in each NMI while an event of Intel PT exists. This
 * test itself enables the counter of the stopped set. If the PMU has no register that enables all
 * counters, the test enables nothing, because perf does not touch the enable bits of our counters.
 */
#include "measure.h"
#include "x86_registers.h"

SUITE(enabled_by_others, 60);

#define INTEL_CONTROL 0x38f
#define AMD_CONTROL   0xc0000301
#define LOOP	      10000ull

/* Starts and stops the context. Returns how many events counter 0 counted in between. */
static uint64_t count_run(int fd)
{
	const uint64_t begun = read_pmd(fd, 0);

	must(fd, pfm_start(fd, NULL));
	loop(LOOP);
	must(fd, pfm_stop(fd));
	return read_pmd(fd, 0) - begun;
}

/*
 * In the second run the counter continues from its value after the first run. So the second count
 * would include what the counter counted between the two runs.
 */
static void check_stopped(void)
{
	const uint32_t control = pmu_is("intel") ? INTEL_CONTROL : AMD_CONTROL;
	int fd = context_of(0, instructions(AT_USER));
	uint64_t counted;

	wait_for_unknown_nmi_reports();
	load(fd, thread_id());
	counted = count_run(fd);
	if (starts_at_once()) {
		ck_assert_uint_eq(msr_read(control), 0);
		msr_write(control, 1);
		ck_assert_uint_eq(msr_read(control), 1);
		reports_begin();
		msr_write(TEST_DO, DO_FOREIGN_NMI);
		ck_assert_uint_eq(reports_end(UNKNOWN_NMI), 1);
		ck_assert_uint_eq(msr_read(control), 0);
	}
	ck_assert_uint_eq(count_run(fd), counted);
	close(fd);
}

TEST(a_stopped_set_gets_no_counts)
{
	with_own_counters(check_stopped);
}
