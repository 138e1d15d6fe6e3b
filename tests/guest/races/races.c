// SPDX-License-Identifier: GPL-2.0-only
/*
 * Races: two that meet in a window, thousands of times.
 *
 * Where the order in which they came can be seen from outside it is counted, and
 * the one side's lead is shortened or lengthened until both orders have happened:
 * a race that nobody ever loses is none.  The other side is a thread made with
 * clone(), on CPU 1: it shares all memory, so an iteration costs little, and
 * uses no thread-local storage, which would be the test's own.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "measure.h"
#include "workers.h"

SUITE(races, 1800);

/* ---- two that meet --------------------------------------------------------------- */

enum order {
	BEFORE, /* we were first */
	DURING, /* at once, as far as can be seen */
	AFTER,
	ORDERS,
	UNSEEN = ORDERS
};

/* Turns, as everything here. */
#define LEAST_STEP   64
#define LARGEST_STEP 65536
#define JITTER_WIDTH 16

/**
 * struct meeting - when two meet, and how often in which order
 * @edge: the one that is aimed at: between "before" and "at once", and between
 *	that and "after"
 * @lead: for each, what the other side is given; less than 0: what we take
 * @step: for each, and with its sign, how far it was moved last
 * @orders: how often each was seen
 */
struct meeting {
	unsigned int edge;
	int lead[2];
	int step[2];
	unsigned int orders[ORDERS];
};

/* Turns that we wait, or less than 0: that the other side has to wait. */
static int choose_lead(struct meeting *meeting)
{
	int off = random_below(1 << random_below(JITTER_WIDTH));

	meeting->edge = !meeting->edge;
	return meeting->lead[meeting->edge] + (random_below(2) ? off : -off);
}

/* To where both sides of the edge are seen; faster as long as it is out of sight. */
static void note_order(struct meeting *meeting, enum order order)
{
	int *step = &meeting->step[meeting->edge];
	bool early = order == BEFORE || (order == DURING && meeting->edge == 1);

	if (order == UNSEEN)
		return;
	meeting->orders[order]++;
	if (early)
		*step = *step > 0 ? 2 * *step : LEAST_STEP;
	else
		*step = *step < 0 ? 2 * *step : -LEAST_STEP;
	if (abs(*step) > LARGEST_STEP)
		*step /= 2;
	meeting->lead[meeting->edge] += *step;
}

static void both_must_have_happened(const struct meeting *meeting, const char *name)
{
	const unsigned int *orders = meeting->orders;

	printf("         %s: %u before, %u at once, %u after\n", name, orders[BEFORE],
	       orders[DURING], orders[AFTER]);
	fflush(stdout);
	ck_assert_msg(orders[BEFORE] && orders[AFTER], "%s: never came %s; no race", name,
		      orders[BEFORE] ? "after" : "before");
}

/* ---- threads that end -------------------------------------------------------------- */

/* How the target ends. */
enum ending {
	THREAD_ENDS, /* one of this process's */
	PROCESS_ENDS,
	PROCESS_IS_KILLED,
	LAST_THREAD_ENDS, /* of its group, whose first thread has gone */
	GROUP_ENDS, /* by another thread's exit_group() */
	ENDINGS
};

static const char *const ending_names[] = {
	[THREAD_ENDS] = "a thread ends",
	[PROCESS_ENDS] = "a process ends",
	[PROCESS_IS_KILLED] = "a process is killed",
	[LAST_THREAD_ENDS] = "the last thread ends",
	[GROUP_ENDS] = "all threads are ended",
};

#define STACK 16384

/* There is one at a time. */
static struct target {
	enum ending ending;
	volatile int wanted; /* by the mother */
	pid_t pid; /* what to wait for, 0 for a thread of this process */
	volatile bool made; /* @pid and @tid are right */
	volatile pid_t tid; /* 0 when it has gone */
	volatile bool here; /* it spins */
	volatile int go; /* lets it end */
	volatile uint64_t turns; /* what it has spun */
	uint64_t patience; /* turns between @go and the end */
	char stack[STACK] __attribute__((aligned(16)));
	char second_stack[STACK] __attribute__((aligned(16)));
} target;

#define PROCESS (CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD)
#define THREAD                                                                           \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |              \
	 CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

static pid_t new_thread(int (*function)(void *), char *stack)
{
	return clone(function, stack + STACK, THREAD, NULL, &target.tid, NULL,
		     &target.tid);
}

static void spin_out(void)
{
	uint64_t left;

	for (left = target.patience; left; left--)
		target.turns++;
}

static void spin_until_let_go(void)
{
	target.here = true;
	while (!target.go)
		target.turns++;
	spin_out();
}

static int end(void *unused)
{
	(void)unused;
	spin_until_let_go();
	return 0; /* exit(), of this thread only */
}

/* By us, or after some turns by itself. */
static int be_killed(void *unused)
{
	(void)unused;
	spin_until_let_go();
	syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
	return 0;
}

static int be_ended(void *unused)
{
	(void)unused;
	for (target.here = true; target.here;)
		target.turns++;
	return 0;
}

static int leave_to_thread(void *unused)
{
	(void)unused;
	new_thread(end, target.second_stack);
	return 0;
}

static int end_group(void *unused)
{
	(void)unused;
	new_thread(be_ended, target.second_stack);
	while (!target.go)
		syscall(SYS_futex, &target.go, FUTEX_WAIT, 0, NULL);
	spin_out();
	syscall(SYS_exit_group, 0);
	return 0;
}

static pid_t new_process(int (*function)(void *))
{
	pid_t pid = clone(function, target.stack + STACK, PROCESS, NULL);

	require(pid != -1);
	return pid;
}

