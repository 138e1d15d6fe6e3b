/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stress and races share: work that is done thousands of times, by several
 * at once, where an assertion of libcheck is too slow or in the wrong process.
 */
#ifndef WORKERS_H
#define WORKERS_H

#include <pthread.h>

#include "guest.h"

/* Ends the process, and with it the test, and tells where, errno and the seed. */
#define require(condition)                                                               \
	do {                                                                             \
		if (!(condition))                                                        \
			give_up(__FILE__, __LINE__, #condition);                         \
	} while (0)

void give_up(const char *file, int line, const char *condition) __attribute__((noreturn));

/*
 * Numbers from 0 to @end - 1, each thread's own row.  All rows follow from one
 * seed, which a failure tells and PERFMON_SEED in the environment sets.
 */
uint32_t random_below(uint32_t end);

/* A context with the first counter busy, and the task clock in use. */
int create(void);

/* A process that spins until it is killed. */
pid_t fork_victim(void);
/* In a debug guest on CPU 1, and the caller on CPU 0: there they are slow on one. */
void set_apart(pid_t victim);

/**
 * struct spinner - a thread of the caller's process that spins, on CPU 1
 *
 * @naps: and leaves the CPU all the time
 * @roams: on any CPU
 * @tid: its ID, from spinner_begin() on
 * @turns: grows while it gets on
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

/* So many times in each of WORKERS processes, each on a CPU of its own. */
void run_workers(void (*cycle)(void), unsigned int cycles);

/* main() calls it: does not return in what exec_races.c has executed. */
void executor_main(int argc, char **argv);

/* No session, and of the modules no reference but those they have of each other. */
void nothing_must_be_left(void);

/*
 * Of a race: 10,000, with a debug kernel 1,000, or PERFMON_ITERATIONS of the environment:
 * for who looks for something.
 */
unsigned int iterations(void);
/* Ends like every race has to end. */
void all_must_be_well(void);

#endif
