/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command did outside of its first thread: in its other threads, and in the processes that
 * it started. With --no-inherit, only the first thread is monitored.
 *
 * The kernel adds up the CPU time of these threads, and the CPU time and the page faults of these
 * processes. The sums show whether there were other threads or processes. Their number is not
 * known, because the kernel counts only the tasks created in the whole system.
 */
#ifndef PFMON_OTHERS_H
#define PFMON_OTHERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct others - what ran besides the command's first thread
 * @tasks_before: number of tasks created since boot, read just after the command's process was
 *	created; 0: not known
 * @children_before: number of pfmon's children before the command was started
 * @process: CPU time in ns of the command's process
 * @threads: the part of @process that threads other than the first one used
 * @has_children: at least one of the processes that the command started has ended
 * @children: CPU time in ns of all processes that the command started and that have ended
 * @running: number of processes of the command that are children of pfmon after the command's end.
 *	Their own children are not included
 * @made: number of tasks created in the system while the command ran. The command cannot have
 *	created more threads and processes than that
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

/* From now on, orphaned processes of the command become children of pfmon. */
void others_adopt(void);

/*
 * Call others_before() before the process of the command is created, and others_made() just after
 * it was created.
 */
void others_before(struct others *others);
void others_made(struct others *others);

/* Call this when the command has ended, before it is reaped. */
void others_at_end(struct others *others, pid_t pid);

/*
 * Call this when a child of pfmon that is not the command has been reaped; @usage has the resources
 * that this child used.
 */
void others_orphan(struct others *others, const struct rusage *usage);

/*
 * Call this when the command has been reaped; @usage has the resources that the command and its
 * children used.
 */
void others_finish(struct others *others, const struct rusage *usage);

/* Add the values of a run to @sum. */
void others_add(struct others *sum, const struct others *others);

/*
 * If processes of the command continue after the command's end, warn that they "are not @done".
 * @done is for example "counted any further".
 */
void others_warn_running(const struct others *others, const char *done);

/*
 * Like others_warn_running(). Also warn, in another message, that the command's other threads and
 * its ended processes "were not @done". @done is for example "counted".
 */
void others_warn(const struct others *others, const char *done);

#endif