static void make_target(void)
{
	switch (target.ending) {
	case THREAD_ENDS:
		require(new_thread(end, target.stack) != -1);
		break;
	case PROCESS_ENDS:
		target.tid = target.pid = new_process(end);
		break;
	case PROCESS_IS_KILLED:
		target.tid = target.pid = new_process(be_killed);
		break;
	case LAST_THREAD_ENDS:
		target.pid = new_process(leave_to_thread);
		break;
	case GROUP_ENDS:
		target.pid = new_process(end_group);
		break;
	case ENDINGS:
		abort();
	}
}

/* Makes them where they are to run, and then sleeps. */
static void *mother(void *unused)
{
	pin(1);
	for (;;) {
		while (!target.wanted)
			syscall(SYS_futex, &target.wanted, FUTEX_WAIT, 0, NULL);
		target.wanted = 0;
		make_target();
		target.made = true;
	}
	return unused;
}

/* It spins on CPU 1 when this returns. */
static void target_begin(enum ending ending, uint64_t patience)
{
	target.ending = ending;
	target.patience = patience;
	target.here = target.made = false;
	target.go = 0;
	target.tid = target.pid = 0;
	target.wanted = 1;
	syscall(SYS_futex, &target.wanted, FUTEX_WAKE, 1);
	while (!target.here || !target.made)
		;
}

static void target_let_go(void)
{
	if (target.ending == PROCESS_IS_KILLED && !target.patience)
		require(kill(target.pid, SIGKILL) == 0);
	target.go = 1;
	if (target.ending == GROUP_ENDS)
		syscall(SYS_futex, &target.go, FUTEX_WAKE, 1);
}

static void target_reap(void)
{
	if (target.pid)
		require(waitpid(target.pid, NULL, __WALL) == target.pid);
	else
		while (target.tid)
			;
}

static void meet_all_endings(enum order (*meet)(enum ending ending, int lead))
{
	struct meeting meetings[ENDINGS] = {};
	unsigned int count = iterations(), i, ending;
	pthread_t thread;

	need_cpus(2);
	pin(0);
	require(pthread_create(&thread, NULL, mother, NULL) == 0);
	for (i = 0; i < count; i++) {
		ending = i % ENDINGS;
		note_order(&meetings[ending],
			   meet(ending, choose_lead(&meetings[ending])));
	}
	for (ending = 0; ending < ENDINGS; ending++)
		both_must_have_happened(&meetings[ending], ending_names[ending]);
	all_must_be_well();
}

/* ---- close and the end of the thread ----------------------------------------------- */

static bool has_message(int fd)
{
	struct pollfd poll_one = { .fd = fd, .events = POLLIN };

	return poll(&poll_one, 1, 0) == 1;
}

static enum order close_while_it_ends(enum ending ending, int lead)
{
	int fd = create();
	uint64_t turns;
	bool ended;

	target_begin(ending, lead < 0 ? -lead : 0);
	require(try_load(fd, target.tid) == 0);
	if (random_below(2))
		require(pfm_start(fd, NULL) == 0);
	target_let_go();
	spin_turns(lead > 0 ? lead : 0);
	ended = has_message(fd);
	require(close(fd) == 0);
	turns = target.turns;
	target_reap();
	if (ended)
		return AFTER;
	return target.turns > turns ? BEFORE : DURING;
}

TEST(the_close_may_meet_the_end_of_the_thread)
{
	meet_all_endings(close_while_it_ends);
}

/* ---- load and the end of the thread -------------------------------------------------- */

static enum order load_while_it_ends(enum ending ending, int lead)
{
	int fd = create();
	enum order order = AFTER;
	uint64_t turns;

	target_begin(ending, lead < 0 ? -lead : 0);
	target_let_go();
	spin_turns(lead > 0 ? lead : 0);
	if (try_load(fd, target.tid) == 0) {
		turns = target.turns;
		require(pfm_start(fd, NULL) == 0 || errno == EINVAL);
		must_end(fd);
		order = target.turns > turns ? BEFORE : DURING;
	} else {
		/* A thread is forgotten at once, a process when it is waited for. */
		require(errno == EBUSY || (errno == ESRCH && ending != PROCESS_ENDS &&
					   ending != PROCESS_IS_KILLED));
		require(!has_message(fd));
	}
	require(status_of(fd).state == PFM_STATE_UNLOADED);
	target_reap();
	require(close(fd) == 0);
	return order;
}

TEST(the_load_may_meet_the_end_of_the_thread)
{
	meet_all_endings(load_while_it_ends);
}

/* ---- unload, stop or close and an overflow --------------------------------------------- */

enum way {
	STOP,
	UNLOAD,
	CLOSE,
};

/* Counting begins @distance below a wrap of the hardware, or of 64 bits. */
struct approach {
	unsigned int width;
	bool saturates;
	uint64_t distance;
};

/*
 * The thread counts towards the wrap when we end that.  What came of it has to be
 * whole: not there yet, or carried, or suspended and told.
 */
