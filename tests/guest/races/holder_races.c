// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests loads of a system-wide context. Meanwhile other processes start, monitor themselves and
 * exit.
 *
 * Contexts on threads and system-wide contexts cannot use the same counter at the same time. While
 * contexts of one kind use a counter, a context of the other kind that uses this counter cannot be
 * loaded. When the core refuses such a load, it looks for one of the contexts that already use the
 * counter. If it finds one, and the process that loaded this context has not exited, the error
 * names this process.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "measure.h"
#include "system_wide.h"
#include "workers.h"

SUITE(holder_races, 300);

#define OF_THREADS "contexts on threads"
#define OF_CPUS	   "system-wide contexts"

/*
 * Returns whether the last call on @fd failed because contexts of @kind use the same counter. The
 * error may report the name and number of a process, or no process.
 */
static bool is_held_by(int fd, const char *kind)
{
	const size_t length = strlen(kind);
	struct pfm_error error;
	const char *pid;

	if (pfm_get_error(fd, &error) || error.error != EBUSY ||
	    strncmp(error.holder, kind, length))
		return false;
	if (!error.holder[length])
		return true;
	pid = strrchr(error.holder, '[');
	return !strncmp(error.holder + length, ": ", 2) && pid && atoi(pid + 1) > 0;
}

/*
 * The process monitors itself and exits immediately. Its child exits later. A copy of the context
 * monitors the child.
 */
static void be_monitored(void)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	require(fd != -1);
	use_busy_counters(fd);
	if (try_load(fd, thread_id()))
		require(is_held_by(fd, OF_CPUS));
	else
		require(fork() != -1);
	_exit(EXIT_SUCCESS);
}

static void come_and_go(void)
{
	int status;
	pid_t pid;

	for (;;) {
		pid = fork();
		require(pid != -1);
		if (!pid)
			be_monitored();
		require(waitpid(pid, &status, 0) == pid && !status);
	}
}

TEST(holders_may_end_while_they_are_looked_for)
{
	unsigned int loaded = 0, named = 0, i;
	int cpu = system_wide_context();
	struct pfm_error error;
	pid_t pid;

	need_cpus(2);
	use_busy_counters_of_cpu(cpu);
	/* If a parent exits, its child becomes a child of this process. */
	require(!prctl(PR_SET_CHILD_SUBREAPER, 1));
	pid = fork();
	require(pid != -1);
	if (!pid) {
		close(cpu);
		pin(1);
		come_and_go();
	}
	pin(0);
	for (i = 0; i < iterations() || !loaded || !named; i++) {
		if (!try_load(cpu, 0)) {
			loaded++;
			require(!pfm_unload_context(cpu));
			continue;
		}
		require(is_held_by(cpu, OF_THREADS));
		require(!pfm_get_error(cpu, &error));
		named += !!strchr(error.holder, '[');
	}
	printf("         %u loads, %u refusals that named a process and %u that did not\n",
	       loaded, named, i - loaded - named);
	kill(pid, SIGKILL);
	while (wait(NULL) != -1)
		;
	require(!prctl(PR_SET_CHILD_SUBREAPER, 0));
	close(cpu);
	wait_until(no_session_is_left());
	all_must_be_well();
}
