// SPDX-License-Identifier: GPL-2.0-only
/* Tests contexts that may count only at user level, such as those of a user without CAP_PERFMON. */
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

TEST(at_user_level_counters_count_the_user)
{
	const struct counter *counter;
	double all, user;

	for_each_counter(counter) {
		all = count_of(make_context(), counter, work_as_a_user);
		user = count_of(context_at_user_level(), counter, work_as_a_user);
		ck_assert_msg(user >= all * 0.9 && user <= all * 1.1,
			      "%scounts %g at user level, %g at all levels", subject,
			      user, all);
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
