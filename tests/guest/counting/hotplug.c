// SPDX-License-Identifier: GPL-2.0-only
/* CPUs go offline and online while contexts exist: counts stay right and contexts stay usable. */
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>

#include "measure.h"

SUITE(hotplug, 120);

#define MILLION 1000000ull

static void need_hotplug(void)
{
	need_cpus(2);
	if (!path_exists("/sys/devices/system/cpu/cpu1/online"))
		skip("CPU 1 cannot be taken offline");
}

static int watch(pid_t pid)
{
	int fd = busy_context();

	write_pmd(fd, PFM_PMD_CONTEXT_SWITCHES, 0);
	load(fd, pid);
	must(fd, pfm_start(fd, NULL));
	return fd;
}

/* Waits until the thread sleeps and its last switch is complete. */
static void wait_for_rest(pid_t pid)
{
	uint64_t last, now;

	wait_until(thread_state(pid) == 'S');
	now = switches(pid);
	do {
		last = now;
		usleep(10000);
		now = switches(pid);
	} while (now != last);
}

/* The thread's CPU goes offline while the thread runs. */
static void check_running(void)
{
	struct child child = child_new();
	uint64_t least, most, switched, count;
	int fd, i;

	wait_for_rest(child.pid);
	most = cpu_time_of(child.pid);
	fd = watch(child.pid);
	switched = switches(child.pid);
	child_begin(&child, work_until_stopped, 0);
	for (i = 0; i < 6; i++) {
		uint64_t turns = child.page->turns;

		pin_thread(child.pid, 1);
		wait_until(child.page->turns > turns + 5);
		cpu_online(1, false);
		turns = child.page->turns;
		wait_until(child.page->turns > turns + 5);
		must_be_between(read_pmd(fd, PFM_PMD_TASK_CLOCK), 1, ~0ull);
		cpu_online(1, true);
	}
	child.page->stop = 1;
	least = child_finish(&child);
	/* The thread may be preempted before it sleeps. Wait until its last switch is counted. */
	wait_for_rest(child.pid);
	must(fd, pfm_stop(fd));
	most = cpu_time_of(child.pid) - most;
	switched = switches(child.pid) - switched;

	must_be_cpu_time("busy counter", read_pmd(fd, pmu()->pmds[0]), least, most);
	must_be_cpu_time("task clock", read_pmd(fd, PFM_PMD_TASK_CLOCK), least, most);
	count = read_pmd(fd, PFM_PMD_CONTEXT_SWITCHES);
	ck_assert_uint_eq(count, switched);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	child_exit(&child);
	must_end(fd);
	close(fd);
}

TEST(the_cpu_of_a_running_thread_goes_offline)
{
	need_hotplug();
	with_all_cpus_back(check_running);
}

/*
 * Waits until the thread sleeps and its last switch is complete. Returns the count, which then no
 * longer changes.
 */
static uint64_t count_at_rest(int fd, pid_t pid)
{
	uint64_t last, now;

	wait_until(thread_state(pid) == 'S');
	now = read_pmd(fd, pmu()->pmds[0]);
	do {
		last = now;
		usleep(10000);
		now = read_pmd(fd, pmu()->pmds[0]);
	} while (now != last);
	return now;
}

/*
 * The thread's CPU goes offline and online while the thread sleeps. When the thread runs on
 * this CPU again, the registers have lost the thread's values.
 */
static void check_sleeping(void)
{
	struct child child = child_new();
	uint64_t before, least = 0, most = cpu_time_of(child.pid);
	int fd = watch(child.pid), i;

	for (i = 0; i < 4; i++) {
		child_call(&child, child_pin, 1);
		least += child_call(&child, work, 500 * MILLION);
		before = count_at_rest(fd, child.pid);
		cpu_online(1, false);
		ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[0]), before);
		cpu_online(1, true);
		ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[0]), before);
		least += child_call(&child, work, 500 * MILLION);
	}
	must(fd, pfm_stop(fd));
	most = cpu_time_of(child.pid) - most;
	must_be_cpu_time("busy counter", read_pmd(fd, pmu()->pmds[0]), least, most);
	must_be_cpu_time("task clock", read_pmd(fd, PFM_PMD_TASK_CLOCK), least, most);
	child_exit(&child);
	close(fd);
}

TEST(the_cpu_of_a_sleeping_thread_goes_offline)
{
	need_hotplug();
	with_all_cpus_back(check_sleeping);
}

/* A context is created, loaded and started while CPU 1 is offline. CPU 1 comes online later. */
static void check_made_meanwhile(void)
{
	struct child child = child_new();
	uint64_t least, most;
	int fd;

	cpu_online(1, false);
	most = cpu_time_of(child.pid);
	fd = watch(child.pid);
	least = child_call(&child, work, 500 * MILLION);
	cpu_online(1, true);
	child_call(&child, child_pin, 1);
	least += child_call(&child, work, 500 * MILLION);
	must(fd, pfm_stop(fd));
	most = cpu_time_of(child.pid) - most;
	must_be_cpu_time("busy counter", read_pmd(fd, pmu()->pmds[0]), least, most);
	must_be_cpu_time("task clock", read_pmd(fd, PFM_PMD_TASK_CLOCK), least, most);
	child_exit(&child);
	close(fd);
}

