// SPDX-License-Identifier: GPL-2.0-only
/* Tests that counters count correctly if CPUs go offline and online. */
#include "conformance.h"

SUITE(cpus, CONFORMANCE_SECONDS);

static void need_hotplug(void)
{
	need_cpus(2);
	if (!path_exists("/sys/devices/system/cpu/cpu1/online"))
		skip("CPU 1 cannot be taken offline");
}

static void must_all_count(int fd, const struct done *done)
{
	const struct counter *counter;

	for_each_counter(counter)
		must_count_work(fd, counter, done);
}

/* The thread's CPU goes offline while the thread runs. */
static void check_running(void)
{
	struct child child = child_new();
	int fd = context_on(child.pid, ALL_COUNTERS, 0), i;
	struct done done = work_begin(&child);
	uint64_t turns;

	for (i = 0; i < 4; i++) {
		pin_thread(child.pid, 1);
		turns = child.page->turns;
		wait_until(child.page->turns > turns + 10);
		cpu_online(1, false);
		turns = child.page->turns;
		wait_until(child.page->turns > turns + 10);
		cpu_online(1, true);
	}
	work_end(&child, &done);
	must_all_count(fd, &done);
	close(fd);
	child_exit(&child);
}

TEST(the_cpu_of_a_running_thread_goes_offline)
{
	need_hotplug();
	with_all_cpus_back(check_running);
}

/*
 * The thread's CPU goes offline while the thread sleeps. When the CPU is online again, its
 * registers no longer hold the thread's values.
 */
static void check_sleeping(void)
{
	struct child child = child_new();
	struct done sum = { .most = cpu_time_of(child.pid), .switched = true };
	int fd = context_on(child.pid, ALL_COUNTERS, 0), i;

	for (i = 0; i < 4; i++) {
		child_call(&child, child_pin, 1);
		sum.least += child_call(&child, work, 20 * MILLION);
		wait_until(thread_state(child.pid) == 'S');
		cpu_online(1, false);
		cpu_online(1, true);
		child_call(&child, child_pin, 1);
		sum.least += child_call(&child, work, 20 * MILLION);
		sum.instructions += 40 * MILLION;
	}
	wait_until(thread_state(child.pid) == 'S');
	sum.most = cpu_time_of(child.pid) - sum.most;
	must_all_count(fd, &sum);
	close(fd);
	child_exit(&child);
}

TEST(the_cpu_of_a_sleeping_thread_goes_offline)
{
	need_hotplug();
	with_all_cpus_back(check_sleeping);
}

/*
 * The context is created while CPU 1 is offline, and loaded when CPU 1 is online. It is closed
 * while CPU 1 is offline again. Then CPU 1 comes online, and a second context must count there.
 */
static void check_away(void)
{
	struct done done;
	int fd;

	cpu_online(1, false);
	fd = context_with(ALL_COUNTERS, 0);
	cpu_online(1, true);
	pin(1);
	load(fd, thread_id());
	done = run(fd, 200 * MILLION);
	must_all_count(fd, &done);
	pin(0);
	cpu_online(1, false);
	close(fd);
	cpu_online(1, true);
	pin(1);
	fd = context_with(ALL_COUNTERS, 0);
	load(fd, thread_id());
	done = run(fd, 200 * MILLION);
	must_all_count(fd, &done);
	close(fd);
}

TEST(a_cpu_comes_online_after_the_context_is_loaded)
{
	need_hotplug();
	with_all_cpus_back(check_away);
}
