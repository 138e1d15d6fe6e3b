// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests loads of a context on a thread that calls exec at the same time. The exec may add
 * privileges, or the thread may be a usermode helper of the kernel.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "measure.h"
#include "workers.h"

SUITE(exec_races, 900);

/* ---- load and exec ------------------------------------------------------------------------ */

#define EXECUTOR_OPTION "--executor"
#define EXECUTOR_FD	5

/* An executor is a process that keeps calling exec. Its programs and the test share this memory. */
struct executor {
	pid_t pid;
	volatile bool stop;
	volatile bool threads; /* a second thread calls every fourth execve() */
	volatile uint64_t execs;
	/* An odd number while the program has privileges, an even number while it has none. */
	volatile uint64_t generation;
	char programs[2][64]; /* executed in turn */
};

static void drop_privileges(struct executor *executor)
{
	const uid_t uid = getuid();

	executor->generation++;
	spin_turns(random_below(20000));
	executor->generation++;
	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
	    prctl(PR_SET_DUMPABLE, 1))
		abort();
}

static void *execute_next(void *argument)
{
	struct executor *executor = argument;

	execl(executor->programs[executor->execs % 2], "perfmon-tests", EXECUTOR_OPTION,
	      NULL);
	abort();
}

static void __attribute__((noreturn)) executor_run(struct executor *executor)
{
	pthread_t thread;

	if (getuid() != geteuid())
		drop_privileges(executor);
	spin_turns(random_below(1 << random_below(18)));
	if (executor->stop)
		_exit(EXIT_SUCCESS);
	executor->execs++;
	if (executor->threads && executor->execs % 4 == 0 &&
	    !pthread_create(&thread, NULL, execute_next, executor))
		pause(); /* until the other thread's exec ends this thread */
	execute_next(executor);
	abort();
}

void executor_main(int argc, char **argv)
{
	struct executor *executor;

	if (argc != 2 || strcmp(argv[1], EXECUTOR_OPTION))
		return;
	executor = mmap(NULL, sizeof(*executor), PROT_READ | PROT_WRITE, MAP_SHARED,
			EXECUTOR_FD, 0);
	if (executor == MAP_FAILED)
		abort();
	executor_run(executor);
}

/* Starts a process of user @uid that executes this program and program @second alternately. */
static struct executor *executor_begin(uid_t uid, bool threads, const char *second)
{
	int fd = memfd_create("executor", 0);
	struct executor *executor;
	pid_t pid;

