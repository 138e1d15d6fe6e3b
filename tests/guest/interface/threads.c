// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests contexts on threads of the caller's process, on threads that run on other CPUs, and on many
 * threads at the same time. The last tests try to load contexts on threads that cannot be
 * monitored.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "status.h"
#include "workers.h"

SUITE(threads, 120);

/* ---- several at once ------------------------------------------------------------------------ */

static void *use_context_often(void *argument)
{
	int fd = *(int *)argument, turn;
	pfarg_pmd_t pmds[2] = { { .reg_num = pmu()->pmds[0] },
				{ .reg_num = PFM_PMD_TASK_CLOCK } };
	intptr_t failures = 0;

	for (turn = 0; turn < 1000; turn++) {
		failures += pfm_start(fd, NULL) != 0;
		failures += pfm_read_pmds(fd, pmds, 2) != 0;
		failures += pfm_stop(fd) != 0;
		failures += pfm_write_pmds(fd, pmds, 2) != 0;
	}
	return (void *)failures;
}

TEST(two_threads_may_use_a_context_at_once)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	pthread_t threads[2];
	void *failures;
	size_t i;

	pmu();
	child_busy(&child);
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, use_context_often, &fd), 0);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], &failures);
		ck_assert_int_eq((intptr_t)failures, 0);
	}
	child_rest(&child);
	count_must_be_right(fd);
}

TEST(a_thread_of_the_own_process_can_be_monitored)
{
	struct spinner spinner = { .roams = true };
	int fd = busy_context();

	spinner_begin(&spinner);
	load(fd, spinner.tid);
	must(fd, pfm_start(fd, NULL));
	wait_until(busy_count(fd) > 0);
	spinner_end(&spinner);
	must_end(fd);
	must_have_ended(fd, 0);
}

/* Creates a child that spins on CPU 1 and never sleeps. The test runs on CPU 0. */
static struct child spinning_elsewhere(void)
{
	struct child child;

	if (cpus_online() < 2)
		skip("one CPU only");
	child = child_new();
	child_call(&child, child_pin, 1);
	pin(0);
	child_busy(&child);
	return child;
}

/* Returns the number of voluntary context switches of the process (/proc/PID/status). */
static uint64_t voluntary_switches(pid_t pid)
{
	char path[64];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	line = strstr(read_text(path), "\nvoluntary_ctxt_switches:");
	ck_assert_ptr_ne(line, NULL);
	return strtoull(line + strlen("\nvoluntary_ctxt_switches:"), NULL, 10);
}

TEST(a_thread_that_runs_elsewhere_is_counted_live_and_not_stopped)
{
	struct child child = spinning_elsewhere();
	uint64_t switches = voluntary_switches(child.pid);
	int fd = busy_context_on(child.pid), turn;
	uint64_t last = 0, value, turns;

	wait_until(busy_count(fd) > 0); /* the thread may not have run yet */
	for (turn = 0; turn < 200; turn++) {
		value = busy_count(fd);
		ck_assert_msg(value > last, "read %d returned count %ju after count %ju",
			      turn, (uintmax_t)value, (uintmax_t)last);
		last = value;
		turns = child.page->turns; /* the thread may be preempted: wait for it */
		wait_until(child.page->turns > turns);
	}
	ck_assert_int_eq(thread_state(child.pid), 'R');
	ck_assert_uint_eq(voluntary_switches(child.pid), switches);
	must(fd, pfm_stop(fd));
	last = busy_count(fd);
	turns = child.page->turns;
	wait_until(child.page->turns > turns);
	ck_assert_uint_eq(busy_count(fd), last);
	child_rest(&child);
}

TEST(starting_and_stopping_a_thread_that_runs_elsewhere_takes_effect_at_once)
{
	struct child child = spinning_elsewhere();
	int fd = busy_context(), turn;
	uint64_t count, turns;

	load(fd, child.pid);
	for (turn = 0; turn < 50; turn++) {
		count = busy_count(fd);
		must(fd, pfm_start(fd, NULL));
		wait_until(busy_count(fd) > count);
		must(fd, pfm_stop(fd));
		count = busy_count(fd);
		turns = child.page->turns;
		wait_until(child.page->turns > turns);
		ck_assert_uint_eq(busy_count(fd), count);
	}
	child_rest(&child);
}

static uint64_t change_cpus(uint64_t unused)
{
	unsigned int cpu = 0;

	(void)unused;
	while (!child_own_page()->stop) {
		pin(cpu ^= 1);
		child_own_page()->turns++;
	}
	return 0;
}

