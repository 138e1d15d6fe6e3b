/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command did outside of its first thread, which is the monitored one: all its
 * other threads, and the processes that it started.
 *
 * The kernel adds up their CPU time for the command, which shows whether there were any.
 * Their number is not known; the kernel only counts the tasks created in the whole
 * system.
 */
#ifndef PFMON_OTHERS_H
#define PFMON_OTHERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct others - what ran besides the command's first thread
 * @tasks_before: number of tasks created in the system before the command
 * @children_before: number of pfmon's children before the command
 * @process: CPU time in ns of the command's process
 * @threads: the part of @process used by other threads than the first
 * @has_children: the command waited for processes that it had started
 * @children: CPU time in ns of these, and of those that nobody waited for
 * @running: number of processes that the command started and that still run
 * @made: number of tasks created in the system meanwhile, an upper limit for those of the
 *	command
 */
struct others {
	uint64_t tasks_before;
	unsigned int children_before;
	uint64_t process;
	uint64_t threads;
	bool has_children;
	uint64_t children;
	unsigned int running;
	uint64_t made;
};

/* Processes of the command whose parent ends become children of pfmon. */
void others_adopt(void);

/* Call these before and after the command is created. */
void others_before(struct others *others);
void others_made(struct others *others);

/* Call this when the command has ended, before it is waited for. */
void others_at_end(struct others *others, pid_t pid);

/* Another child of pfmon has ended, and used @usage. */
void others_orphan(struct others *others, const struct rusage *usage);

/* The command has been waited for; @usage is that of the command and its children. */
void others_finish(struct others *others, const struct rusage *usage);

/* Add the values of another run. */
void others_add(struct others *sum, const struct others *others);

/* Warn about other threads and processes that were not @done, for example "counted". */
void others_warn(const struct others *others, const char *done);

#endif
