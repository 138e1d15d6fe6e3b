/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets that end, each in another way.
 *
 * They are threads made with clone(), on CPU 1: such a one shares all memory, so an
 * iteration costs little, and uses no thread-local storage, which would be the test's own.
 */
#ifndef ENDINGS_H
#define ENDINGS_H

#include "meeting.h"

/* How the target ends. */
enum ending {
	THREAD_ENDS, /* one of this process's */
	PROCESS_ENDS,
	PROCESS_IS_KILLED,
	LAST_THREAD_ENDS, /* of its group, whose first thread has gone */
	GROUP_ENDS, /* by another thread's exit_group() */
	ENDINGS
};

#define TARGET_STACK 16384

/**
 * struct target - the thread that ends; there is one at a time
 * @ending: how it ends
 * @wanted: by make_targets()
 * @pid: what to wait for, 0 for a thread of this process
 * @made: @pid and @tid are right
 * @tid: 0 when it has gone
 * @here: it spins
 * @go: lets it end
 * @turns: what it has spun
 * @patience: turns between @go and the end
 */
struct target {
	enum ending ending;
	volatile int wanted;
	pid_t pid;
	volatile bool made;
	volatile pid_t tid;
	volatile bool here;
	volatile int go;
	volatile uint64_t turns;
	uint64_t patience;
	char stack[TARGET_STACK] __attribute__((aligned(16)));
	char second_stack[TARGET_STACK] __attribute__((aligned(16)));
};

extern struct target target;

/* A thread of the test's own: makes targets where they are to run, and then sleeps. */
void *make_targets(void *unused);
/* It spins on CPU 1 when this returns. */
void target_begin(enum ending ending, uint64_t patience);
void target_let_go(void);
void target_reap(void);

#endif
