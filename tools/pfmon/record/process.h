/* SPDX-License-Identifier: GPL-2.0-only */
/* A process whose threads are recorded: write its thread names and its mappings to the file. */
#ifndef PFMON_PROCESS_H
#define PFMON_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../data/data_write.h"
#include "../data/data.h"
#include "maps.h"

/**
 * struct thread - a thread that is recorded
 * @tid: the thread
 * @context: the number of the thread's context in the file
 * @name: the name that was last written to the file
 */
struct thread {
	pid_t tid;
	uint32_t context;
	char name[64];
};

/**
 * struct process - a process
 * @pid: the process
 * @threads: the threads of the process that are recorded
 * @thread_count: number of @threads
 * @maps: the mappings when they were last read
 * @looked_at: value of @now at the last call of process_look() or process_look_at_exec()
 * @device: device of the file that the process executed when @maps was read
 * @inode: inode of the same file
 * @is_known: names and mappings of the process have been written to the current file
 * @has_all_threads: all threads of the process are recorded. @threads are then the threads that the
 *	last process_look() found, sorted by tid
 */
struct process {
	pid_t pid;
	struct thread *threads;
	size_t thread_count;
	struct maps maps;
	uint64_t looked_at;
	dev_t device;
	ino_t inode;
	bool is_known;
	bool has_all_threads;
};

/* Returns the process of a thread; 0 if there is no such thread. */
pid_t process_of(pid_t tid);

/* Read the name of a thread.  Returns false if the thread has ended. */
bool process_thread_name(pid_t pid, pid_t tid, char *name, size_t size);

/*
 * The functions that return int return 0, or -1 after reporting an error. It is not an error if the
 * process has ended.
 */

/* Add thread @tid, which is recorded in context @context of the file. */
int process_add_thread(struct process *process, pid_t tid, uint32_t context);

/*
 * Write the names and mappings that are new since the previous call. @now is the time of the newest
 * sample. In the file, the names and mappings are valid after the time @now of the previous call.
 * What the first call writes is valid from time 0 on. The same is true for the first call after
 * process_forget().
 */
int process_look(struct process *process, struct data_writer *writer, uint64_t now);

/* After an exec, write all names and mappings. In the file, they are valid after the time @now. */
int process_look_at_exec(struct process *process, struct data_writer *writer,
			 uint64_t now);
/*
 * Call this when another file begins. The next process_look() then writes all names and mappings.
 */
void process_forget(struct process *process);
void process_free(struct process *process);

#endif
