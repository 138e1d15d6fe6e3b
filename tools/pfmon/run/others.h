/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command did outside of its first thread, which is the one that is monitored: its
 * other threads, however short they lived, and the processes that it started.
 *
 * The kernel adds up their CPU time for the command, which shows that there were any.
 * Their number is not known; the kernel only counts the tasks made in the whole system.
 */
#ifndef PFMON_OTHERS_H
#define PFMON_OTHERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct others - what others than the command's first thread did
 * @tasks_before: tasks that had been made in the system when the command was
 * @children_before: children of pfmon at that time
 * @process: ns of CPU time of the command's process
 * @threads: ns of that, of other threads than the first
 * @has_children: it waited for processes that it had started
 * @children: ns of CPU time of these, and of those that nobody waited for
 * @running: processes that it had started and that go on
 * @made: tasks that were made in the system meanwhile, an upper limit for their number
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

/* Processes of commands that lose their parent become children of pfmon. */
void others_adopt(void);

/* A command is about to be made, and has been made. */
void others_before(struct others *others);
void others_made(struct others *others);

/* The command has ended, and is not waited for yet. */
void others_at_end(struct others *others, pid_t pid);

/* Another child of pfmon has ended, and used that much. */
void others_orphan(struct others *others, const struct rusage *usage);

/* The command has been waited for; @usage is its own, with its children. */
void others_finish(struct others *others, const struct rusage *usage);

/* Add those of another run. */
void others_add(struct others *sum, const struct others *others);

/* Warn about other threads and processes that were not @done, for example "counted". */
void others_warn(const struct others *others, const char *done);

#endif