static enum order end_at_overflow(int *fd, pid_t tid, enum way way,
				  const struct approach *approach)
{
	const unsigned int pmd = pmu()->pmds[0];
	const uint64_t wrap = approach->saturates ? 0 : 3ull << approach->width;
	const uint64_t preload = wrap - approach->distance;
	uint64_t begun = monotonic_time(), counted;
	struct pfm_status status;
	bool wrapped, told;

	poke_pmd(*fd, pmd, preload);
	require(try_load(*fd, tid) == 0);
	require(pfm_start(*fd, NULL) == 0);
	spin_turns(random_below(1000));
	if (way == CLOSE) {
		require(close(*fd) == 0);
		*fd = create();
		return UNSEEN;
	}
	require((way == STOP ? pfm_stop(*fd) : pfm_unload_context(*fd)) == 0);
	counted = peek_pmd(*fd, pmd) - preload;
	told = set_of(*fd, 0).set_ovfl_pmds[0] != 0;
	require(pfm_get_status(*fd, &status) == 0);
	require(pfm_unload_context(*fd) == 0);

	/* All busy counters are clocks here; a wrap lost or doubled is far more. */
	require(counted <= monotonic_time() - begun + BIT(approach->width - 1));
	wrapped = counted >= approach->distance;
	require(told == (wrapped && approach->saturates));
	require(way == UNLOAD ? status.state == PFM_STATE_UNLOADED
			      : (status.state == PFM_STATE_MASKED) == told);
	return wrapped ? AFTER : BEFORE;
}

static const char *const way_names[] = {
	[STOP] = "stop",
	[UNLOAD] = "unload",
	[CLOSE] = "close",
};

static bool enough_pending(unsigned int before)
{
	return statistic("ovfl_intr_replay_count") - before >= iterations() / 20;
}

/*
 * An iteration is one end on the way to an overflow.  Those that came when it was
 * pending - the counter had wrapped and nobody had been told - are a share of them
 * that is demanded of each way on its own.
 */
static void end_in_one_way(enum way way, struct approach *approach,
			   struct meeting *meetings, const pid_t *tids)
{
	const unsigned int count = iterations();
	unsigned int taken = statistic("ovfl_intr_regular_count");
	unsigned int pending = statistic("ovfl_intr_replay_count"), i;
	int fd = create();

	for (i = 0; i < count || !enough_pending(pending); i++) {
		struct meeting *meeting = &meetings[i % 2];
		pid_t tid = random_below(8) ? tids[random_below(2)] : thread_id();
		int distance = 20000 - choose_lead(meeting);

		approach->saturates = i % 2;
		approach->distance = distance > 0 ? distance : 1;
		note_order(meeting, end_at_overflow(&fd, tid, way, approach));
	}
	close(fd);
	taken = statistic("ovfl_intr_regular_count") - taken;
	pending = statistic("ovfl_intr_replay_count") - pending;
	printf("         %s: %u iterations; overflows: %u taken, %u pending at the end\n",
	       way_names[way], count, taken, pending);
	fflush(stdout);
	ck_assert_uint_gt(taken, 0);
}

static void overflows_must_be_whole(void)
{
	struct spinner spinners[2] = { {}, { .naps = true } };
	struct approach approach = {};
	struct meeting meetings[2] = {};
	pid_t tids[2];
	char path[64];
	enum way way;
	int i;

	snprintf(path, sizeof(path), SYSFS "pmu_desc/pmd%u/width", pmu()->pmds[0]);
	approach.width = read_number(path);
	pin(0);
	for (i = 0; i < 2; i++) {
		spinner_begin(&spinners[i]);
		tids[i] = spinners[i].tid;
	}
	/* The last one sees no order: it goes by what the others have found. */
	for (way = STOP; way <= CLOSE; way++)
		end_in_one_way(way, &approach, meetings, tids);
	for (i = 0; i < 2; i++)
		spinner_end(&spinners[i]);
	both_must_have_happened(&meetings[0], "a carry");
	both_must_have_happened(&meetings[1], "an overflow of 64 bits");
	all_must_be_well();
}

/* The software PMU has interrupts in plenty if its counters are narrow. */
TEST(the_end_of_monitoring_may_meet_an_overflow)
{
	need_cpus(2);
	if (pmu_is("soft"))
		with_pmu("perfmon_soft", "counter_width=31", overflows_must_be_whole);
	else
		overflows_must_be_whole();
}

/* ---- load and exec ------------------------------------------------------------------------ */

#define RUNNER_OPTION "--runner"
#define RUNNER_FD     5

/* Shared with the programs that a runner becomes. */
struct runner {
	pid_t pid;
	volatile bool stop;
	volatile bool threads; /* a second thread executes now and then */
	volatile uint64_t execs;
	/* Odd while the program has privileges: not sooner, not later. */
	volatile uint64_t generation;
	char programs[2][64]; /* in turn */
};

static void drop_privileges(struct runner *runner)
{
	const uid_t uid = getuid();

	runner->generation++;
	spin_turns(random_below(20000));
	runner->generation++;
	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
	    prctl(PR_SET_DUMPABLE, 1))
		abort();
}

static void *execute_next(void *argument)
{
	struct runner *runner = argument;

	execl(runner->programs[runner->execs % 2], "perfmon-tests", RUNNER_OPTION, NULL);
	abort();
}

static void __attribute__((noreturn)) runner_run(struct runner *runner)
{
	pthread_t thread;

	if (getuid() != geteuid())
		drop_privileges(runner);
	spin_turns(random_below(1 << random_below(18)));
	if (runner->stop)
		_exit(EXIT_SUCCESS);
	runner->execs++;
	if (runner->threads && runner->execs % 4 == 0 &&
	    !pthread_create(&thread, NULL, execute_next, runner))
		pause(); /* ends here */
	execute_next(runner);
	abort();
}

void runner_main(int argc, char **argv)
{
	struct runner *runner;

	if (argc != 2 || strcmp(argv[1], RUNNER_OPTION))
		return;
	runner = mmap(NULL, sizeof(*runner), PROT_READ | PROT_WRITE, MAP_SHARED,
		      RUNNER_FD, 0);
	if (runner == MAP_FAILED)
		abort();
	runner_run(runner);
}

/* It belongs to @uid and goes from one program to the other. */
static struct runner *runner_begin(uid_t uid, bool threads, const char *second)
{
	int fd = memfd_create("runner", 0);
	struct runner *runner;
	pid_t pid;

