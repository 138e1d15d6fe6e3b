// SPDX-License-Identifier: GPL-2.0-only
/* Implements targets that end in different ways. */
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "endings.h"

#define PROCESS (CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD)
#define THREAD                                                                           \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |              \
	 CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

struct target target;

static pid_t new_thread(int (*function)(void *), char *stack)
{
	return clone(function, stack + TARGET_STACK, THREAD, NULL, &target.tid, NULL,
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

static int spin_and_end(void *unused)
{
	(void)unused;
	spin_until_let_go();
	return 0; /* ends only this thread */
}

/*
 * If target.patience is 0, target_let_go() kills the process. If it is not 0, the process kills
 * itself after target.patience iterations.
 */
static int spin_and_be_killed(void *unused)
{
	(void)unused;
	spin_until_let_go();
	syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
	return 0;
}

static int spin_for_ever(void *unused)
{
	(void)unused;
	for (target.here = true; target.here;)
		target.turns++;
	return 0;
}

static int leave_to_thread(void *unused)
{
	(void)unused;
	new_thread(spin_and_end, target.second_stack);
	return 0;
}

static int end_group(void *unused)
{
	(void)unused;
	new_thread(spin_for_ever, target.second_stack);
	while (!target.go)
		syscall(SYS_futex, &target.go, FUTEX_WAIT, 0, NULL);
	spin_out();
	syscall(SYS_exit_group, 0);
	return 0;
}

static pid_t new_process(int (*function)(void *))
{
	pid_t pid = clone(function, target.stack + TARGET_STACK, PROCESS, NULL);

	require(pid != -1);
	return pid;
}

static void make_target(void)
{
	switch (target.ending) {
	case THREAD_ENDS:
		require(new_thread(spin_and_end, target.stack) != -1);
		break;
	case PROCESS_ENDS:
		target.tid = target.pid = new_process(spin_and_end);
		break;
	case PROCESS_IS_KILLED:
		target.tid = target.pid = new_process(spin_and_be_killed);
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

void *make_targets(void *unused)
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

void target_begin(enum ending ending, uint64_t patience)
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

void target_let_go(void)
{
	if (target.ending == PROCESS_IS_KILLED && !target.patience)
		require(kill(target.pid, SIGKILL) == 0);
	target.go = 1;
	if (target.ending == GROUP_ENDS)
		syscall(SYS_futex, &target.go, FUTEX_WAKE, 1);
}

void target_reap(void)
{
	if (target.pid)
		require(waitpid(target.pid, NULL, __WALL) == target.pid);
	else
		while (target.tid)
			;
}
