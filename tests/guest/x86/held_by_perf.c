// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: with shared counters PFM_IOC_INFO asks perf which counters others hold. The question takes a
 * counter for a moment, so an event of perf may lose its turn. Ordinary users can ask again and
 * again, but perf must lose hardly anything.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "measure.h"

SUITE(held_by_perf, 120);

#define ASKED 200 /* times */

static uint64_t branches(void)
{
	return pmu_is("amd") ? 0xc2 : 0xc4;
}

static uint64_t available(void)
{
	struct pfm_info info = {};
	int fd = pfm_open_device();

	ck_assert_int_ne(fd, -1);
	must(fd, pfm_get_info(fd, &info));
	close(fd);
	return info.available_pmds[0];
}

static uint64_t available_to_user(void)
{
	uint64_t pmds;

	ck_assert_int_eq(seteuid(USER_ID), 0);
	pmds = available();
	ck_assert_int_eq(seteuid(0), 0);
	return pmds;
}

/* Opens a group of this CPU that needs all general counters. Returns its leader. */
static int use_all_of_perf(int *events, unsigned int *count)
{
	for (*count = 0; *count < event_counters(); ++*count) {
		events[*count] =
			perf_open(branches(), false, -1, 0, *count ? events[0] : -1);
		ck_assert_int_ne(events[*count], -1);
	}
	perf_enable(events[0]);
	loop(MILLION);
	ck_assert_uint_gt(perf_read(events[0]).running, 0);
	return events[0];
}

/* Returns for how many ns the event did not count while @ask was called again and again. */
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

/* Root gets a new answer each time, which shows that the question takes turns from perf. */
static void check_turns(void)
{
	int events[MOST_COUNTERS];
	unsigned int count;
	int leader = use_all_of_perf(events, &count);
	uint64_t by_root = lost(leader, available), by_user;

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

static int pinned_on_cpu(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = branches(),
		.pinned = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Root is not asked in between, because the answer would also be the user's next one. */
static void check_truth(void)
{
	const uint64_t before = available_to_user();
	int event = pinned_on_cpu();

	ck_assert_int_ne(event, -1);
	wait_until(available_to_user() != before);
	ck_assert_int_eq(__builtin_popcountll(before & ~available_to_user()), 1);
	ck_assert_uint_eq(available(), available_to_user());
	close(event);
	wait_until(available_to_user() == before);
}

TEST(a_user_is_told_what_perf_holds)
{
	with_ownership("shared", check_truth);
}
