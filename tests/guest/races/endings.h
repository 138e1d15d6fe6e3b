/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets: threads and processes that end in different ways.
 *
 * The targets are made with clone(), on CPU 1. They share all memory of the test, so it takes
 * little time to make one. They must not use thread-local storage, because they would share it with
 * the test.
 */
#ifndef ENDINGS_H
#define ENDINGS_H

#include "meeting.h"

/* How the target ends. */
enum ending {
	THREAD_ENDS, /* a thread of this process */
	PROCESS_ENDS,
	PROCESS_IS_KILLED,
	LAST_THREAD_ENDS, /* the last thread of a process whose first thread has exited */
	GROUP_ENDS, /* another thread of the process calls exit_group() */
	ENDINGS
};

#define TARGET_STACK 16384

/**
 * struct target - the thread that ends; only one exists at a time
 * @ending: how the target ends
 * @wanted: tells make_targets() to make a target
 * @pid: process that the test has to wait for; 0 if the target is a thread of this process
 * @made: @pid and @tid are valid
 * @tid: thread ID of the target. The kernel sets it to 0 when a target made with CLONE_THREAD exits
 * @here: the target spins
 * @go: lets the target end
 * @turns: number of iterations that the target has spun
 * @patience: number of iterations that the target still spins after @go is set
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

/*
 * Main function of a thread that creates targets on CPU 1 and sleeps until the next target is
 * wanted.
 */
void *make_targets(void *unused);
/* Lets make_targets() make a target. When this returns, the target spins on CPU 1. */
void target_begin(enum ending ending, uint64_t patience);
void target_let_go(void);
void target_reap(void);

#endif
