/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read the counts of each thread from the kernel, and print them.
 *
 * If a copy of a context monitors a thread, the kernel keeps the thread's counts after the thread
 * has ended, until pfmon reads them (PFM_FL_KEEP_COUNTS).  A read removes these counts from the
 * kernel, so this file says that pfmon "takes" them.
 */
#ifndef PFMON_PER_THREAD_H
#define PFMON_PER_THREAD_H

#include <stdio.h>

#include "../run/group.h"
#include "results.h"
#include "stat_options.h"

/**
 * struct thread_row - the counts of a thread
 * @tid: the thread
 * @tgid: its process
 * @name: its name
 * @numbers: counts of the events, followed by the thread's CPU time in each event set, in ns
 * @shown: the count of the first event, as printed; rows are sorted by it
 */
struct thread_row {
	uint32_t tid;
	uint32_t tgid;
	char name[PFM_THREAD_NAME_SIZE];
	uint64_t *numbers;
	uint64_t shown;
};

/**
 * struct per_thread - the counts of each thread
 * @rows: the threads
 * @count: number of @rows
 * @dropped: number of ended threads whose counts the kernel dropped before pfmon took them
 * @rest: sums of the dropped counts, in the order of thread_row.numbers; NULL if no counts were
 *	dropped
 */
struct per_thread {
	struct thread_row *rows;
	size_t count;
	uint64_t dropped;
	uint64_t *rest;
};

/*
 * The functions that return int return 0, or -1 after reporting an error. The caller calls
 * per_thread_free() in any case.
 */

/* Check that one call of PFM_IOC_READ_THREAD can read all counts and CPU times of a thread. */
int per_thread_check(const struct session *session);

/*
 * Take the counts of threads that have ended. If very many threads have ended, one call takes the
 * counts of only some of them.
 */
int per_thread_take(struct per_thread *threads, struct group *group,
		    const struct event_list *events);

/*
 * Take all counts that have not been taken yet.  The caller has called group_detach() before.
 */
int per_thread_finish(struct per_thread *threads, struct group *group,
		      const struct event_list *events);

/* Print the counts of each thread. @whole has the results of all threads together. */
int per_thread_print(struct per_thread *threads, const struct results *whole,
		     const struct stat_options *options, FILE *file);

/* If the kernel dropped counts of threads, warn the user. */
void per_thread_warn(const struct per_thread *threads);

void per_thread_free(struct per_thread *threads);

#endif
