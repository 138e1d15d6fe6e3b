/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of threads. */
#ifndef PFMON_THREADS_H
#define PFMON_THREADS_H

#include "forks.h"
#include "samples.h"

/**
 * struct thread_names - names of all threads, sorted for searching
 * @names: the names, ascending by thread and time. Equal names have the same pointer
 * @count: number of @names
 * @of_context: for each context, 1 + the index in @names of the first name of its thread; 0 if no
 *	name is known
 * @context_count: number of elements in @of_context
 * @forks: when threads began
 * @inherited: for each thread in @forks, the name that it had at its beginning; NULL if this name
 *	is not known
 */
struct thread_names {
	struct recorded_thread *names;
	size_t count;
	size_t *of_context;
	size_t context_count;
	struct forks forks;
	const char **inherited;
};

/**
 * struct named_thread - the thread of a sample
 * @tid: number of the thread; 0 for the idle task. With hist, if only the process is known, @tid is
 *	the number of the process
 * @comm: name of the thread at the time of the sample; NULL if the name is not known. Equal names
 *	have the same pointer
 */
struct named_thread {
	uint32_t tid;
	const char *comm;
};

/* Returns -1 if there is no memory, else 0; the caller calls thread_names_free() in any case. */
int thread_names_make(struct thread_names *names, const struct recording *recording);
void thread_names_free(struct thread_names *names);

struct named_thread thread_names_find(const struct thread_names *names,
				      const struct sample *sample);

#endif