	require(fd != -1 && ftruncate(fd, sizeof(*runner)) == 0);
	runner = mmap(NULL, sizeof(*runner), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	require(runner != MAP_FAILED);
	runner->threads = threads;
	/* Not the link itself: that may be the second one by then. */
	require(readlink("/proc/self/exe", runner->programs[0],
			 sizeof(runner->programs[0]) - 1) > 0);
	strcpy(runner->programs[1], second);
	pid = check_fork();
	require(pid != -1);
	if (pid == 0) {
		pin(1);
		dup2(fd, RUNNER_FD);
		close_range(RUNNER_FD + 1, ~0u, 0);
		if (uid)
			become(uid);
		runner_run(runner);
	}
	close(fd);
	runner->pid = pid;
	wait_until(runner->execs > 2);
	return runner;
}

static void runner_end(struct runner *runner)
{
	int status;

	runner->stop = true;
	require(waitpid(runner->pid, &status, 0) == runner->pid);
	require(status == 0);
	munmap(runner, sizeof(*runner));
}

/* Loaded or not, never while the program has privileges that the watcher lacks. */
static void must_not_watch_privileges(int fd, const struct runner *runner)
{
	uint64_t generation = runner->generation;
	struct pfm_status status;

	require(pfm_get_status(fd, &status) == 0);
	require(status.state != PFM_STATE_MASKED);
	require(!(generation % 2) || runner->generation != generation ||
		status.state == PFM_STATE_UNLOADED);
}

struct exec_counts {
	unsigned int loaded, refused, ended, gone;
};

/*
 * Takes the CPU from the loader at any instruction, for about as long as an exec takes.
 */
static pid_t disturber_begin(void)
{
	const struct sched_param parameter = { .sched_priority = 1 };
	struct timespec pause = {};
	pid_t pid;

	/* It would leave the loader next to nothing: all it does takes ten times as long. */
	if (kernel_checks_itself())
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
 * An iteration is a load of a thread that does little else than exec; that takes
 * several times as long, so each of at least a quarter as many execs meets some.
 */
static struct exec_counts load_while_it_executes(const struct runner *runner,
						 bool ordinary_user)
{
	struct exec_counts counts = {};
	unsigned int count = iterations(), looks = kernel_checks_itself() ? 4 : 100, i;
	int fd = create(), turn;

	for (i = 0; i < count || runner->execs < count / 4; i++) {
		spin_turns(random_below(1 << random_below(16)));
		if (try_load(fd, runner->pid) == 0)
			counts.loaded++;
		else if (errno == EPERM)
			counts.refused++;
		else if (errno == EBUSY)
			counts.ended++;
		else if (errno == ESRCH)
			counts.gone++;
		else
			require(!"an errno of load");
		/* Long enough for the program to come to where it tells of privileges. */
		for (turn = random_below(ordinary_user ? looks : 4); turn > 0; turn--)
			if (ordinary_user)
				must_not_watch_privileges(fd, runner);
			else
				require(pfm_start(fd, NULL) == 0 || errno == EINVAL);
		require(pfm_unload_context(fd) == 0);
	}
	require(close(fd) == 0);
	printf("         %u loads met %ju execs: %u loaded, %u refused, %u ended, %u gone\n",
	       i, (uintmax_t)runner->execs, counts.loaded, counts.refused, counts.ended,
	       counts.gone);
	fflush(stdout);
	return counts;
}

TEST(the_load_may_meet_an_exec)
{
	struct exec_counts counts;
	struct runner *runner;

	need_cpus(2);
	pin(0);
	runner = runner_begin(0, true, "/proc/self/exe");
	counts = load_while_it_executes(runner, false);
	runner_end(runner);
	ck_assert_uint_gt(counts.loaded, 0);
	ck_assert_uint_eq(counts.refused, 0);
	all_must_be_well();
}

/* All that needs to be root is done before and after. */
static void watch_as_a_user(struct runner *runner)
{
	struct exec_counts counts;

	become(USER_ID);
	counts = load_while_it_executes(runner, true);
	require(counts.loaded > 0 && counts.refused > 0);
	require(counts.ended == 0 && counts.gone == 0);
}

TEST(a_users_load_may_meet_the_exec_of_a_setuid_program)
{
	const char *program;
	struct runner *runner;
	pid_t pid, disturber;
	int status;

	need_cpus(2);
	pin(0);
	pmu();
	disturber = disturber_begin();
	program = copy_of_this(0, 04755);
	runner = runner_begin(USER_ID, false, program);
	pid = check_fork();
	if (pid == 0) {
		watch_as_a_user(runner);
		exit(EXIT_SUCCESS);
	}
	require(waitpid(pid, &status, 0) == pid);
	runner_end(runner);
	disturber_end(disturber);
	unlink(program);
	ck_assert_msg(status == 0, "the user's part ended with status %#x", status);
	all_must_be_well();
}

/* ---- several threads on one descriptor ----------------------------------------------------- */

#define HAMMERS 2

/**
 * struct anvil - a descriptor that several threads use and one closes
 * @round: grows when there is a new descriptor
 * @done: threads that have found it closed
 * @seen: largest value read of the PMD that is never written again
 * @calls: calls that were answered
 * @inside: for each thread: it is in a call
 * @met: calls at whose begin or end the other thread was in one
 */
static struct anvil {
	volatile int fd;
	volatile unsigned int round;
	volatile unsigned int done;
	volatile bool stop;
	uint64_t seen;
	uint64_t calls;
	volatile bool inside[HAMMERS];
	uint64_t met;
	pid_t targets[2 + HAMMERS];
} anvil;

/* Returns false when the descriptor has been closed. */
static bool answered(long result, int error, int allowed, int also_allowed)
{
	if (result != -1) {
		__atomic_add_fetch(&anvil.calls, 1, __ATOMIC_RELAXED);
		return true;
	}
	errno = error;
	if (error == EBADF)
		return false;
	__atomic_add_fetch(&anvil.calls, 1, __ATOMIC_RELAXED);
	require(error == allowed || error == also_allowed);
	return true;
}

#define ANSWERED(call, ...)                                                              \
	({                                                                               \
		long answer = (call);                                                    \
		answered(answer, errno, __VA_ARGS__);                                    \
	})

/* What was read before this call began is not more than what it returns. */
static bool read_grows(int fd, bool short_form)
{
	uint64_t seen = __atomic_load_n(&anvil.seen, __ATOMIC_SEQ_CST), value;
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[1] };
	pfarg_pmr_t pmr = { .reg_num = pmu()->pmds[1] };
	long result = short_form ? pfm_read(fd, 0, PFM_RW_PMD, &pmr, sizeof(pmr))
				 : pfm_read_pmds(fd, &pmd, 1);

	if (!answered(result, errno, 0, 0))
		return false;
	value = short_form ? pmr.reg_value : pmd.reg_value;
	require(value >= seen);
	while (seen < value &&
	       !__atomic_compare_exchange_n(&anvil.seen, &seen, value, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return true;
}

static bool status_is_consistent(int fd)
{
	struct pfm_status status;
	size_t i;

	if (!ANSWERED(pfm_get_status(fd, &status), 0, 0))
		return false;
	if (status.state == PFM_STATE_UNLOADED) {
		require(!status.target && !(status.flags & PFM_STATUS_STARTED));
		return true;
	}
	require(status.state == PFM_STATE_LOADED);
	for (i = 0; i < COUNT(anvil.targets); i++)
		if (status.target == (uint32_t)anvil.targets[i])
			return true;
	require(!"the target is one of ours");
	return true;
}

static bool duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 100);

	if (!answered(copy, errno, 0, 0))
		return false;
	status_is_consistent(copy);
	require(close(copy) == 0);
	return true;
}

static bool poll_and_read(int fd)
{
	struct pollfd poll_one = { .fd = fd, .events = POLLIN };
	struct pfarg_ovfl_msg message;

	require(poll(&poll_one, 1, 0) != -1);
	require(!(poll_one.revents & POLLIN)); /* no target ends */
	return ANSWERED(read(fd, &message, sizeof(message)), EAGAIN, 0);
}

static bool any_call(int fd)
{
	pfarg_pmc_t pmcs[2] = {
		{ .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] },
		{ .reg_num = pmu()->pmcs[1], .reg_value = pmu()->busy[1] }
	};
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[0], .reg_value = random_below(~0u) };
	struct pfarg_setdesc set = {};
	struct pfarg_setinfo info = {};
	pid_t target = anvil.targets[random_below(COUNT(anvil.targets))];

	switch (random_below(16)) {
	case 0:
		return ANSWERED(pfm_write_pmcs(fd, pmcs, 2), 0, 0);
	case 1:
		return ANSWERED(pfm_write_pmds(fd, &pmd, 1), 0, 0);
	case 2:
		return ANSWERED(pfm_unload_context(fd), 0, 0);
	case 3:
		return ANSWERED(pfm_stop(fd), EINVAL, 0);
	case 4:
		return ANSWERED(pfm_restart(fd), EBUSY, 0);
	case 5:
		return ANSWERED(pfm_create_evtsets(fd, &set, 1), EBUSY, 0);
	case 6:
		return ANSWERED(pfm_getinfo_evtsets(fd, &info, 1), 0, 0);
	case 7:
		return ANSWERED(pfm_delete_evtsets(fd, &set, 1), EBUSY, EINVAL);
	case 8:
		return status_is_consistent(fd);
	case 9:
		return poll_and_read(fd);
	case 10:
		return duplicate(fd);
	case 11:
	case 12:
		return read_grows(fd, random_below(2));
	case 13:
		return ANSWERED(pfm_start(fd, NULL), EINVAL, 0);
	default:
		return ANSWERED(try_load(fd, target), EBUSY, 0);
	}
}