TEST(a_cpu_comes_online_after_the_context_is_loaded)
{
	need_hotplug();
	with_all_cpus_back(check_made_meanwhile);
}

/*
 * The only loaded context is closed while a CPU is offline. The next context must count correctly.
 */
static void check_closed_meanwhile(void)
{
	int fd = busy_context_on(thread_id());

	cpu_online(1, false);
	close(fd);
	cpu_online(1, true);
	pin(1);
	count_must_be_right(make_context());
	fd = busy_context();
	cpu_online(1, false);
	count_must_be_right(fd);
	close(fd);
}

TEST(a_context_is_closed_while_a_cpu_is_offline)
{
	need_hotplug();
	with_all_cpus_back(check_closed_meanwhile);
}

/*
 * CPU 1 goes offline several times, so the thread has to move to another CPU. At the same time, the
 * test reads a PMD, starts the context and writes a PMD in a loop.
 */
static void check_calls_meanwhile(void)
{
	struct child child = child_new();
	uint64_t least, most = cpu_time_of(child.pid), last = 0;
	int fd = watch(child.pid), i, status;
	pid_t cycler;

	child_begin(&child, work_until_stopped, 0);
	cycler = check_fork();
	if (cycler == 0) {
		for (i = 0; i < 8; i++) {
			pin_thread(child.pid, 1);
			cpu_online(1, false);
			cpu_online(1, true);
		}
		exit(EXIT_SUCCESS);
	}
	while (waitpid(cycler, &status, WNOHANG) == 0) {
		uint64_t now = read_pmd(fd, pmu()->pmds[0]);

		ck_assert_uint_ge(now, last);
		last = now;
		must(fd, pfm_start(fd, NULL));
		write_pmd(fd, PFM_PMD_MINOR_FAULTS, 0);
	}
	ck_assert_msg(status == 0, "CPU 1 did not go offline and online: status 0x%x",
		      status);
	child.page->stop = 1;
	least = child_finish(&child);
	must(fd, pfm_stop(fd));
	most = cpu_time_of(child.pid) - most;
	must_be_cpu_time("busy counter", read_pmd(fd, pmu()->pmds[0]), least, most);
	child_exit(&child);
	close(fd);
}

TEST(calls_follow_a_thread_whose_cpu_goes_offline)
{
	need_hotplug();
	with_all_cpus_back(check_calls_meanwhile);
}

/* The core prepares CPUs that come online. While the core is unloaded, nothing prepares them. */
static void check_without_the_core(void)
{
	char pmu_name[64];

	snprintf(pmu_name, sizeof(pmu_name), "%s", pmu_module());
	ck_assert_int_eq(module_unload(pmu_name), 0);
	ck_assert_int_eq(module_unload("perfmon"), 0);
	cpu_online(1, false);
	cpu_online(1, true);
	ck_assert_int_eq(module_load("perfmon", ""), 0);
	ck_assert_int_eq(module_load(pmu_name, ""), 0);
	cpu_online(1, false);
	cpu_online(1, true);
	count_must_be_right(make_context());
}

TEST(a_cpu_comes_online_while_the_core_is_unloaded)
{
	need_hotplug();
	with_all_cpus_back(check_without_the_core);
}

static uint64_t take_cpu_away_until_stopped(uint64_t cpu)
{
	struct child_page *page = child_own_page();

	while (!page->stop) {
		cpu_online(cpu, false);
		cpu_online(cpu, true);
		page->turns++;
	}
	return page->turns;
}

static void no_cpu_may_have_changed(void)
{
	int fd = context_using(BIT(0));

	load(fd, thread_id());
	must(fd, pfm_unload_context(fd));
	wait_until(module_parameter("perfmon_wrong", "releases"));
	close(fd);
	ck_assert_uint_eq(module_parameter("perfmon_wrong", "cpus_changed"), 0);
}

/*
 * A PMU module prepares each CPU when it claims the hardware. While it claims or releases the
 * hardware, no CPU may go offline or online.
 */
static void check_claim(void)
{
	struct child child = child_new();

	child_begin(&child, take_cpu_away_until_stopped, 1);
	wait_until(child.page->turns);
	with_pmu("perfmon_wrong", "what=0 watches_cpus=1", no_cpu_may_have_changed);
	child.page->stop = 1;
	ck_assert_uint_ge(child_finish(&child), 2);
	child_exit(&child);
}

TEST(no_cpu_goes_on_or_offline_while_a_pmu_is_claimed)
{
	need_hotplug();
	with_all_cpus_back(check_claim);
}
