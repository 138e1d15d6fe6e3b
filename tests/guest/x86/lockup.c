// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests that the NMI watchdog reports a CPU that spins with interrupts off, even while we take
 * samples on this CPU.
 */
#include "samples.h"

SUITE(lockup, 600);

#define THRESHOLD "/proc/sys/kernel/watchdog_thresh"
#define SECONDS	  6u /* how long the CPU spins: several periods of the watchdog, 1 s each */
#define CYCLES	  1000000u /* a sampling period */

static void spin(void)
{
	set_module_parameter("perfmon_spin", "milliseconds", SECONDS * 1000);
}

/* Returns a context that samples the kernel's cycles. */
static int sample_kernel(void)
{
	struct pfarg_pmd pmd = {
		.reg_value = -(uint64_t)CYCLES,
		.reg_short_reset = -(uint64_t)CYCLES,
	};
	int fd = default_context(0, MIB);

	pmu_forget();
	pmd.reg_num = __builtin_ctzll(pmu()->info.available_pmds[0]);
	write_pmc(fd, pmd.reg_num, cycles(AT_KERNEL));
	write_one(fd, pmd);
	return fd;
}

static void check_report(void)
{
	header_t header;
	int fd;

	reports_begin();
	write_text(THRESHOLD, "1");
	watchdog_on();
	fd = sample_kernel();
	header = map_buffer(fd, MIB);
	load_and_start(fd, thread_id());
	spin();
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(reports_end(HARD_LOCKUP), 1);
	/*
	 * A cycle takes a nanosecond, so there are about 1000 samples per second. Their number is
	 * not exact: printing the kernel's report takes more cycles, and perf's NMI handler halts
	 * our counters for a while.
	 */
	must_be_between(header->hdr_count, SECONDS * 980, SECONDS * 1050);
	close(fd);
}

static void check_with_spin(void)
{
	with_module("perfmon_spin", check_report);
}

static void put_back(void)
{
	watchdog_off();
	write_text(THRESHOLD, "10");
}

static void check_and_put_back(void)
{
	then_put_back(check_with_spin, put_back);
}

TEST(the_watchdog_reports_a_lockup_while_we_sample)
{
	need_watchdog();
	with_ownership("shared", check_and_put_back);
}
