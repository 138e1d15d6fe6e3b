/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that runs COMMAND. */
#ifndef PFMON_CHILD_H
#define PFMON_CHILD_H

#include <sys/types.h>

#include "trace.h"
#include "wait.h"

/**
 * struct child - a process that is about to run COMMAND
 * @pid: the process
 * @go: a write lets it go on; closing makes it end
 * @failure: errno of an exec that failed is read from it
 * @others: how it was before
 */
struct child {
	pid_t pid;
	int go;
	int failure;
	struct others others;
};

/*
 * Find the file of @command as a shell does.  Returns 0 and the path in @path, to be
 * freed, or EXIT_NOT_FOUND or EXIT_NOT_EXECUTABLE after reporting that.
 */
int child_find(const char *command, char **path);

/*
 * Make a process that waits, with the signals of before @signals, to become @path with
 * @arguments.  Reports an error and returns -1, or returns 0.
 */
int child_prepare(struct child *child, const char *path, char **arguments,
		  const struct signals *signals);

/*
 * Let it go on.  Returns 0 once COMMAND runs, or EXIT_NOT_EXECUTABLE or EXIT_NOT_FOUND
 * after reporting why not; the process is reaped then.  @tracer is NULL unless the
 * process is traced (trace.h).
 */
int child_release(struct child *child, const char *command, const struct tracer *tracer);

/* End a process that was prepared, and neither traced nor released. */
void child_cancel(struct child *child);

/* Exit status for what waitpid() said, as a shell has it. */
int child_exit_status(int status);

/* Say so if a signal ended the command; of SIGINT the user knows. */
void child_warn_killed(int status);

#endif
