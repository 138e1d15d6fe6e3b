/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for the end of what is measured. */
#ifndef PFMON_WAIT_H
#define PFMON_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct signals - signals that are taken here while something is measured
 * @fd: from which they are read
 * @mask: signal mask of before
 * @child: what was done about SIGCHLD before
 */
struct signals {
	int fd;
	sigset_t mask;
	struct sigaction child;
};

int signals_take(struct signals *signals);

/* As they were before: for COMMAND. */
void signals_restore(const struct signals *signals);

/*
 * What is measured is over.  Signals stay blocked, so that one which came too
 * late for it does not end pfmon before the counts are shown.
 */
void signals_close(struct signals *signals);

/**
 * struct outcome - how it ended
 * @status: of the command, as waitpid() has it
 * @usage: what the command used
 * @signal: signal sent to pfmon meanwhile, 0 if none
 * @ended: the thread's END message has come
 * @ended_early: it came long before the command was over
 */
struct outcome {
	int status;
	struct rusage usage;
	int signal;
	bool ended;
	bool ended_early;
};

/*
 * Wait until process @pid, a child, is over, or, if it is 0, until the context
 * of @fd says that its thread has ended, or a signal comes.  Signals to pfmon
 * alone are passed on to the child.  Says what is wrong and returns -1, or 0.
 */
int wait_for_end(int fd, pid_t pid, const struct signals *signals,
		 struct outcome *outcome);

/* ns of CLOCK_MONOTONIC. */
uint64_t nanoseconds_now(void);

#endif
