// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what perfmon and perf count after the PMU module has released the hardware and claimed it
 * again, and after the PMU module was unloaded and loaded again.
 */
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "conformance.h"

SUITE(handover, 2 * CONFORMANCE_SECONDS);

#define ROUNDS 10

/* Returns the cycles that perf counts in a loop on this thread, or 0 if perf cannot count. */
static uint64_t cycles_of_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t count = 0;

	if (fd == -1)
		return 0;
	loop(10 * MILLION);
	ck_assert(read(fd, &count, sizeof(count)) == sizeof(count));
	close(fd);
	return count;
}

/*
 * Uses each counter. Then writes to each counter a value that is one million events below its wrap,
 * and waits until the hardware is released. After that, the counters must not raise an interrupt.
 */
static void use_and_leave(void)
{
	const struct counter *counter;
	int fd;

	for_each_counter(counter) {
		fd = make_context();
		must_count_right(fd, counter);
		close(fd);
	}
	fd = context_on(thread_id(), ALL_COUNTERS, 0);
	for_each_counter(counter)
		write_pmd(fd, counter->pmd, mask_of(counter) - 1000000);
	loop(10000);
	close(fd);
	sleep(2); /* the release may come a second after the close */
}

TEST(the_hardware_is_released)
{
	uint64_t perf, interrupts;
	int round;

	use_and_leave();
	perf = cycles_of_perf();
	for (round = 0; round < ROUNDS; round++) {
		use_and_leave();
		interrupts = statistic("ovfl_intr_all_count");
		loop(20 * MILLION);
		ck_assert_uint_eq(statistic("ovfl_intr_all_count"), interrupts);
		ck_assert_msg(!perf == !cycles_of_perf(),
			      "after the PMU was released, perf %s",
			      perf ? "counts no more" : "counts, but did not before");
	}
}

TEST(the_module_can_be_unloaded_and_loaded_again)
{
	const char *module = module_of_the_pmu();
	uint64_t perf = 0, interrupts;
	int round, error;

	if (!path_exists(module_path(module)))
		skip("there is no file %s", module_path(module));
	for (round = 0; round < ROUNDS; round++) {
		use_and_leave();
		error = module_unload(module);
		ck_assert_msg(!error, "rmmod %s: %s", module, strerror(error));
		interrupts = statistic("ovfl_intr_all_count");
		loop(20 * MILLION);
		if (round == 0)
			perf = cycles_of_perf();
		else
			ck_assert_msg(
				!perf == !cycles_of_perf(), "without the module, perf %s",
				perf ? "counts no more" : "counts, but did not before");
		ck_assert_uint_eq(statistic("ovfl_intr_all_count"), interrupts);
		error = module_load(module, module_parameters);
		ck_assert_msg(!error, "insmod %s: %s", module, strerror(error));
	}
	use_and_leave();
}

/*
 * After perf has tried to count an event, with or without success, a loaded context must still
 * count correctly.
 */
TEST(perf_beside_a_context_changes_no_count)
{
	const struct counter *counter;
	struct done done;
	int fd;

	for_each_counter(counter) {
		fd = context_with(set_of_counter(counter), 0);
		load(fd, thread_id());
		done = run(fd, 200 * MILLION);
		must_count(counter, "before perf", read_pmd(fd, counter->pmd), &done);
		cycles_of_perf();
		write_pmd(fd, counter->pmd, 0);
		done = run(fd, 200 * MILLION);
		must_count(counter, "after perf", read_pmd(fd, counter->pmd), &done);
		close(fd);
	}
}