/* With @other at the same time, or not: that is seen, and counted. */
static bool any_call_of(unsigned int self, unsigned int other)
{
	bool met, open;

	anvil.inside[self] = true;
	met = anvil.inside[other];
	open = any_call(anvil.fd);
	met |= anvil.inside[other];
	anvil.inside[self] = false;
	__atomic_add_fetch(&anvil.met, met, __ATOMIC_RELAXED);
	return open;
}

static void *hammer(void *argument)
{
	const unsigned int self = (pid_t *)argument - &anvil.targets[2];
	unsigned int round = 0;

	*(pid_t *)argument = thread_id();
	for (;;) {
		while (anvil.round == round)
			if (anvil.stop)
				return NULL;
		round = anvil.round;
		/* Not on the same CPU, where they seldom meet; and they move. */
		pin((self + round / 8) % 2);
		while (any_call_of(self, !self))
			;
		__atomic_add_fetch(&anvil.done, 1, __ATOMIC_SEQ_CST);
	}
}

/* The descriptor is closed in the middle of their calls. */
static void strike(void)
{
	const uint64_t value = BIT(32) - random_below(100000); /* wraps meanwhile */
	int fd = create();

	require(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	poke_pmc(fd, pmu()->pmcs[1], pmu()->busy[1]);
	poke_pmd(fd, pmu()->pmds[1], value);
	anvil.seen = value;
	anvil.done = 0;
	anvil.fd = fd;
	anvil.round++;
	usleep(random_below(5000));
	require(close(fd) == 0);
	while (anvil.done < HAMMERS)
		sched_yield();
}

/* An iteration is a pair of calls that met; in one of 20 a close met them, too. */
TEST(threads_may_use_and_close_one_descriptor_at_once)
{
	struct spinner spinners[2] = { {}, { .naps = true } };
	const unsigned int wanted = iterations();
	pthread_t threads[HAMMERS];
	size_t i;

	need_cpus(2);
	pmu();
	for (i = 0; i < 2; i++) {
		spinner_begin(&spinners[i]);
		anvil.targets[i] = spinners[i].tid;
	}
	for (i = 0; i < HAMMERS; i++) {
		require(!pthread_create(&threads[i], NULL, hammer,
					&anvil.targets[2 + i]));
		wait_until(__atomic_load_n(&anvil.targets[2 + i], __ATOMIC_ACQUIRE));
	}
	while (anvil.met < 2 * wanted || anvil.round < wanted / 20)
		strike();
	anvil.stop = true;
	for (i = 0; i < HAMMERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 2; i++)
		spinner_end(&spinners[i]);
	printf("         %ju calls, %ju of them met one of the other thread; "
	       "%u closes met calls\n",
	       (uintmax_t)anvil.calls, (uintmax_t)anvil.met, anvil.round);
	fflush(stdout);
	all_must_be_well();
}

/* ---- hotplug ---------------------------------------------------------------------------------- */

static volatile bool turmoil_over;

/* What the thread that takes CPU 1 away and brings it back is at. */
static struct {
	volatile bool moving; /* it goes or comes right now */
	volatile unsigned int moves; /* two of them are a cycle */
} hotplug;

static void *cycle_cpu(void *unused)
{
	while (!turmoil_over) {
		hotplug.moving = true;
		cpu_online(1, hotplug.moves % 2);
		hotplug.moving = false;
		hotplug.moves++;
	}
	if (hotplug.moves % 2)
		cpu_online(1, true);
	return unused;
}

/* To any CPU or one of them, if that is there. */
static void drive(pid_t tid)
{
	unsigned long cpus = random_below(3) + 1;

	require(syscall(SYS_sched_setaffinity, tid, sizeof(cpus), &cpus) != -1 ||
		errno == EINVAL);
}

/* A context on a thread that is driven about: what it says never shrinks. */
static void watch_driven(pid_t tid)
{
	const unsigned int numbers[] = { pmu()->pmds[0], PFM_PMD_CONTEXT_SWITCHES };
	uint64_t last[2] = {}, values[2];
	int fd = create(), turn;

	poke_pmd(fd, PFM_PMD_CONTEXT_SWITCHES, 0);
	drive(tid);
	require(try_load(fd, tid) == 0);
	require(pfm_start(fd, NULL) == 0);
	for (turn = 0; turn < 3; turn++) {
		drive(tid);
		values[0] = peek_pmd(fd, numbers[0]);
		values[1] = peek_pmd(fd, numbers[1]);
		require(values[0] >= last[0] && values[1] >= last[1]);
		memcpy(last, values, sizeof(last));
	}
	if (random_below(2)) {
		require(pfm_stop(fd) == 0);
		require(peek_pmd(fd, numbers[0]) >= last[0]);
	}
	require(close(fd) == 0);
}

/* The own thread: exactly its page faults, whatever happens to the CPUs. */
static void watch_oneself(void)
{
	uint64_t outer, inner, count;
	int fd = create();

	poke_pmd(fd, PFM_PMD_MINOR_FAULTS, 0);
	drive(thread_id());
	require(try_load(fd, thread_id()) == 0);
	outer = minor_faults();
	require(pfm_start(fd, NULL) == 0);
	inner = minor_faults();
	drive(thread_id());
	touch_pages(5);
	inner = minor_faults() - inner;
	require(pfm_stop(fd) == 0);
	outer = minor_faults() - outer;
	count = peek_pmd(fd, PFM_PMD_MINOR_FAULTS);
	require(count >= inner && count <= outer);
	require(close(fd) == 0);
}

/*
 * An iteration is a context at whose begin or end the CPU was going or coming.
 * To go and to come takes as long as dozens of contexts.
 */
static void everything_with_hotplug(void)
{
	struct spinner spinners[2] = { {}, { .naps = true } };
	unsigned int count = iterations(), met = 0, made;
	pthread_t thread;

	pmu();
	spinner_begin(&spinners[0]);
	spinner_begin(&spinners[1]);
	require(pthread_create(&thread, NULL, cycle_cpu, NULL) == 0);
	for (made = 0; met < count || hotplug.moves / 2 < count / 50; made++) {
		bool moved = hotplug.moving;

		if (made % 2)
			watch_oneself();
		else
			watch_driven(spinners[random_below(2)].tid);
		met += moved || hotplug.moving;
	}
	turmoil_over = true;
	pthread_join(thread, NULL);
	spinner_end(&spinners[0]);
	spinner_end(&spinners[1]);
	printf("         %u contexts, %u of them while CPU 1 went or came; "
	       "it went and came %u times\n",
	       made, met, hotplug.moves / 2);
	fflush(stdout);
	all_must_be_well();
}

TEST(everything_may_meet_hotplug)
{
	need_cpus(2);
	if (!path_exists("/sys/devices/system/cpu/cpu1/online"))
		skip("CPU 1 cannot be taken offline");
	with_all_cpus_back(everything_with_hotplug);
}

/* ---- modules that go ---------------------------------------------------------------------------- */

/* Files that go with the PMU, and with the core; what is read is a line or nothing. */
static void *read_files(void *unused)
{
	static const char *const files[] = {
		SYSFS "pmu_desc/model",
		SYSFS "pmu_desc/pmd0/width",
		SYSFS "task_sessions_count",
		DEBUGFS "cpu0/ctxswin_count",
		DEBUGFS "cpu1/ovfl_intr_all_count",
	};
	char text[256];
	size_t i = 0;

	while (!turmoil_over) {
		i = (i + 1) % COUNT(files);
		if (!try_read_text(files[i], text, sizeof(text)))
			require(!*text || text[strlen(text) - 1] == '\n');
	}
	return unused;
}

struct module_counts {
	const char *pmu;
	volatile unsigned int tries;
	volatile unsigned int pmus, cores;
};

/* The next context has to wait: both modules can go. */
static volatile bool held_off;

static bool went(const char *module)
{
	int error = module_unload(module);

	require(!error || error == EAGAIN || error == EBUSY || error == ENOENT);
	return !error;
}

/* A context that comes may have it loaded at the same time. */
static void come(const char *module)
{
	int error = module_load(module, "");

	require(!error || error == EEXIST || error == EBUSY);
}

/*
 * Both go whenever nobody uses them at the moment, with whatever the last context
 * left: hooks, work, a free object on its way.  Who comes between gets the
 * software PMU.
 */
static void *unload_modules(void *argument)
{
	struct module_counts *counts = argument;

	pin(1);
	while (!turmoil_over) {
		held_off = random_below(8) == 0;
		spin_turns(random_below(1 << random_below(18)));
		counts->tries++;
		if (!went(counts->pmu) && !went("perfmon_soft"))
			continue;
		counts->pmus++;
		/* Or it opens the device while the core goes. */
		if (random_below(2))
			held_off = false;
		spin_turns(random_below(1 << random_below(12)));
		if (went("perfmon")) {
			counts->cores++;
			come("perfmon");
		}
		come(counts->pmu);
	}
	held_off = false;
	went("perfmon_soft");
	come(counts->pmu);
	return NULL;
}

/* A context, if there is something to make it of; it leaves as much as it can. */
static bool use_what_is_there(void)
{
	pfarg_ctx_t ctx = {};
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[0] };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	if (fd == -1) {
		require(errno == ENOSYS || errno == ENXIO || errno == ENODEV);
		return false;
	}
	pmd.reg_value = -(uint64_t)random_below(100000);
	/* The software PMU does not know the event. */
	require(pfm_write_pmcs(fd, &pmc, 1) == 0 || errno == EINVAL);
	require(pfm_write_pmds(fd, &pmd, 1) == 0);
	require(try_load(fd, thread_id()) == 0);
	require(pfm_start(fd, NULL) == 0);
	spin_turns(random_below(1 << random_below(12)));
	require(close(fd) == 0);
	spin_turns(random_below(1 << random_below(18)));
	while (held_off && !turmoil_over)
		sched_yield();
	return true;
}