TEST(a_thread_that_changes_cpus_is_counted_live)
{
	struct child child;
	uint64_t last = 0, value;
	int fd, turn;

	if (cpus_online() < 2)
		skip("one CPU only");
	child = child_new();
	fd = busy_context();
	write_pmd(fd, PFM_PMD_CPU_MIGRATIONS, 0);
	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	child_begin(&child, change_cpus, 0);
	for (turn = 0; turn < 2000; turn++) {
		value = busy_count(fd);
		ck_assert_msg(value >= last, "read %d returned count %ju after count %ju",
			      turn, (uintmax_t)value, (uintmax_t)last);
		last = value;
	}
	wait_until(child.page->turns > 100);
	wait_until(busy_count(fd) > last);
	ck_assert_uint_gt(read_pmd(fd, PFM_PMD_CPU_MIGRATIONS), 50);
	child_rest(&child);
	count_must_be_right(fd);
}

TEST(a_sleeping_thread_is_counted_from_when_it_wakes)
{
	struct child child = child_new();
	int fd;

	wait_until(thread_state(child.pid) == 'S');
	fd = busy_context_on(child.pid);
	ck_assert_uint_eq(busy_count(fd), 0);
	ck_assert_uint_eq(busy_count(fd), 0);
	child_call(&child, child_work, 25);
	ck_assert_uint_gt(busy_count(fd), 0);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 25);
}

TEST(many_threads_can_be_monitored_at_once)
{
	struct child children[16];
	int fds[COUNT(children)];
	uint64_t faults[COUNT(children)], counted;
	size_t i;

	for (i = 0; i < COUNT(children); i++)
		children[i] = child_new();
	for (i = 0; i < COUNT(children); i++)
		fds[i] = busy_context_on(children[i].pid);
	ck_assert_uint_eq(sessions(), COUNT(children));
	for (i = 0; i < COUNT(children); i++)
		child_begin(&children[i], child_work, 100 * (i + 1));
	for (i = 0; i < COUNT(children); i++)
		faults[i] = child_finish(&children[i]);
	for (i = 0; i < COUNT(children); i++) {
		must(fds[i], pfm_stop(fds[i]));
		counted = read_pmd(fds[i], PFM_PMD_MINOR_FAULTS);
		ck_assert_msg(counted >= faults[i] && counted < faults[i] + 80,
			      "child %zu made %ju faults, but %ju were counted", i,
			      (uintmax_t)faults[i], (uintmax_t)counted);
		ck_assert_uint_gt(busy_count(fds[i]), 0);
	}
}

/* ---- threads that cannot be monitored ----------------------------------------------------- */

TEST(load_on_a_zombie_is_ebusy)
{
	struct child child = child_new();
	int fd = busy_context();

	ck_assert_int_eq(kill(child.pid, SIGKILL), 0);
	wait_until(thread_state(child.pid) == 'Z');
	must_fail(fd, try_load(fd, child.pid), EBUSY, PFM_REASON_THREAD_ENDED, NO_INDEX);
	waitpid(child.pid, NULL, 0);
	must_fail(fd, try_load(fd, child.pid), ESRCH, PFM_REASON_NO_THREAD, NO_INDEX);
	ck_assert_uint_eq(sessions(), 0);
	count_must_be_right(fd);
}

TEST(load_on_a_kernel_thread_is_eperm)
{
	const pid_t kthreadd = 2;
	int fd = busy_context();

	must_fail(fd, try_load(fd, kthreadd), EPERM, PFM_REASON_KERNEL_THREAD, NO_INDEX);
	ck_assert_uint_eq(sessions(), 0);
	count_must_be_right(fd);
}

/*
 * The load fails if the thread has ended. If the thread ends after the load, a message reports its
 * end.
 */
TEST(a_load_that_races_with_the_end_of_its_thread_fails_or_gets_the_end)
{
	unsigned int told = 0, failed = 0;
	int fd = busy_context(), turn;

	for (turn = 0; turn < 300; turn++) {
		pid_t pid = fork();

		if (pid == 0) {
			spin_turns(turn * 20);
			_exit(EXIT_SUCCESS);
		}
		spin_turns(turn * 10);
		if (try_load(fd, pid) == 0) {
			must_end(fd);
			told++;
		} else {
			ck_assert_msg(errno == EBUSY, "%s", strerror(errno));
			failed++;
		}
		must_have_status(fd, PFM_STATE_UNLOADED, 0, 0);
		must_be_silent(fd);
		waitpid(pid, NULL, 0);
	}
	ck_assert_uint_eq(told + failed, 300);
	ck_assert_uint_eq(sessions(), 0);
	count_must_be_right(fd);
}
