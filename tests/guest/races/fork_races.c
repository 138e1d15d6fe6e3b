// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests contexts that are loaded on a process that forks again and again, and contexts that are
 * loaded on a child while its parent is still in fork().
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "measure.h"
#include "workers.h"

SUITE(fork_races, 900);

/* Returns memory that the test shares with the processes that it forks. */
static void *share(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	require(memory != MAP_FAILED);
	return memory;
}

/* Data that the test shares with the process that forks. */
struct forking {
	volatile bool stop;
	volatile unsigned int forks;
};

static struct forking *forking;

/* Handles SIGCHLD: after a child has exited, forks the next one. */
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
	touch_pages(10); /* these page faults must not be counted */
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
 * Monitors the parent for a short time. The children are not monitored, so only the page faults of
 * the parent may be counted.
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
	forking = share(sizeof(*forking));
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

/* ---- a load during a fork ---------------------------------------------------------------- */

/*
 * Data that the test shares with the process that forks.
 * @begun: the test sets it to N to start fork number N
 * @forks: the process sets it to N when fork number N has returned
 * @child: the child of fork number @forks
 * @done: the test sets it to N to let the child of fork number N exit
 */
struct demand {
	volatile unsigned int begun;
	volatile unsigned int forks;
	volatile pid_t child;
	volatile unsigned int done;
};

static void __attribute__((noreturn)) fork_on_demand(struct demand *demand)
{
	unsigned int n;
	pid_t pid;

	close_range(3, ~0u, 0);
	pin(1);
	for (n = 1;; n++) {
		while (demand->begun < n)
			;
		pid = fork();
		require(pid != -1);
		if (!pid) {
			while (demand->done < n)
				;
			_exit(EXIT_SUCCESS);
		}
		demand->child = pid;
		demand->forks = n;
		require(waitpid(pid, NULL, 0) == pid);
	}
}

static int inherited_context(pid_t pid)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	require(fd != -1);
	use_busy_counters(fd);
	load(fd, pid);
	return fd;
}

/* The last field of /proc/loadavg is the PID that the kernel assigned last. */
static pid_t next_pid(void)
{
	return atoi(strrchr(read_text("/proc/loadavg"), ' ') + 1) + 1;
}

/*
 * Returns whether context @fd was loaded on the child before the child got a copy of the parent's
 * context. If the kernel gives the expected PID to another process or to a kernel thread, the load
 * may have any result.
 */
static bool load_during_a_fork(int fd, struct demand *demand, unsigned int n)
{
	pid_t expected = next_pid();
	bool loaded, is_child;
	int error;

	demand->begun = n;
	do {
		loaded = !try_load(fd, expected);
		error = loaded ? 0 : errno;
	} while (error == ESRCH && demand->forks < n);
	wait_until(demand->forks == n);
	is_child = demand->child == expected;
	require(loaded || error == EEXIST || error == ESRCH || !is_child);
	if (loaded)
		require(pfm_unload_context(fd) == 0 || !is_child);
	demand->done = n;
	return loaded && is_child;
}

/*
 * A context with PFM_FL_INHERIT_ALL monitors a process that forks. As soon as the child can be
 * found by its PID, the test loads a second context on the child. Module slow_fork delays the fork
 * at this point, so the load can come before the core makes a copy of the first context. If the
 * load succeeds, the child gets no copy. The statistic not_followed does not count such a child,
 * because the second context monitors it.
 */
static void check_loads_during_forks(void)
{
	unsigned int count = iterations(), loaded = 0, n;
	struct demand *demand;
	int parent, child;
	pid_t pid;

	demand = share(sizeof(*demand));
	pid = check_fork();
	if (pid == 0)
		fork_on_demand(demand);
	pin(0);
	parent = inherited_context(pid);
	child = create();
	for (n = 1; n <= count || !loaded; n++)
		loaded += load_during_a_fork(child, demand, n);
	printf("         %u forks, %u loads during a fork\n", n - 1, loaded);
	fflush(stdout);
	ck_assert_uint_eq(status_of(parent).not_followed, 0);
	close(child);
	close(parent);
	kill(pid, SIGKILL);
	require(waitpid(pid, NULL, 0) == pid);
	munmap(demand, sizeof(*demand));
	all_must_be_well();
}

TEST(a_child_that_the_loader_monitors_already_is_not_missing)
{
	need_cpus(2);
	with_module("slow_fork", check_loads_during_forks);
}