/*
 * An iteration is a try to unload: whether it is let go is what is raced for, and
 * most are refused.  Unloads that succeed are the next test's.
 */
TEST(modules_may_go_whenever_nobody_uses_them)
{
	struct module_counts counts = {};
	unsigned int wanted = iterations(), made = 0, missed = 0;
	pthread_t unloader, reader;
	char name[64];

	need_cpus(2);
	snprintf(name, sizeof(name), "%s", pmu_module());
	counts.pmu = name;
	pin(0);
	require(pthread_create(&unloader, NULL, unload_modules, &counts) == 0);
	require(pthread_create(&reader, NULL, read_files, NULL) == 0);
	/* Most of them wait for the modules to come again. */
	while (counts.tries < wanted || made < wanted / 8 || counts.pmus < wanted / 500 ||
	       !counts.cores) {
		bool was_made = use_what_is_there();

		made += was_made;
		missed += !was_made;
	}
	turmoil_over = true;
	pthread_join(unloader, NULL);
	pthread_join(reader, NULL);
	printf("         %u contexts made, %u not; of %u tries the PMU went in %u, "
	       "the core in %u\n",
	       made, missed, counts.tries, counts.pmus, counts.cores);
	fflush(stdout);
	ck_assert(counts.pmus && counts.cores && counts.tries > counts.pmus);
	pmu_forget();
	all_must_be_well();
}

