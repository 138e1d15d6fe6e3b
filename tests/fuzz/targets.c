/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts targets, which are monitored processes with one thread or with several. */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

static void fork_and_forget(void)
{
	pid_t child = fork_when_possible();

	if (child == 0)
		_exit(0);
	if (child > 0)
		waitpid(child, NULL, 0);
}

void become_program(const char *path)
{
	execl(path, "sleep", "1", NULL);
	_exit(127);
}

/* ---- several threads ---------------------------------------------------------------- */

/* What the threads of a target do. */
enum threads {
	THREADS_WORK = 10,
	THREADS_EXIT, /* the threads exit, and new ones take their places */
	THREADS_WITHOUT_LEADER, /* the first thread exits before the others */
	THREADS_EXEC /* a thread other than the first executes a program */
};

struct thread {
	volatile pid_t *number; /* the thread's ID, in the table of the round */
	unsigned int kind;
	bool execs;
};

static void *thread_live(void *argument)
{
	struct thread *thread = argument;
	unsigned int turn;

	*thread->number = thread_id();
	for (turn = 0; thread->kind != THREADS_EXIT || turn < 2; turn++) {
		spin(2000);
		usleep(thread->kind == THREADS_EXIT ? 40000 : 10000);
		if (thread->execs)
			become_program("/bin/sleep");
	}
	return NULL;
}

static void threads_live(volatile pid_t *numbers, unsigned int kind)
{
	struct thread threads[TARGET_THREADS];
	pthread_t handles[TARGET_THREADS];
	unsigned int n;

	for (n = 0; n < TARGET_THREADS; n++) {
		threads[n] =
			(struct thread){ &numbers[n], kind, kind == THREADS_EXEC && !n };
		if (pthread_create(&handles[n], NULL, thread_live, &threads[n]))
			_exit(1);
	}
	if (kind == THREADS_WITHOUT_LEADER)
		syscall(SYS_exit, 0);
	for (n = 0;; n = (n + 1) % TARGET_THREADS) {
		pthread_join(handles[n], NULL);
		if (pthread_create(&handles[n], NULL, thread_live, &threads[n]))
			_exit(1);
	}
}

/* ---- one thread --------------------------------------------------------------------- */

/*
 * Runs in a target with one thread, until the target exits or is killed. @kind: what the target
 * does
 */
static void target_live(unsigned int kind)
{
	unsigned int turn;

	for (turn = 0;; turn++) {
		switch (kind) {
		case 0:
			spin(2000);
			sched_yield();
			break;
		case 1:
			pause();
			break;
		case 2:
			usleep(500);
			_exit(0);
		case 3:
			become_program("/bin/sleep");
			break;
		case 4:
			fork_and_forget();
			usleep(200000);
			break;
		case 5:
			pin(turn % 2);
			break;
		case 6:
			touch_pages(8);
			break;
		case 7:
			usleep(500);
			become_program(SETUID_PROGRAM);
			break;
		case 8:
			usleep(500);
			become_program(UNREADABLE_PROGRAM);
			break;
		default:
			_exit(0);
		}
		/* Leave the CPUs to the workers most of the time. */
		usleep(10000);
	}
}

static void give_up_descriptors(void)
{
	close_range(3, ~0u, 0);
}

/*
 * Kills the previous target with the same number, and starts a new one.
 * @value: number of the target; @count: what the target does (enum threads, or target_live());
 * @flags: user of the target, 0 for root; @size: if it is not 0, the target keeps the caller's
 * descriptors
 */
void do_spawn(struct executor *executor, const struct operation *operation)
{
	unsigned int number = operation->value % TARGETS;
	volatile pid_t *target = &executor->table->targets[number];
	volatile pid_t *threads = executor->table->target_threads[number];
	pid_t old = *target, child;

	if (old > 0)
		kill(old, SIGKILL);
	child = fork_when_possible();
	if (child == 0) {
		if (!operation->size)
			give_up_descriptors();
		if (operation->flags && (syscall(SYS_setresuid, operation->flags,
						 operation->flags, operation->flags)))
			_exit(1);
		if (operation->count >= THREADS_WORK)
			threads_live(threads, operation->count);
		target_live(operation->count);
	}
	if (child > 0)
		*target = child;
}
