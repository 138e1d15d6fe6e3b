/* SPDX-License-Identifier: GPL-2.0-only */
/* Wait for the end of the measured command or threads. */
#ifndef PFMON_WAIT_H
#define PFMON_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <perfmon/perfmon.h>

#include "others.h"
#include "trace.h"

/**
 * struct signals - signals that pfmon receives during the measurement
 * @fd: they are read from it
 * @mask: the signal mask before the measurement
 * @child: the action for SIGCHLD before the measurement
 */
struct signals {
	int fd;
	sigset_t mask;
	struct sigaction child;
};

int signals_take(struct signals *signals);

/* Restore the state from before, for COMMAND. */
void signals_restore(const struct signals *signals);

/*
 * The measurement is over.  Signals stay blocked, so that a late one does not end pfmon
 * before the counts are shown.
 */
void signals_close(struct signals *signals);

/**
 * struct outcome - how the measurement ended
 * @status: status of the command, as from waitpid()
 * @usage: resources that the command used
 * @others: what ran besides its first thread; the caller has filled in the state before
 * @signal: signal that was sent to pfmon meanwhile, 0 if none
 * @ended: the END messages of all threads have been read
 * @ended_early: the last of them came long before the end of the command
 * @failed: one of the functions of struct watch failed
 */
struct outcome {
	int status;
	struct rusage usage;
	struct others others;
	int signal;
	bool ended;
	bool ended_early;
	bool failed;
};

/**
 * struct watch - what to wait for, and functions to call meanwhile
 * @signals: the signals that pfmon receives; those sent to pfmon alone are passed on to
 *	the child
 * @contexts: file descriptors of contexts
 * @context_count: number of @contexts
 * @pid: child to wait for; 0: wait for the ends of the contexts' threads, or for a signal
 * @tracer: tracer of the child, NULL if it is not traced
 * @message: called when the context of this index has a message; may be NULL
 * @tick: called when @interval is over
 * @interval: ms until @tick, which may change it; 0: @tick is never called
 * @data: argument of these functions.  If one of them fails, it reports the error and
 *	returns -1.  Then none is called again, and the wait ends unless it is for a child
 */
struct watch {
	const struct signals *signals;
	const int *contexts;
	unsigned int context_count;
	pid_t pid;
	const struct tracer *tracer;
	int (*message)(void *data, unsigned int index, const union pfarg_msg *message);
	int (*tick)(void *data);
	unsigned int interval;
	void *data;
};

/*
 * Reports an error and returns -1, or returns 0. The caller keeps @others in @outcome.
 */
int wait_for_end(struct watch *watch, struct outcome *outcome);

/* ns of CLOCK_MONOTONIC. */
uint64_t nanoseconds_now(void);

#endif