/* A core goes in one iteration of so many: that waits for all of RCU several times. */
#define CORE_EVERY    16

/* Modules go several times as fast, and kfree_rcu() does not; not always, though. */
#define RCU_EXPEDITED "/sys/kernel/rcu_expedited"

/* @module has no user: it goes, or a reference on its way out keeps it for a moment. */
static unsigned int must_go(const char *module)
{
	unsigned int refusals;
	int error;

	for (refusals = 0; (error = module_unload(module)); refusals++) {
		require(error == EAGAIN || error == EBUSY);
		sched_yield();
	}
	return refusals;
}

/* The target ends at the same time, or it goes on and ends when all is over. */
static void leave_work(enum ending ending)
{
	bool ends = random_below(2);
	int fd;

	target_begin(ending, 0);
	fd = create(); /* the hooks are in place for a second more */
	require(try_load(fd, target.tid) == 0);
	require(pfm_start(fd, NULL) == 0);
	if (ends) {
		target_let_go();
		spin_turns(random_below(1 << random_below(14)));
	}
	require(close(fd) == 0); /* kfree_rcu(), and the END message's irq_work */
	if (!ends)
		target_let_go();
}

/*
 * An iteration is a context on a running target, closed, and at once the PMU's
 * module is removed, and in some the core's, until it is gone: with the hooks
 * still in place, the context waiting for RCU, the target maybe in its exit, and
 * a reader of the files that vanish.  Each iteration succeeds.
 */
