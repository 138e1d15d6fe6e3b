// SPDX-License-Identifier: GPL-2.0-only
/* Tests that a user who has reached all limits cannot prevent other users from counting. */
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"
#include "measure.h"

SUITE(limits, 300);

#define CONTEXTS 1000

static int try_set(int fd, unsigned int id)
{
	struct pfarg_setdesc set = { .set_id = id };

	return pfm_create_evtsets(fd, &set, 1);
}

/*
 * Creates sets in one context after the other, until the user's share of the memory for event sets
 * is used up. Returns the number of sets that were created.
 */
static uint64_t take_sets(const int *fds)
{
	const uint64_t most = read_number(SYSFS "max_sets");
	struct pfm_error error;
	uint64_t taken;

	for (taken = 0; taken < CONTEXTS * (most - 1); taken++)
		if (try_set(fds[taken / (most - 1)], taken % (most - 1) + 1))
			break;
	must(-1, pfm_get_error(fds[taken / (most - 1)], &error));
	ck_assert_uint_eq(error.reason, PFM_REASON_SET_SHARE);
	return taken;
}

static uint64_t take_everything(uint64_t unused)
{
	const struct rlimit files = { CONTEXTS + 100, CONTEXTS + 100 };
	static int fds[CONTEXTS];
	int n;

	(void)unused;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	become(USER_ID);
	for (n = 0; n < CONTEXTS; n++)
		fds[n] = make_context();
	return take_sets(fds);
}

/* Opens a hardware event of perf, or a software event if the PMU is the software PMU. */
static int perf_event(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.pinned = 1,
	};

	if (pmu_is("soft")) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_TASK_CLOCK;
	}
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/*
 * Like perf_event(). If the core still holds counters for earlier contexts, tries again for up to
 * two seconds. The core releases such counters at most once per second.
 */
static int perf_event_in_time(void)
{
	int fd, i;

	for (i = 0; i < 200; i++) {
		fd = perf_event();
		if (fd != -1 || errno != EBUSY)
			break;
		usleep(10000);
	}
	return fd;
}

static void perf_must_count(void)
{
	uint64_t before, after;
	int fd = perf_event_in_time();

	ck_assert_msg(fd != -1, "perf_event_open: %s", strerror(errno));
	ck_assert_int_eq(read(fd, &before, sizeof(before)), sizeof(before));
	spin_turns(100000);
	ck_assert_int_eq(read(fd, &after, sizeof(after)), sizeof(after));
	ck_assert_uint_gt(after, before);
	printf("perf counts %ju\n", (uintmax_t)(after - before));
	close(fd);
}

/*
 * Makes a user's share of the memory for event sets large enough for CONTEXTS contexts. In a debug
 * guest, the default share is too small.
 */
static void have_room_for_all_contexts(void)
{
	if (read_number(SYSFS "set_user_max") < 24 << 20)
		write_text(SYSFS "set_user_max", "25165824\n");
}

static void check_user_at_all_limits(void)
{
	struct child child = child_new();
	uint64_t sets;
	int fd;

	have_room_for_all_contexts();
	sets = child_call(&child, take_everything, 0);
	printf("%u contexts and the %ju sets added to them use %s bytes\n", CONTEXTS,
	       (uintmax_t)sets, strtok((char *)read_text(SYSFS "set_mem_cur"), "\n"));
	ck_assert_uint_gt(sets, 0);
	perf_must_count();
	fd = make_context();
	must(fd, try_set(fd, 1));
	count_must_be_right(fd);
	child_exit(&child);
}

TEST(a_user_at_all_limits_locks_nobody_out)
{
	pmu();
	with_limits_back(check_user_at_all_limits);
}