	require(fd != -1 && ftruncate(fd, sizeof(*executor)) == 0);
	executor =
		mmap(NULL, sizeof(*executor), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	require(executor != MAP_FAILED);
	executor->threads = threads;
	/*
	 * Store the path of this program now. When the process executes the second program,
	 * /proc/self/exe changes.
	 */
	require(readlink("/proc/self/exe", executor->programs[0],
			 sizeof(executor->programs[0]) - 1) > 0);
	strcpy(executor->programs[1], second);
	pid = check_fork();
	require(pid != -1);
	if (pid == 0) {
		pin(1);
		dup2(fd, EXECUTOR_FD);
		close_range(EXECUTOR_FD + 1, ~0u, 0);
		if (uid)
			become(uid);
		executor_run(executor);
	}
	close(fd);
	executor->pid = pid;
	wait_until(executor->execs > 2);
	return executor;
}

static void executor_end(struct executor *executor)
{
	int status;

	executor->stop = true;
	require(waitpid(executor->pid, &status, 0) == executor->pid);
	require(status == 0);
	munmap(executor, sizeof(*executor));
}

/* While the program has privileges that the loader lacks, the context must not be loaded. */
static void must_not_watch_privileges(int fd, const struct executor *executor)
{
	uint64_t generation = executor->generation;
	struct pfm_status status;

	require(pfm_get_status(fd, &status) == 0);
	require(status.state != PFM_STATE_MASKED);
	require(!(generation % 2) || executor->generation != generation ||
		status.state == PFM_STATE_UNLOADED);
}

struct exec_counts {
	unsigned int loaded, refused, ended, gone;
};

/*
 * Starts a process that preempts the loader at random times, each time for about as long as an exec
 * takes.
 */
static pid_t disturber_begin(void)
{
	const struct sched_param parameter = { .sched_priority = 1 };
	struct timespec pause = {};
	pid_t pid;

	/*
	 * This process is not used in a debug kernel, where the loader would get little CPU
	 * time and take ten times as long.
	 */
	if (is_debug_kernel())
		return 0;
	pid = check_fork();
	if (pid)
		return pid;
	require(sched_setscheduler(0, SCHED_FIFO, &parameter) == 0);
	for (;;) {
		pause.tv_nsec = 20000 + random_below(300000);
		nanosleep(&pause, NULL);
		spin_turns(random_below(1 << random_below(19)));
	}
}

static void disturber_end(pid_t pid)
{
	if (!pid)
		return;
	kill(pid, SIGKILL);
	require(waitpid(pid, NULL, 0) == pid);
}

/*
 * One iteration is a load on a thread that calls exec again and again. There must be at least one
 * exec for every four loads, and at least one load must succeed.
 */
static struct exec_counts load_while_it_executes(const struct executor *executor,
						 bool ordinary_user)
{
	struct exec_counts counts = {};
	unsigned int count = iterations(), looks = is_debug_kernel() ? 4 : 100, i;
	int fd = create(), turn;

	for (i = 0; i < count || executor->execs < count / 4 || !counts.loaded; i++) {
		spin_turns(random_below(1 << random_below(16)));
		if (try_load(fd, executor->pid) == 0)
			counts.loaded++;
		else if (errno == EPERM)
			counts.refused++;
		else if (errno == EBUSY)
			counts.ended++;
		else if (errno == ESRCH)
			counts.gone++;
		else
			require(!"unexpected errno");
		/*
		 * For an ordinary user, check the context's status many times, so that the program
		 * has time to report its privileges.
		 */
		for (turn = random_below(ordinary_user ? looks : 4); turn > 0; turn--)
			if (ordinary_user)
				must_not_watch_privileges(fd, executor);
			else
				require(pfm_start(fd, NULL) == 0 || errno == EINVAL);
		require(pfm_unload_context(fd) == 0);
	}
	require(close(fd) == 0);
	printf("         %u loads during %ju execs: %u succeeded, %u failed with EPERM, "
	       "%u with EBUSY, %u with ESRCH\n",
	       i, (uintmax_t)executor->execs, counts.loaded, counts.refused, counts.ended,
	       counts.gone);
	fflush(stdout);
	return counts;
}

TEST(the_load_may_race_with_an_exec)
{
	struct exec_counts counts;
	struct executor *executor;

	need_cpus(2);
	pin(0);
	executor = executor_begin(0, true, "/proc/self/exe");
	counts = load_while_it_executes(executor, false);
	executor_end(executor);
	ck_assert_uint_eq(counts.refused, 0);
	all_must_be_well();
}

/*
 * Runs as an ordinary user. The caller does everything that needs root, before and after this call.
 */
static void watch_as_a_user(struct executor *executor)
{
	struct exec_counts counts;

	become(USER_ID);
	counts = load_while_it_executes(executor, true);
	require(counts.loaded > 0 && counts.refused > 0);
	require(counts.ended == 0 && counts.gone == 0);
}

TEST(a_users_load_may_race_with_the_exec_of_a_setuid_program)
{
	const char *program;
	struct executor *executor;
	pid_t pid, disturber;
	int status;

	need_cpus(2);
	pin(0);
	pmu();
	disturber = disturber_begin();
	program = copy_of_this(0, 04755);
	executor = executor_begin(USER_ID, false, program);
	pid = check_fork();
	if (pid == 0) {
		watch_as_a_user(executor);
		exit(EXIT_SUCCESS);
	}
	require(waitpid(pid, &status, 0) == pid);
	executor_end(executor);
	disturber_end(disturber);
	unlink(program);
	ck_assert_msg(status == 0, "the child of the test ended with status %#x", status);
	all_must_be_well();
}

/* ---- usermode helpers ----------------------------------------------------------------------------- */

#define MODPROBE "/proc/sys/kernel/modprobe"

/*
 * Makes the kernel start usermode helpers. Before its exec, a helper has no address space, is not a
 * kernel thread, and belongs to root.
 */
static void __attribute__((noreturn)) call_for_helpers(void)
{
	unsigned int family_number;

	pin(1);
	for (;;) {
		/*
		 * No module of these protocol families is loaded, so the kernel starts a helper to
		 * load one.
		 */
		family_number = 11 + random_below(8);
		close(socket(family_number, SOCK_DGRAM, 0));
	}
}

static pid_t last_pid(void)
{
	int pid = 0;

	require(sscanf(read_text("/proc/loadavg"), "%*f %*f %*f %*d/%*d %d", &pid) == 1);
	return pid;
}

/*
 * Tries to load the context on the next helper, which is the next process that is created. Returns
 * the error, or 0 if the helper exited before it was seen.
 */
static int meet_helper(int fd)
{
	pid_t pid = last_pid() + 1;
	unsigned int turn = 0;

	do {
		require(try_load(fd, pid) == -1);
		if (errno != ESRCH)
			return errno;
	} while (++turn % 16 || last_pid() < pid);
	return 0;
}

static void watch_helpers(void)
{
	unsigned int count = iterations() / 10, i, refused = 0, ended = 0;
	int fd, error;

	become(USER_ID);
	fd = create();
	for (i = 0; i < count || !refused; i++) {
		error = meet_helper(fd);
		require(!error || error == EPERM || error == EBUSY);
		refused += error == EPERM;
		ended += error == EBUSY;
	}
	printf("         %u loads on usermode helpers refused, %u helpers ended, %u not seen\n",
	       refused, ended, i - refused - ended);
	fflush(stdout);
}

TEST(a_user_may_not_monitor_a_usermode_helper)
{
	char before[256];
	pid_t caller, watcher;
	int status;

	need_cpus(2);
	pin(0);
	pmu();
	snprintf(before, sizeof(before), "%s", read_text(MODPROBE));
	write_text(MODPROBE, "/no/such/program");
	caller = check_fork();
	if (caller == 0)
		call_for_helpers();
	watcher = check_fork();
	if (watcher == 0) {
		watch_helpers();
		exit(EXIT_SUCCESS);
	}
	require(waitpid(watcher, &status, 0) == watcher);
	kill(caller, SIGKILL);
	waitpid(caller, NULL, 0);
	write_text(MODPROBE, before);
	ck_assert_msg(status == 0, "the watcher ended with status %#x", status);
	all_must_be_well();
}
