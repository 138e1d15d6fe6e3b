// SPDX-License-Identifier: GPL-2.0-only
/* The target forks in a signal handler, again and again. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "measure.h"
#include "workers.h"

SUITE(fork_races, 1800);

/* Shared with the process that forks. */
struct forking {
	volatile bool stop;
	volatile unsigned int forks;
};

static struct forking *forking;

/* Handles SIGCHLD: the exit of a child starts the next child. */
static void fork_again(int signal)
{
	pid_t pid;

	(void)signal;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	if (forking->stop)
		return;
	pid = fork();
	if (pid) {
		waitpid(pid, NULL, random_below(8) ? 0 : WNOHANG);
		return;
	}
	if (forking->forks++ % 64 == 0)
		execl("/proc/self/exe", "perfmon-tests", "-h", NULL);
	touch_pages(10); /* pages that only this process uses */
	_exit(EXIT_SUCCESS);
}

static void __attribute__((noreturn)) run_parent(void)
{
	pin(1);
	close_range(3, ~0u, 0);
	require(open("/dev/null", O_WRONLY) != -1 && dup2(3, STDOUT_FILENO) != -1);
	signal(SIGCHLD, fork_again);
	raise(SIGCHLD);
	while (!forking->stop)
		spin_turns(1000);
	_exit(EXIT_SUCCESS);
}

/*
 * Monitors the parent for a short time. Only the page faults of the parent may be counted, because
 * its children are not monitored.
 */
static void watch_parent(int fd, pid_t pid)
{
	uint64_t outer, inner = 0, count;

	poke_pmd(fd, PFM_PMD_MINOR_FAULTS, 0);
	outer = minor_faults_of(pid);
	require(try_load(fd, pid) == 0);
	require(pfm_start(fd, NULL) == 0);
	if (random_below(4) == 0) {
		inner = minor_faults_of(pid);
		spin_turns(random_below(100000));
		inner = minor_faults_of(pid) - inner;
	}
	spin_turns(random_below(20000));
	require(sessions() == 1);
	if (random_below(2))
		require(pfm_stop(fd) == 0);
	require(pfm_unload_context(fd) == 0);
	outer = minor_faults_of(pid) - outer;
	count = peek_pmd(fd, PFM_PMD_MINOR_FAULTS);
	require(count >= inner && count <= outer);
}

TEST(the_target_may_fork_in_a_signal_handler)
{
	unsigned int wanted = iterations(), turns;
	pid_t pid;
	int fd;

	need_cpus(2);
	pin(0);
	forking = mmap(NULL, sizeof(*forking), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(forking != MAP_FAILED);
	pid = check_fork();
	if (pid == 0)
		run_parent();
	fd = create();
	for (turns = 0; forking->forks < wanted; turns++)
		watch_parent(fd, pid);
	load(fd, pid);
	must(fd, pfm_start(fd, NULL));
	forking->stop = true;
	must_end(fd);
	must_be_silent(fd);
	require(waitpid(pid, NULL, 0) == pid);
	close(fd);
	printf("         %u forks, loaded %u times\n", forking->forks, turns);
	fflush(stdout);
	all_must_be_well();
}
