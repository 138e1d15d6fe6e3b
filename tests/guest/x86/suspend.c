// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests contexts that are loaded while the machine suspends to RAM. The suspend erases the
 * registers of CPU 0.
 *
 * Guests that can suspend have no exact clock, and in these guests QEMU's PMU counts nanoseconds.
 * So the tests compare each count with the CPU time. If a register was lost, the count is 0, or at
 * least 2^46.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <perfmon/perfmon_intel.h>

#include "measure.h"
#include "samples.h"
#include "system_wide.h"
#include "x86_registers.h"

SUITE(suspend, 300);

#define WORK	  (100 * MILLION)
#define ALARM	  "/sys/class/rtc/rtc0/wakealarm"
#define SUSPENDED "/sys/power/suspend_stats/success"

#define DEBUGCTL  0x1d9
#define DS_AREA	  0x600
#define DATA_CFG  0x3f2

static void suspend(void)
{
	const uint64_t before = read_number(SUSPENDED);

	write_text(ALARM, "0");
	write_text(ALARM, "+2");
	write_text("/sys/power/state", "mem");
	ck_assert_uint_eq(read_number(SUSPENDED), before + 1);
}

/*
 * Loads the PMU module with @ownership as its parameter "ownership", and runs @check on CPU 0. When
 * @check suspends the machine, the registers of CPU 0 are erased.
 */
static void suspending(const char *ownership, void (*check)(void))
{
	const char *module = need_x86();
	char parameters[32];

	if (!getenv("QEMU_SUSPEND"))
		skip("the guest cannot suspend to RAM (--suspend of tests/vm/run)");
	pin(0);
	snprintf(parameters, sizeof(parameters), "ownership=%s", ownership);
	with_pmu(module, parameters, check);
}

/* While work() runs, each counter must count about one event per ns. */
static void must_count(int fd, const unsigned int *numbers, int count)
{
	uint64_t before[MOST_COUNTERS], after[MOST_COUNTERS], begun = monotonic_time();
	uint64_t worked;
	int i;

	read_pmds(fd, numbers, before, count);
	worked = work(WORK);
	read_pmds(fd, numbers, after, count);
	begun = monotonic_time() - begun;
	ck_assert_uint_gt(worked, 0);
	for (i = 0; i < count; i++)
		must_be_between(after[i] - before[i], worked / 4, begun);
}

/* Loads the context @fd on @target, which is this thread or CPU 0, and suspends the machine. */
static void check_counts(int fd, uint32_t target)
{
	uint64_t before[MOST_COUNTERS], after[MOST_COUNTERS];
	unsigned int numbers[MOST_COUNTERS], count, i;

	count = use_all_counters(fd, numbers);
	load(fd, target);
	must(fd, pfm_start(fd, NULL));
	must_count(fd, numbers, count);
	read_pmds(fd, numbers, before, count);
	suspend();
	read_pmds(fd, numbers, after, count);
	for (i = 0; i < count; i++)
		must_be_between(after[i] - before[i], 0, 500 * MS);
	must_count(fd, numbers, count);
	ck_assert_uint_eq(status_of(fd).foreign_runs, 0);
	close(fd);
}

/* This thread is monitored while it suspends the machine. */
static void check_thread(void)
{
	check_counts(make_context(), thread_id());
}

static void check_cpu(void)
{
	check_counts(system_wide_context(), 0);
}

/*
 * Before the suspend, the registers contain the values of this context. The suspend erases the
 * registers, so the next start must write the values again.
 */
static void check_stopped(void)
{
	unsigned int numbers[MOST_COUNTERS], count;
	int fd = make_context();

	count = use_all_counters(fd, numbers);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must_count(fd, numbers, count);
	must(fd, pfm_stop(fd));
	suspend();
	must(fd, pfm_start(fd, NULL));
	must_count(fd, numbers, count);
	close(fd);
}

static uint64_t samples_of_work(header_t header)
{
	const uint64_t before = header->hdr_count;

	work(WORK);
	return header->hdr_count - before;
}

/* After the suspend, overflows must still raise interrupts. */
static void check_samples(void)
{
	int fd = default_context(0, MIB);
	header_t header = map_buffer(fd, MIB);

	sample_busily(fd, MS);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_gt(samples_of_work(header), 2);
	suspend();
	ck_assert_uint_gt(samples_of_work(header), 2);
	close(fd);
}

#define TESTS_OF(ownership)                                                              \
	TEST(ownership##_counts_of_a_thread_go_on)                                       \
	{                                                                                \
		suspending(#ownership, check_thread);                                    \
	}                                                                                \
	TEST(ownership##_counts_of_a_cpu_go_on)                                          \
	{                                                                                \
		suspending(#ownership, check_cpu);                                       \
	}                                                                                \
	TEST(ownership##_registers_are_written_again)                                    \
	{                                                                                \
		suspending(#ownership, check_stopped);                                   \
	}                                                                                \
	TEST(ownership##_samples_go_on)                                                  \
	{                                                                                \
		suspending(#ownership, check_samples);                                   \
	}

TESTS_OF(exclusive)
TESTS_OF(shared)

/* ---- registers that only exclusive ownership uses ----------------------------------------- */

static void must_be_the_same_after(const uint32_t *numbers, unsigned int count)
{
	uint64_t before[4];
	unsigned int i;

	for (i = 0; i < count; i++) {
		before[i] = msr_read(numbers[i]);
		ck_assert_uint_ne(before[i], 0);
	}
	suspend();
	for (i = 0; i < count; i++)
		ck_assert_uint_eq(msr_read(numbers[i]), before[i]);
}

/*
 * Checks that IA32_DEBUGCTL and the registers for precise events have the same values before and
 * after a suspend. One bit of IA32_DEBUGCTL makes an overflow freeze the last branch records.
 */
static void check_records(void)
{
	static const uint32_t numbers[] = { DS_AREA, DATA_CFG, DEBUGCTL };
	int fd = busy_context();

	load(fd, thread_id());
	must_be_the_same_after(numbers, COUNT(numbers));
	close(fd);
}

static void check_records_with_registers(void)
{
	with_module("perfmon_msr", check_records);
}

TEST(records_of_events_and_branches_go_on)
{
	need_x86();
	if (!strstr(read_text("/proc/cpuinfo"), " arch_lbr"))
		skip("the processor has no architectural last branch records");
	suspending("exclusive", check_records_with_registers);
}
