/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes whose threads are recorded, as /proc shows them now and then. */
#ifndef PFMON_PROCESSES_H
#define PFMON_PROCESSES_H

#include "process.h"

/**
 * struct processes - processes
 * @list: the processes
 * @count: number of @list
 */
struct processes {
	struct process *list;
	size_t count;
};

/* These functions report an error and return -1, or return 0. */

/*
 * Add thread @tid, which is sampled by context @context of the file.  A thread that has just ended
 * has no process any more.  For such a thread neither names nor mappings are written; its samples
 * have its tid.
 */
int processes_add_thread(struct processes *processes, pid_t tid, uint32_t context);

/* Add a process with all threads that it has now and later. */
int processes_add(struct processes *processes, pid_t pid);

/* Add the descendants of this process, and remove the processes that have ended. */
int processes_add_descendants(struct processes *processes);

/* Call process_look() for each process. */
int processes_look(struct processes *processes, struct data_writer *writer, uint64_t now);

/* Another file begins: call process_forget() for each process. */
void processes_forget(struct processes *processes);
void processes_free(struct processes *processes);

#endif
