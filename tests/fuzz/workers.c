/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts the workers of a round, which are processes and threads, and waits until all have exited.
 *
 * All processes of a round are one process group. The group's leader is the process of worker 0,
 * which is a child of the caller. When a process of the round exits, the caller becomes the new
 * parent of the children of that process (PR_SET_CHILD_SUBREAPER).
 */
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "workers.h"

struct start {
	const struct plan *plan;
	struct table *table;
	unsigned int number;
	bool alone;
};

static void nothing(int signal)
{
	(void)signal;
}

static void set_handlers(void)
{
	const int signals[] = { SIGALRM, SIGUSR1, SIGUSR2, SIGIO, REAL_TIME_SIGNAL };
	struct sigaction action = { .sa_handler = nothing };
	unsigned int n;

	for (n = 0; n < sizeof(signals) / sizeof(signals[0]); n++)
		sigaction(signals[n], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Changes the user of this thread only. glibc's functions would change it for all threads. */
static void become_user(uid_t user)
{
	if (!user)
		return;
	if (syscall(SYS_setgroups, 0, NULL) || syscall(SYS_setresgid, user, user, user) ||
	    syscall(SYS_setresuid, user, user, user))
		abort();
	prctl(PR_SET_DUMPABLE, 1);
}

static void *work(void *argument)
{
	const struct start *start = argument;
	const struct worker *worker = &start->plan->workers[start->number];
	struct executor executor;

	become_user(worker->user);
	executor_begin(&executor, start->table, start->number, start->alone,
		       worker->user);
	execute(&executor, worker->operations, worker->count);
	executor_end(&executor);
	return NULL;
}

static unsigned int threads_of(const struct plan *plan, unsigned int process)
{
	unsigned int n, threads = 0;

	for (n = 1; n < plan->count; n++)
		threads += plan->workers[n].process == process;
	return threads;
}

static void run_process(const struct plan *plan, struct table *table,
			unsigned int process)
{
	bool alone = process && threads_of(plan, process) == 1;
	struct start starts[WORKERS];
	pthread_t threads[WORKERS];
	unsigned int n, count = 0;

	for (n = 1; n < plan->count; n++) {
		if (plan->workers[n].process != process)
			continue;
		starts[count] = (struct start){ plan, table, n, alone };
		if (pthread_create(&threads[count], NULL, work, &starts[count]))
			abort();
		count++;
	}
	for (n = 0; n < count; n++)
		pthread_join(threads[n], NULL);
}

/*
 * Calls wrong() if a signal has killed a process of workers. No worker is killed on purpose, so the
 * kernel or this program is at fault.
 */
static void check_end(int status)
{
	if (WIFSIGNALED(status))
		wrong("a worker was killed by signal %d", WTERMSIG(status));
}

static void end_of(pid_t process)
{
	int status;

	while (waitpid(process, &status, 0) == -1)
		if (errno != EINTR)
			return; /* an operation REAP has already waited for it */
	check_end(status);
}

/* Runs in the process of worker 0. */
static void run_round(const struct plan *plan, struct table *table)
{
	struct start setup = { plan, table, 0, false };
	pid_t children[WORKERS] = {};
	unsigned int process;

	set_handlers();
	work(&setup);
	for (process = 1; process < WORKERS; process++) {
		if (!threads_of(plan, process))
			continue;
		children[process] = fork();
		if (children[process] == 0) {
			run_process(plan, table, process);
			_exit(0);
		}
	}
	run_process(plan, table, 0);
	for (process = 1; process < WORKERS; process++)
		if (children[process] > 0)
			end_of(children[process]);
}

/* Stores the remaining time in @left. Returns false if no time remains. */
static bool time_until(const struct timespec *end, struct timespec *left)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left->tv_sec = end->tv_sec - now.tv_sec;
	left->tv_nsec = end->tv_nsec - now.tv_nsec;
	if (left->tv_nsec < 0) {
		left->tv_nsec += 1000000000;
		left->tv_sec--;
	}
	return left->tv_sec >= 0;
}

static const sigset_t *child_signal(void)
{
	static sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	return &signals;
}

static struct timespec time_in(unsigned int seconds)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += seconds;
	return time;
}

/*
 * Waits until @process has ended or, if @process is -1, until all children have ended. Returns
 * false if the workers execute no operation for @seconds. SIGCHLD is blocked, so that
 * sigtimedwait() gets it.
 */
static bool wait_for(pid_t process, unsigned int seconds)
{
	const struct timespec tick = { 0, 100000000 };
	struct timespec end = time_in(seconds), left;
	uint64_t done = workers_go_on(), done_before;
	pid_t ended;
	int status;

	while (true) {
		ended = waitpid(process, &status, WNOHANG);
		if (ended == process && process > 0)
			check_end(status);
		else if (ended > 0)
			crash_is_wrong(status);
		if (ended == process || (ended == -1 && errno == ECHILD))
			return true;
		if (ended > 0)
			continue;
		if (!time_until(&end, &left))
			return false;
		done_before = done;
		done = workers_go_on();
		if (done != done_before)
			end = time_in(seconds);
		sigtimedwait(child_signal(), NULL, &tick);
	}
}

bool workers_run(const struct plan *plan, unsigned int seconds)
{
	struct table *table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool ended = true;
	pid_t group;

	if (table == MAP_FAILED)
		abort();
	shared_slots_clear();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigprocmask(SIG_BLOCK, child_signal(), NULL);
	group = fork();
	if (group == 0) {
		sigprocmask(SIG_UNBLOCK, child_signal(), NULL);
		setpgid(0, 0);
		run_round(plan, table);
		_exit(0);
	}
	setpgid(group, group);
	if (!wait_for(group, seconds)) {
		workers_hang(group);
		ended = false;
	}
	/*
	 * Even if the process of worker 0 has exited, targets that it started may still run.
	 */
	do {
		kill(-group, SIGKILL);
	} while (!wait_for(-1, 1) && seconds--);
	if (!kill(-group, 0)) {
		workers_hang(group);
		ended = false;
	}
	munmap(table, sizeof(*table));
	return ended;
}
