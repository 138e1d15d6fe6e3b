// SPDX-License-Identifier: GPL-2.0-only
/* x86: tests parameter "ownership" of the PMU modules, and which ownership "auto" chooses. */
#include <errno.h>
#include <stdio.h>

#include "measure.h"

SUITE(ownership, 120);

static void must_own(const char *ownership)
{
	char path[96], line[16];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/ownership_now",
		 pmu_module());
	snprintf(line, sizeof(line), "%s\n", ownership);
	ck_assert_str_eq(read_text(path), line);
}

/*
 * Counts with the lowest available counter. On AMD's processors this is not counter 0 while the
 * watchdog is on, because the watchdog holds counter 0.
 */
static void must_count(void)
{
	unsigned int n;
	int fd;

	pmu_forget();
	n = __builtin_ctzll(pmu()->info.available_pmds[0]);
	fd = context_of(n, cycles(AT_USER));
	load(fd, thread_id());
	ck_assert_uint_ge(count_loop(fd, n, 100000), 100000);
	close(fd);
}

static void check_exclusive(void)
{
	must_own("exclusive");
	must_count();
}

static void check_shared(void)
{
	must_own("shared");
	must_count();
}

TEST(without_the_watchdog_the_counters_are_exclusive)
{
	with_pmu(need_x86(), "ownership=auto", check_exclusive);
	with_pmu(need_x86(), "ownership=exclusive", check_exclusive);
}

TEST(shared_is_shared_even_if_nobody_holds_a_counter)
{
	with_pmu(need_x86(), "ownership=shared", check_shared);
}

static void check_beside_watchdog(void)
{
	watchdog_on();
	with_pmu(need_x86(), "ownership=auto", check_shared);
}

/*
 * After its check, with_pmu() loads the previous module again. In check_beside_watchdog(), the
 * watchdog still holds a counter at that time, so the ownership becomes shared. The last line loads
 * the module once more, now with the watchdog off.
 */
TEST(with_the_watchdog_the_counters_are_shared)
{
	need_x86();
	need_watchdog();
	then_put_back(check_beside_watchdog, watchdog_off);
	with_pmu(need_x86(), "ownership=auto", check_exclusive);
}

TEST(with_an_event_of_perf_the_counters_are_shared)
{
	const char *module = need_x86();
	int event = perf_open(0xc0, true, 0, -1, -1);

	ck_assert_int_ne(event, -1);
	with_pmu(module, "ownership=auto", check_shared);
	close(event);
	with_pmu(module, "ownership=auto", check_exclusive);
}

/*
 * Exclusive ownership never becomes shared. While the watchdog has a counter, loading a context
 * fails, and the message names the holder.
 */
static void check_exclusive_beside_watchdog(void)
{
	int fd;

	watchdog_on();
	fd = busy_context();
	ck_assert_int_eq(try_load(fd, thread_id()), -1);
	ck_assert_int_eq(errno, EBUSY);
	ck_assert_msg(strstr(sentence(fd), "perf or the NMI watchdog"), "%s",
		      sentence(fd));
	watchdog_off();
	load(fd, thread_id());
	close(fd);
}

static void with_exclusive_pmu(void)
{
	with_pmu(need_x86(), "ownership=exclusive", check_exclusive_beside_watchdog);
}

TEST(exclusive_counters_are_ebusy_while_the_watchdog_is_on)
{
	need_x86();
	need_watchdog();
	then_put_back(with_exclusive_pmu, watchdog_off);
}

TEST(an_unknown_ownership_is_einval)
{
	const char *module = need_x86();
	int error;

	ck_assert_int_eq(module_unload(module), 0);
	error = module_load(module, "ownership=mine");
	ck_assert_int_eq(module_load(module, ""), 0);
	ck_assert_int_eq(error, EINVAL);
	ck_assert(strstr(kernel_log(),
			 "ownership must be auto, exclusive or shared here, not mine\n"));
}