TEST(modules_may_go_with_work_outstanding)
{
	/* Each takes a tenth of a second of a busy host. */
	unsigned int count = iterations() / 8, i, cores = 0, refused = 0;
	pthread_t thread, reader;
	char name[64], before[16];

	need_cpus(2);
	snprintf(name, sizeof(name), "%s", pmu_module());
	snprintf(before, sizeof(before), "%s", read_text(RCU_EXPEDITED));
	pmu();
	pin(0);
	require(pthread_create(&thread, NULL, mother, NULL) == 0);
	require(pthread_create(&reader, NULL, read_files, NULL) == 0);
	for (i = 0; i < count; i++) {
		write_text(RCU_EXPEDITED, i % 8 ? "1" : "0");
		leave_work(i % ENDINGS);
		refused += must_go(name);
		if (i % CORE_EVERY == 0) {
			refused += must_go("perfmon");
			cores++;
			require(module_load("perfmon", "") == 0);
		}
		target_reap();
		require(module_load(name, "") == 0);
	}
	write_text(RCU_EXPEDITED, before);
	turmoil_over = true;
	pthread_join(reader, NULL);
	printf("         with work outstanding the PMU went %u times, the core %u times, "
	       "after %u refusals\n",
	       i, cores, refused);
	fflush(stdout);
	ck_assert_uint_ge(cores, count / 20);
	pmu_forget();
	all_must_be_well();
}

/* ---- fork in a signal handler ------------------------------------------------------------------- */

/* Shared with the process that forks. */
struct family {
	volatile bool stop;
	volatile unsigned int forks;
};

static struct family *family;

/* Each child's end makes the next one. */
static void fork_again(int signal)
{
	pid_t pid;

	(void)signal;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	if (family->stop)
		return;
	pid = fork();
	if (pid) {
		waitpid(pid, NULL, random_below(8) ? 0 : WNOHANG);
		return;
	}
	if (family->forks++ % 64 == 0)
		execl("/proc/self/exe", "perfmon-tests", "-h", NULL);
	touch_pages(10); /* nobody's but its own */
	_exit(EXIT_SUCCESS);
}

static void __attribute__((noreturn)) be_a_parent(void)
{
	pin(1);
	close_range(3, ~0u, 0);
	require(open("/dev/null", O_WRONLY) != -1 && dup2(3, STDOUT_FILENO) != -1);
	signal(SIGCHLD, fork_again);
	raise(SIGCHLD);
	while (!family->stop)
		spin_turns(1000);
	_exit(EXIT_SUCCESS);
}

/* Of a process of one thread: /proc/PID/stat, field 10. */
static uint64_t faults_of(pid_t pid)
{
	uintmax_t faults;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	require(sscanf(strrchr(read_text(path), ')'), ") %*c %*d %*d %*d %*d %*d %*u %ju",
		       &faults) == 1);
	return faults;
}

/* Its own page faults are counted and no child's; a child is never monitored. */
static void watch_parent(int fd, pid_t pid)
{
	uint64_t outer, inner = 0, count;

	poke_pmd(fd, PFM_PMD_MINOR_FAULTS, 0);
	outer = faults_of(pid);
	require(try_load(fd, pid) == 0);
	require(pfm_start(fd, NULL) == 0);
	if (random_below(4) == 0) {
		inner = faults_of(pid);
		spin_turns(random_below(100000));
		inner = faults_of(pid) - inner;
	}
	spin_turns(random_below(20000));
	require(sessions() == 1);
	if (random_below(2))
		require(pfm_stop(fd) == 0);
	require(pfm_unload_context(fd) == 0);
	outer = faults_of(pid) - outer;
	count = peek_pmd(fd, PFM_PMD_MINOR_FAULTS);
	require(count >= inner && count <= outer);
}

TEST(the_target_may_fork_in_signal_handlers)
{
	unsigned int wanted = iterations(), turns;
	pid_t pid;
	int fd;

	need_cpus(2);
	pin(0);
	family = mmap(NULL, sizeof(*family), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(family != MAP_FAILED);
	pid = check_fork();
	if (pid == 0)
		be_a_parent();
	fd = create();
	for (turns = 0; family->forks < wanted; turns++)
		watch_parent(fd, pid);
	load(fd, pid);
	must(fd, pfm_start(fd, NULL));
	family->stop = true;
	must_end(fd);
	must_be_silent(fd);
	require(waitpid(pid, NULL, 0) == pid);
	close(fd);
	printf("         %u forks, loaded %u times\n", family->forks, turns);
	fflush(stdout);
	all_must_be_well();
}

/* ---- helpers of the kernel ------------------------------------------------------------------------ */

#define MODPROBE "/proc/sys/kernel/modprobe"

/* On its way to a program, a helper has no memory, is no kernel thread, and is root's. */
static void __attribute__((noreturn)) call_for_helpers(void)
{
	unsigned int family_number;

	pin(1);
	for (;;) {
		family_number = 11 + random_below(8); /* protocols nobody has loaded */
		close(socket(family_number, SOCK_DGRAM, 0));
	}
}

static pid_t last_pid(void)
{
	int pid = 0;

	require(sscanf(read_text("/proc/loadavg"), "%*f %*f %*f %*d/%*d %d", &pid) == 1);
	return pid;
}

/* The next process is the next helper; 0 if it was gone before we saw it. */
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
	for (i = 0; i < count; i++) {
		error = meet_helper(fd);
		require(!error || error == EPERM || error == EBUSY);
		refused += error == EPERM;
		ended += error == EBUSY;
	}
	printf("         helpers: %u refused, %u ended, %u missed\n", refused, ended,
	       count - refused - ended);
	fflush(stdout);
	require(refused > 0);
}

TEST(a_user_may_not_watch_a_helper_of_the_kernel)
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
