/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes whose threads are recorded. Their names and mappings are read from /proc
 * repeatedly.
 */
#ifndef PFMON_PROCESSES_H
#define PFMON_PROCESSES_H

#include "process.h"

/**
 * struct processes - the processes whose threads are recorded
 * @list: the processes
 * @count: number of elements in @list
 */
struct processes {
	struct process *list;
	size_t count;
};

/* The functions that return int return 0, or -1 after reporting an error. */

/*
 * Add thread @tid. @context is the number of the thread's context in the file. If the thread has
 * just ended, its process is not known. Then no names or mappings are written for the thread. Its
 * samples still contain its tid.
 */
int processes_add_thread(struct processes *processes, pid_t tid, uint32_t context);

/* Add process @pid with all threads that it has now or will have later. */
int processes_add(struct processes *processes, pid_t pid);

/* Add the descendants of pfmon, and remove the processes that have ended. */
int processes_add_descendants(struct processes *processes);

/* Call process_look() for each process. */
int processes_look(struct processes *processes, struct data_writer *writer, uint64_t now);

/* Call process_forget() for each process. */
void processes_forget(struct processes *processes);
void processes_free(struct processes *processes);

#endif
