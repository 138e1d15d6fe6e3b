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
#include <sys/syscall.h>
#include <sys/wait.h>

#include "measure.h"
#include "workers.h"

static unsigned int iterations(void)
{
	return kernel_checks_itself() ? 1000 : 10000;
}

/* Ends like every test of this file has to end. */
static void all_must_be_well(void)
{
	int fd;

	nothing_must_be_left();
	fd = make_context();
	count_must_be_right(fd);
	close(fd);
	nothing_must_be_left();
}

/* ---- two that meet --------------------------------------------------------------- */

enum order {
	BEFORE, /* we were first */
	DURING, /* at once, as far as can be seen */
	AFTER,
	ORDERS
};

#define STEP	     64 /* turns */
#define JITTER_WIDTH 18

/**
 * struct meeting - when two meet, and how often in which order
 * @lead: turns that the other side is given, less than 0: that we take
 * @orders: how often each was seen
 */
struct meeting {
	int lead;
	unsigned int orders[ORDERS];
};

/* Mostly close to where both orders happen, sometimes far off on either side. */
static int choose_lead(const struct meeting *meeting)
{
	int off = random_below(1 << random_below(JITTER_WIDTH));

	return meeting->lead + (random_below(2) ? off : -off);
}

static void note_order(struct meeting *meeting, enum order order)
{
	meeting->orders[order]++;
	if (order == BEFORE)
		meeting->lead += STEP;
	if (order == AFTER)
		meeting->lead -= STEP;
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

static void spin_until_let_go(void)
{
	uint64_t left;

	target.here = true;
	while (!target.go)
		target.turns++;
	for (left = target.patience; left; left--)
		target.turns++;
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
	spin_turns(target.patience);
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
	}
	return unused;
}

/* It spins on CPU 1 when this returns. */
static void target_begin(enum ending ending, uint64_t patience)
{
	target.ending = ending;
	target.patience = patience;
	target.here = false;
	target.go = 0;
	target.tid = target.pid = 0;
	target.wanted = 1;
	syscall(SYS_futex, &target.wanted, FUTEX_WAKE, 1);
	/* The pid comes after the thread, which may be quicker. */
	while (!target.here || !target.tid)
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
	unsigned int i, ending;
	pthread_t thread;

	need_cpus(2);
	pin(0);
	require(pthread_create(&thread, NULL, mother, NULL) == 0);
	for (i = 0; i < iterations(); i++) {
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

START_TEST(the_close_may_meet_the_end_of_the_thread)
{
	meet_all_endings(close_while_it_ends);
}
END_TEST

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

START_TEST(the_load_may_meet_the_end_of_the_thread)
{
	meet_all_endings(load_while_it_ends);
}
END_TEST

SUITE(races, 300, the_close_may_meet_the_end_of_the_thread,
      the_load_may_meet_the_end_of_the_thread)
