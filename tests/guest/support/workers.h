/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for stress tests and tests of races. Several processes repeat their work thousands of
 * times. In these processes an assertion of libcheck would be too slow, or would fail in the wrong
 * process.
 */
#ifndef WORKERS_H
#define WORKERS_H

#include <pthread.h>

#include "guest.h"

/*
 * If @condition is false, prints the place in the source, errno and the seed, and ends the process,
 * which makes the test fail.
 */
#define require(condition)                                                               \
	do {                                                                             \
		if (!(condition))                                                        \
			give_up(__FILE__, __LINE__, #condition);                         \
	} while (0)

void give_up(const char *file, int line, const char *condition) __attribute__((noreturn));

/*
 * Returns a random number from 0 to @end - 1. Each thread has its own sequence. All sequences are
 * calculated from one seed, which is printed on failure and can be set by PERFMON_SEED in the
 * environment.
 */
uint32_t random_below(uint32_t end);

/*
 * Creates a context whose first counter counts whenever the thread runs, and whose PMD for task
 * clock is in use.
 */
int create(void);

/* Forks a process that spins until it is killed. */
pid_t fork_victim(void);
/*
 * In a debug guest, pins @victim to CPU 1 and the caller to CPU 0. On the same CPU both would be
 * slow.
 */
void set_apart(pid_t victim);

/**
 * struct spinner - a spinning thread of the caller's process, on CPU 1 unless @roams is true
 *
 * @naps: the thread leaves the CPU again and again
 * @roams: the thread may run on any CPU
 * @tid: the thread's ID, valid after spinner_begin()
 * @turns: increases while the thread makes progress
 */
struct spinner {
	bool naps;
	bool roams;
	volatile pid_t tid;
	volatile uint64_t turns;
	volatile bool stop;
	pthread_t thread;
};

void spinner_begin(struct spinner *spinner);
void spinner_end(struct spinner *spinner);

#define WORKERS 2

/*
 * Starts WORKERS processes, each on its own CPU if there are enough CPUs. Each process calls @cycle
 * @cycles times.
 */
void run_workers(void (*cycle)(void), unsigned int cycles);

/*
 * Called at the beginning of main(). If exec_races.c has executed this program as one of its
 * executors, the function does not return.
 */
void executor_main(int argc, char **argv);

/*
 * Checks that no session exists, that the PMU module has no user, and that the PMU module is the
 * only user of the core.
 */
void nothing_must_be_left(void);

/*
 * Returns the number of iterations of a race. The default is 1,000 with a debug kernel and 10,000
 * with other kernels. PERFMON_ITERATIONS in the environment replaces this default.
 */
unsigned int iterations(void);
/*
 * Calls nothing_must_be_left(), and checks that a new context counts right. Every race ends with
 * this check.
 */
void all_must_be_well(void);

#endif
