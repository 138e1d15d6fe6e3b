// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86, shared ownership: tests that contexts cannot use the counters that perf holds.
 *
 * PFM_IOC_INFO has to find out which counters perf and others hold. To find out, the module takes a
 * counter for a moment, so an event of perf may lose its turn. Even if ordinary users make this
 * call again and again, perf's events must lose very little time.
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure.h"

SUITE(held_by_perf, 240);

#define ASKED 200 /* number of calls that lost() makes */

/*
 * Opens a pinned event of CPU 0. If it gets no counter, it is in the error state: read() returns 0.
 */
static int pinned_on_cpu(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = perf_branches(),
		.pinned = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* ---- what is not available ------------------------------------------------------------------ */

static void check_refusal(void)
{
	int events[16], count = 0, fd;
	uint64_t value;

	fd = context_of(0, instructions(AT_USER));
	do
		events[count] = pinned_on_cpu();
	while (read(events[count], &value, sizeof(value)) == sizeof(value) &&
	       ++count < 16);
	ck_assert_int_lt(count, 16);
	ck_assert_int_ge(count, 2);
	ck_assert_int_eq(try_load(fd, thread_id()), -1);
	ck_assert_int_eq(errno, EBUSY);
	ck_assert_msg(strstr(sentence(fd), "perf or the NMI watchdog"), "%s",
		      sentence(fd));
	ck_assert_uint_eq(available_pmds() & 0xffff, 0);
	for (; count >= 0; count--)
		close(events[count]);
	load(fd, thread_id());
	close(fd);
}

TEST(a_counter_that_perf_holds_is_ebusy_and_names_perf)
{
	with_ownership("shared", check_refusal);
}

static void check_watchdogs_counter(void)
{
	const uint64_t before = available_pmds();

	watchdog_on();
	ck_assert_int_eq(__builtin_popcountll(before & ~available_pmds()), 1);
	pmu_forget();
	count_must_be_right(busy_context());
}

static void check_watchdogs_counter_and_put_back(void)
{
	then_put_back(check_watchdogs_counter, watchdog_off);
}

TEST(the_watchdogs_counter_is_not_available)
{
	need_watchdog();
	with_ownership("shared", check_watchdogs_counter_and_put_back);
}

/*
 * If a context uses a counter, the module also holds the counters with lower numbers. Other
 * contexts can still use these lower counters.
 */
static void check_counters_below(void)
{
	const uint64_t before = available_pmds();
	int fd = context_of(1, instructions(AT_USER));

	load(fd, thread_id());
	ck_assert_uint_eq(available_pmds(), before);
	close(fd);
}

TEST(counters_below_the_one_in_use_stay_available)
{
	with_ownership("shared", check_counters_below);
}

/* ---- calls that ask what perf holds ---------------------------------------------------------- */

static uint64_t available_to_user(void)
{
	uint64_t pmds;

	ck_assert_int_eq(seteuid(USER_ID), 0);
	pmds = available_pmds();
	ck_assert_int_eq(seteuid(0), 0);
	return pmds;
}

/* Opens, on CPU 0, a group of perf events that needs all general counters. Returns the leader. */
static int use_all_of_perf(int *events, unsigned int *count)
{
	for (*count = 0; *count < event_counters(); ++*count) {
		events[*count] =
			perf_open(perf_branches(), false, -1, 0, *count ? events[0] : -1);
		ck_assert_int_ne(events[*count], -1);
	}
	perf_enable(events[0]);
	loop(MILLION);
	ck_assert_uint_gt(perf_read(events[0]).running, 0);
	return events[0];
}

/* Calls @ask ASKED times. Returns for how many ns @event had no counter during these calls. */
static uint64_t lost(int event, uint64_t (*ask)(void))
{
	const struct perf_count before = perf_read(event);
	struct perf_count after;
	int i;

	for (i = 0; i < ASKED; i++) {
		ask();
		loop(MILLION);
	}
	after = perf_read(event);
	return after.enabled - before.enabled - (after.running - before.running);
}

/* Each call by root checks again which counters perf holds. So perf's events run for less time. */
static void check_turns(void)
{
	int events[MOST_COUNTERS];
	unsigned int count;
	int leader = use_all_of_perf(events, &count);
	uint64_t by_root = lost(leader, available_pmds), by_user;

	by_user = lost(leader, available_to_user);
	ck_assert_msg(by_root > ASKED * 1000 && by_user < by_root / 10,
		      "perf lost %ju ns when root asked, %ju ns when a user asked",
		      (uintmax_t)by_root, (uintmax_t)by_user);
	while (count)
		close(events[--count]);
}

TEST(users_who_ask_again_and_again_take_no_turns_from_perf)
{
	with_ownership("shared", check_turns);
}

/*
 * Root makes no call until the user's calls show that perf's event holds a counter. If root made a
 * call earlier, the user's calls would return what the module found out for root.
 */
static void check_truth(void)
{
	const uint64_t before = available_to_user();
	int event = pinned_on_cpu();

	ck_assert_int_ne(event, -1);
	wait_until(available_to_user() != before);
	ck_assert_int_eq(__builtin_popcountll(before & ~available_to_user()), 1);
	ck_assert_uint_eq(available_pmds(), available_to_user());
	close(event);
	wait_until(available_to_user() == before);
}

TEST(a_user_is_told_what_perf_holds)
{
	with_ownership("shared", check_truth);
}
