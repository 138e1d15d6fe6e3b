/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that runs COMMAND. */
#ifndef PFMON_CHILD_H
#define PFMON_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "trace.h"
#include "wait.h"

/**
 * struct child - a process that is about to run COMMAND
 * @pid: the process
 * @go: descriptor of a pipe to the child. If pfmon writes a byte to it, the child continues. If
 *	pfmon closes it, the child ends
 * @failure: descriptor to read the errno of a failed exec
 * @at_exec: the child is stopped where it enters execve(). pfmon has already written the byte to
 *	@go
 * @others: number of tasks that the system had created, and number of pfmon's children, before
 *	COMMAND was started. pfmon reads these numbers again at the end, to find out what COMMAND
 *	has started
 */
struct child {
	pid_t pid;
	int go;
	int failure;
	bool at_exec;
	struct others others;
};

/*
 * Find the file of @command as a shell does. Stores the path in @path, which the caller frees, and
 * returns 0. If this fails, reports an error and returns EXIT_NOT_FOUND or EXIT_NOT_EXECUTABLE.
 */
int child_find(const char *command, char **path);

/*
 * Create a process that waits and then executes @path with @arguments. The process restores the
 * signal state from @signals. Returns 0, or reports an error and returns -1.
 */
int child_prepare(struct child *child, const char *path, char **arguments,
		  const struct signals *signals);

/*
 * Let the child continue to its execve(), where it waits for child_release(). So at user level,
 * only instructions of COMMAND are counted. If pfmon may not trace the child, the child stays in
 * its read().
 */
void child_to_exec(struct child *child);

/*
 * Let the child continue. Returns 0 once COMMAND runs. If COMMAND cannot be executed, reports why,
 * reaps the process, and returns EXIT_NOT_EXECUTABLE or EXIT_NOT_FOUND. @tracer is NULL if the
 * process is not traced (trace.h).
 */
int child_release(struct child *child, const char *command, const struct tracer *tracer);

/*
 * End the process that child_prepare() has created. Call this instead of child_release(), and only
 * if the process is not traced by trace_begin().
 */
void child_cancel(struct child *child);

/* Convert a status of waitpid() to an exit status, as a shell does. */
int child_exit_status(int status);

/*
 * Warn if a signal ended the command. Do not warn of SIGINT, because the user has sent this signal.
 */
void child_warn_killed(int status);

#endif
