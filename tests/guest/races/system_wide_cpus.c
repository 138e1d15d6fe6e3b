// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests system-wide contexts on several CPUs: calls from other CPUs, and CPUs that go offline and
 * online.
 */
#include <stdio.h>

#include "samples.h"
#include "system_wide.h"

SUITE(system_wide_cpus, 300);

/* The test runs on CPU 0. The context and the child are on CPU 1. */
TEST(all_calls_work_from_another_cpu)
{
	struct child child;
	uint64_t count, later;
	int fd;

	need_cpus(2);
	pin(0);
	child = child_new();
	child_call(&child, child_pin, 1);
	fd = system_wide_context();
	use_busy_counters_of_cpu(fd);
	load(fd, 1);
	ck_assert_uint_eq(status_of(fd).target, 1);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	must(fd, pfm_start(fd, NULL));
	child_busy(&child);
	wait_until(read_pmd(fd, pmu()->pmds[0]) > 1000);
	must(fd, pfm_stop(fd));
	count = read_pmd(fd, pmu()->pmds[0]);
	usleep(10000);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[0]), count);
	write_pmd(fd, pmu()->pmds[0], 5);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[0]), 5);
	must(fd, pfm_start(fd, NULL));
	wait_until(read_pmd(fd, pmu()->pmds[0]) > 5000);
	must(fd, pfm_unload_context(fd));
	count = read_pmd(fd, pmu()->pmds[0]);
	usleep(10000);
	later = read_pmd(fd, pmu()->pmds[0]);
	ck_assert_uint_eq(later, count);
	ck_assert_uint_eq(status_of(fd).target, 0);
	load(fd, 1);
	must(fd, pfm_start(fd, NULL));
	wait_until(read_pmd(fd, pmu()->pmds[0]) > count);
	child_rest(&child);
	close(fd);
	child_exit(&child);
}

/* ---- a CPU goes offline --------------------------------------------------------------------- */

static void need_hotplug(void)
{
	need_cpus(2);
	if (!path_exists("/sys/devices/system/cpu/cpu1/online"))
		skip("CPU 1 cannot be taken offline");
}

static void check_offline(void)
{
	int fd = system_wide_context();
	uint64_t count;

	pin(0);
	use_busy_counters_of_cpu(fd);
	load(fd, 1);
	must(fd, pfm_start(fd, NULL));
	wait_until(read_pmd(fd, PFM_PMD_TASK_CLOCK) > 1000);
	must_be_silent(fd);
	cpu_online(1, false);
	must_end(fd);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_UNLOADED);
	ck_assert_uint_eq(sessions(), 0);
	count = read_pmd(fd, PFM_PMD_TASK_CLOCK);
	ck_assert_uint_gt(count, 1000);
	must_fail(fd, pfm_start(fd, NULL), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	must_fail(fd, try_load(fd, 1), ENODEV, PFM_REASON_CPU_OFFLINE, NO_INDEX);
	must(fd, pfm_unload_context(fd));
	cpu_online(1, true);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_TASK_CLOCK), count);
	load(fd, 1);
	must_be_silent(fd);
	must(fd, pfm_start(fd, NULL));
	wait_until(read_pmd(fd, PFM_PMD_TASK_CLOCK) > count + 1000);
	close(fd);
}

TEST(a_cpu_that_goes_offline_ends_its_session)
{
	need_hotplug();
	with_all_cpus_back(check_offline);
}

/*
 * CPU 1 goes offline and online again and again, and each time its context is loaded anew.
 * The counter on CPU 0 must not stop while this happens.
 */
static void check_coming_and_going(void)
{
	const unsigned int rounds = is_debug_kernel() ? 20 : 100;
	int stays = system_wide_context(), moves = system_wide_context();
	uint64_t least, most, last = 0, now;
	unsigned int i;

	pin(0);
	use_busy_counters_of_cpu(stays);
	use_busy_counters_of_cpu(moves);
	load(stays, 0);
	most = monotonic_time();
	must(stays, pfm_start(stays, NULL));
	least = monotonic_time();
	for (i = 0; i < rounds; i++) {
		load(moves, 1);
		must(moves, pfm_start(moves, NULL));
		cpu_online(1, false);
		must_end(moves);
		now = read_pmd(moves, PFM_PMD_TASK_CLOCK);
		ck_assert_uint_gt(now, last);
		last = now;
		cpu_online(1, true);
	}
	least = monotonic_time() - least;
	must(stays, pfm_stop(stays));
	most = monotonic_time() - most;
	must_be_between(read_pmd(stays, PFM_PMD_TASK_CLOCK), least - least / 100, most);
	ck_assert_uint_gt(read_pmd(stays, pmu()->pmds[0]), 0);
	must_be_silent(stays);
	close(stays);
	close(moves);
}

TEST(other_cpus_count_on_while_one_goes_off_and_on_100_times)
{
	need_hotplug();
	with_all_cpus_back(check_coming_and_going);
}

/*
 * When CPU 1 goes offline, the buffer contains samples of this CPU. The test reads these samples
 * after CPU 1 has gone offline.
 */
static void check_sampling(void)
{
	struct child child = child_new();
	int fd = default_context(PFM_FL_SYSTEM_WIDE, MIB);
	header_t header = map_buffer(fd, MIB);
	struct pfarg_ovfl_msg message = {};
	uint64_t count;

	pin(0);
	sample_busily(fd, PERIOD);
	load_and_start(fd, 1);
	child_call(&child, child_pin, 1);
	loop_begin(&child);
	wait_until(header->hdr_count >= 20);
	cpu_online(1, false);
	while (message.msg_type != PFM_MSG_END)
		ck_assert_int_eq(read(fd, &message, sizeof(message)), sizeof(message));
	count = header->hdr_count;
	must_be_whole(header, 0);
	usleep(20000);
	ck_assert_uint_eq(header->hdr_count, count);
	loop_end(&child);
	child_exit(&child);
	close(fd);
}

TEST(a_cpu_that_is_sampled_goes_offline)
{
	need_overflow_interrupts();
	need_hotplug();
	with_all_cpus_back(check_sampling);
}
