// SPDX-License-Identifier: GPL-2.0-only
/*
 * A context on a thread and a system-wide context cannot use the same counter at the same time.
 * While a context of one kind holds the counter, a context of the other kind that needs it cannot
 * be loaded. The error of this load names the process that loaded the first context.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "events.h"
#include "guest.h"
#include "system_wide.h"

SUITE(holders, 120);

#define OF_THREADS "contexts on threads"
#define OF_CPUS	   "system-wide contexts"

/* Returns "KIND: NAME[PID]". */
static const char *held(const char *kind, const char *name, pid_t pid)
{
	static char text[sizeof((struct pfm_error){ 0 }.holder)];
	int length = snprintf(text, sizeof(text), "%s: %s[%d]", kind, name, (int)pid);

	ck_assert_int_lt(length, (int)sizeof(text));
	return text;
}

static int cpu_context(void)
{
	int fd = system_wide_context();

	use_busy_counters_of_cpu(fd);
	return fd;
}

/*
 * The load must fail, because a context of the other kind holds the counter pmu()->pmds[0]. If the
 * counters are not independent, that context holds the whole PMU.
 */
static void must_be_held(int fd, uint32_t target, const char *holder)
{
	struct pfm_error error;

	if (counters_are_independent())
		must_fail(fd, try_load(fd, target), EBUSY, PFM_REASON_PMD_HELD, NO_INDEX);
	else
		must_fail(fd, try_load(fd, target), EBUSY, PFM_REASON_PMU_HELD, NO_INDEX);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_str_eq(error.holder, holder);
	if (counters_are_independent())
		ck_assert_uint_eq(error.value, pmu()->pmds[0]);
}

TEST(a_counter_works_for_threads_or_for_cpus)
{
	int thread = busy_context(), cpu = cpu_context();

	ck_assert_int_eq(prctl(PR_SET_NAME, "holder"), 0);
	load(thread, thread_id());
	must_be_held(cpu, 0, held(OF_THREADS, "holder", getpid()));
	must(thread, pfm_unload_context(thread));
	load(cpu, 0);
	must_be_held(thread, thread_id(), held(OF_CPUS, "holder", getpid()));
	must(cpu, pfm_unload_context(cpu));
	load(thread, thread_id());
	must_be_held(cpu, 0, held(OF_THREADS, "holder", getpid()));
	close(thread);
	load(cpu, 0);
	close(cpu);
}

/*
 * The name of a process can contain any bytes. If the name is long, the field "holder" contains
 * only the beginning of the name. This leaves room for the longest PID.
 */
TEST(names_of_holders_are_printable_and_cut)
{
	int thread = busy_context(), cpu = cpu_context();

	ck_assert_int_eq(prctl(PR_SET_NAME, "a\33[1m\n\377 hijkl"), 0);
	load(thread, thread_id());
	must_be_held(cpu, 0, held(OF_THREADS, "a?[1m?? h", getpid()));
	must(thread, pfm_unload_context(thread));
	load(cpu, 0);
	must_be_held(thread, thread_id(), held(OF_CPUS, "a?[1m?? ", getpid()));
	close(thread);
	close(cpu);
}

/* Creates a process that loads @fd on @target and lives until it is killed. Returns its PID. */
static pid_t loader_of(int fd, uint32_t target)
{
	int pipes[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = check_fork();
	if (!pid) {
		prctl(PR_SET_NAME, "loader");
		load(fd, target);
		if (write(pipes[1], "", 1) == 1)
			pause();
		_exit(EXIT_FAILURE);
	}
	ck_assert_int_eq(read(pipes[0], &byte, 1), 1);
	return pid;
}

static void must_be_killed(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* The contexts stay loaded after their loader ends, because the test has their descriptors open. */
TEST(a_loader_that_has_ended_is_not_named)
{
	int thread = busy_context(), cpu = cpu_context();
	pid_t loader = loader_of(thread, thread_id());

	must_be_held(cpu, 0, held(OF_THREADS, "loader", loader));
	must_be_killed(loader);
	must_be_held(cpu, 0, OF_THREADS);
	must(thread, pfm_unload_context(thread));
	loader = loader_of(cpu, 0);
	must_be_held(thread, thread_id(), held(OF_CPUS, "loader", loader));
	must_be_killed(loader);
	must_be_held(thread, thread_id(), OF_CPUS);
	close(thread);
	close(cpu);
}

/*
 * Two processes have loaded contexts with the same counters. After one of the contexts is unloaded,
 * the error of a system-wide load names the process that loaded the other context.
 */
TEST(the_process_that_is_named_has_a_context)
{
	struct child child = child_new();
	int first = busy_context(), second = busy_context(), cpu = cpu_context();
	pid_t loader = loader_of(first, thread_id());

	load(second, child.pid);
	must(first, pfm_unload_context(first));
	ck_assert_int_eq(prctl(PR_SET_NAME, "second"), 0);
	must_be_held(cpu, 0, held(OF_THREADS, "second", getpid()));
	must_be_killed(loader);
	close(second);
	load(cpu, 0);
	close(first);
	close(cpu);
}

/*
 * The monitored thread creates a child process. The child and the copy of the context continue to
 * exist after the thread ends.
 */
static uint64_t fork_sleeper(uint64_t unused)
{
	pid_t pid = fork();

	(void)unused;
	while (!pid)
		pause();
	return (uint64_t)pid;
}

TEST(the_loader_of_a_copy_is_named)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	struct child child = child_new();
	int thread = pfm_create_context(&ctx, NULL, NULL, 0), cpu = cpu_context();
	pid_t sleeper;

	ck_assert_msg(thread != -1, "%s", sentence(-1));
	use_busy_counters(thread);
	load(thread, child.pid);
	sleeper = (pid_t)child_call(&child, fork_sleeper, 0);
	child_exit(&child);
	must_end(thread);
	ck_assert_int_eq(prctl(PR_SET_NAME, "parent"), 0);
	must_be_held(cpu, 0, held(OF_THREADS, "parent", getpid()));
	ck_assert_int_eq(kill(sleeper, SIGKILL), 0);
	close(thread);
	close(cpu);
}

/*
 * Called in a child. In a new pid namespace, process 1 tries to load @cpu, a system-wide context.
 */
static void look_from_a_namespace(int cpu)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		_exit(EXIT_FAILURE);
	pid = fork();
	if (!pid) {
		must_be_held(cpu, 0, OF_THREADS);
		_exit(EXIT_SUCCESS);
	}
	waitpid(pid, &status, 0);
	_exit(status ? EXIT_FAILURE : EXIT_SUCCESS);
}

TEST(a_holder_outside_of_the_pid_namespace_is_not_named)
{
	int thread = busy_context(), cpu = cpu_context(), status;
	pid_t pid;

	load(thread, thread_id());
	pid = check_fork();
	if (!pid)
		look_from_a_namespace(cpu);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	close(thread);
	close(cpu);
}
