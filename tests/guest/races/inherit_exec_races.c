// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread of a monitored process executes a program while other threads of the process make
 * children, and while the test reads the sum of all counts. The exec ends the other threads, but
 * not the copies that monitor the children. If the loader is an ordinary user, a copy ends when its
 * thread executes a privileged program.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "families.h"
#include "successor.h"

SUITE(inherit_exec_races, 900);

/*
 * The program to execute: perfmon-successor. The test of privileged programs makes a copy of this
 * file that is owned by root and has the set-user-ID bit.
 */
static const char *program;

/* Finds perfmon-successor, which is in the folder of this program. */
static void find_successor(void)
{
	static char path[PATH_MAX];
	ssize_t length =
		readlink("/proc/self/exe", path, sizeof(path) - sizeof(SUCCESSOR));

	ck_assert_int_gt(length, 0);
	strcpy(strrchr(path, '/') + 1, SUCCESSOR);
	ck_assert_msg(access(path, X_OK) == 0, "%s: %s", path, strerror(errno));
	program = path;
}

/* Executes perfmon-successor, which waits for the children that the process has. */
static void execute_successor(void)
{
	execl(program, SUCCESSOR, NULL);
	abort();
}

/* ---- execs and forks in one process ----------------------------------------------------------- */

static void *make_children(void *unused)
{
	for (;;)
		if (random_below(8))
			waitpid(make_light_child(), NULL, 0);
		else
			waitpid(make_child(random_below(2) ? execute_successor : NULL),
				NULL, random_below(2) ? 0 : WNOHANG);
	return unused;
}

static void *execute(void *unused)
{
	while (progress->begun < 2)
		;
	spin_turns(random_below(1 << random_below(18)));
	execute_successor();
	return unused;
}

/*
 * One thread makes children while the other one executes the program. The context was loaded on the
 * first thread. Which of the two threads executes the program is random.
 */
static void execute_while_children_are_made(void)
{
	bool first_executes = random_below(2);
	pthread_t thread;

	progress->begun++;
	require(pthread_create(&thread, NULL, first_executes ? make_children : execute,
			       NULL) == 0);
	(first_executes ? execute : make_children)(NULL);
}

static bool all_have_ended(int fd)
{
	struct pfm_status status;

	require(pfm_get_status(fd, &status) == 0);
	return status.state == PFM_STATE_UNLOADED && !status.copies;
}

/* Reads the sum of all counts, and hands buffers back, until no thread is monitored any more. */
static void watch(const struct family *family)
{
	struct pfarg_ovfl_msg message;
	uint64_t last = 0, now;

	while (!all_have_ended(family->fd)) {
		now = peek_pmd(family->fd, PFM_PMD_MINOR_FAULTS);
		require(now >= last);
		last = now;
		if (family->buffers[0]) {
			require(pfm_restart_cpu(family->fd, random_below(FAMILY_CPUS)) ==
					0 ||
				errno == EBUSY);
			require(read(family->fd, &message, sizeof(message)) ==
					sizeof(message) ||
				errno == EAGAIN);
		}
		/*
		 * Each read interrupts the monitored threads, so let them run for a while before
		 * the next read.
		 */
		spin_turns(random_below(1 << random_below(20)));
	}
}

TEST(execs_may_race_with_forks_and_reads)
{
	unsigned int count = iterations(), threads = 0, i;
	int hooks = keep_hooks();
	struct family family;
	uint64_t faults, counted;

	find_successor();
	for (i = 0; i < count; i++) {
		family = family_begin(execute_while_children_are_made);
		family_load(&family, random_below(2));
		family_let_go(&family);
		watch(&family);
		family_wait(&family);
		faults = family_faults(&family);
		counted = peek_pmd(family.fd, PFM_PMD_MINOR_FAULTS);
		/*
		 * Some kernels report the end of a thread before its last page fault, so this page
		 * fault is not counted.
		 */
		require(counted <= faults);
		require(counted + progress->begun + 1 >= faults);
		require(status_of(family.fd).not_followed == 0);
		require(status_of(family.fd).closed_copies == 0);
		threads += progress->begun;
		family_forget(&family);
		family_end(&family);
		require(sessions() == 1);
	}
	close(hooks);
	printf("         %u execs while %u threads and children were made\n", count,
	       threads);
	fflush(stdout);
	all_must_be_well();
}

/* ---- privileged programs ---------------------------------------------------------------------- */

#define CHILDREN 4

static void execute_privileged(void)
{
	spin_turns(random_below(1 << random_below(14)));
	execute_successor();
}

/* Makes children that execute the program. No child ends before its exec. */
static void execute_in_children(void)
{
	unsigned int i;

	for (i = 0; i < CHILDREN; i++) {
		make_child(execute_privileged);
		while (waitpid(-1, NULL, random_below(2) ? WNOHANG : 0) > 0)
			;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/*
 * Monitors, as an ordinary user, a process whose children execute the privileged program. The page
 * faults of this program must not be counted.
 */
static void watch_as_a_user(void)
{
	unsigned int count = iterations(), executed;
	struct pfm_status status;
	struct family family;
	uint64_t last, now;

	become(USER_ID);
	family = family_begin(execute_in_children);
	for (executed = 0; executed < count; executed += CHILDREN) {
		family_load(&family, random_below(2));
		family_let_go(&family);
		for (last = 0; !progress->finished; last = now) {
			now = peek_pmd(family.fd, PFM_PMD_MINOR_FAULTS);
			require(now >= last);
		}
		family_wait(&family);
		now = peek_pmd(family.fd, PFM_PMD_MINOR_FAULTS);
		require(now >= CHILDREN * FAMILY_PAGES);
		require(now + CHILDREN * SUCCESSOR_PAGES <= family_faults(&family));
		require(pfm_get_status(family.fd, &status) == 0);
		require(status.closed_copies == CHILDREN && status.copies == 0);
		family_forget(&family);
	}
	family_end(&family);
	printf("         %u execs of a privileged program\n", executed);
	fflush(stdout);
}

TEST(execs_of_privileged_programs_may_race_with_reads)
{
	pid_t pid;
	int status;

	pmu();
	find_successor();
	program = copy_of(program, 0, 04755);
	pid = check_fork();
	if (pid == 0) {
		watch_as_a_user();
		exit(EXIT_SUCCESS);
	}
	require(waitpid(pid, &status, 0) == pid);
	unlink(program);
	ck_assert_msg(status == 0, "the child of the test ended with status %#x", status);
	all_must_be_well();
}
