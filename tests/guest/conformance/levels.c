// SPDX-License-Identifier: GPL-2.0-only
/* Tests contexts that may count only at user level, such as those of a user without CAP_PERFMON. */
#include <stdio.h>

#include "conformance.h"

SUITE(levels, CONFORMANCE_SECONDS);

static void work_in_the_kernel(void)
{
	touch_pages(5000);
}

static void work_as_a_user(void)
{
	loop(200 * MILLION);
}

/*
 * Returns what @counter counts during @work. The CPU time of @work differs from run to run. So if
 * the counter counts time, this function divides the count by the CPU time.
 */
static double count_of(int fd, const struct counter *counter, void (*work)(void))
{
	uint64_t count, begun, used;

	must_be_calibrated();
	program(fd, set_of_counter(counter), 0);
	write_pmd(fd, counter->pmd, 0);
	load(fd, thread_id());
	begun = cpu_time();
	must(fd, pfm_start(fd, NULL));
	work();
	must(fd, pfm_stop(fd));
	used = cpu_time() - begun;
	count = read_pmd(fd, counter->pmd);
	close(fd);
	return counter->follows_work ? count : (double)count / used;
}

static bool counts_the_user(const struct counter *counter)
{
	const double all = count_of(make_context(), counter, work_as_a_user);
	const double user = count_of(context_at_user_level(), counter, work_as_a_user);
	const double error = is_deterministic() ? 0.02 : 0.1;

	if (user >= all * (1 - error) && user <= all * (1 + error))
		return true;
	printf("         %scounts %g at user level, %g at all levels\n", subject, user,
	       all);
	return false;
}

/* If the host is busy, it may pause the guest between the readings of a clock and of a counter. */
TEST(at_user_level_counters_count_the_user)
{
	const int tries = is_deterministic() ? 1 : 5;
	const struct counter *counter;
	int i;

	for_each_counter(counter) {
		for (i = 0; i < tries && !counts_the_user(counter); i++)
			;
		ck_assert_msg(i < tries, "%scounts too much or too little at user level",
			      subject);
	}
}

/*
 * Returns whether the PMU must exclude the kernel level. QEMU's POWER PMU cannot exclude it, and
 * always counts at all levels. The software PMU and the PMU "example" need not exclude it, because
 * their counters reveal nothing about the kernel.
 */
static bool has_levels(void)
{
	const char *name = information()->pmu_name;

	if (!strcmp(name, "power"))
		return !getenv("QEMU_VERSION");
	return strcmp(name, "soft") && strcmp(name, "example");
}

TEST(at_user_level_the_kernel_is_not_counted)
{
	const struct counter *counter;
	double all, user;

	for_each_counter(counter) {
		all = count_of(make_context(), counter, work_in_the_kernel);
		user = count_of(context_at_user_level(), counter, work_in_the_kernel);
		ck_assert_msg(!has_levels() || user < all / 2,
			      "%scounts %g at user level, %g at all levels", subject,
			      user, all);
	}
}
