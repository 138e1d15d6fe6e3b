/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for the end of what is measured. */
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
 * @others: what others than its first thread did; the caller has filled in the state
 *	before
 * @signal: signal sent to pfmon meanwhile, 0 if none
 * @ended: the END messages of all threads have come
 * @ended_early: the last one came long before the command was over
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
 * struct watch - what is waited for, and what is done meanwhile
 * @signals: those that are taken; signals to pfmon alone are passed on to the child
 * @contexts: descriptors of contexts
 * @context_count: number of @contexts
 * @pid: a child whose end is waited for; 0: the ends of the contexts' threads, or a signal
 * @tracer: of the child, NULL if it is not traced
 * @message: the context of that index has a message; NULL: nothing is done
 * @tick: @interval is over
 * @interval: ms until @tick, which may change it; 0: never
 * @data: for these functions.  If one fails, it reports the error and returns -1; none is
 *	called any more then, and the wait ends unless it is for a child
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

/* Reports an error and returns -1, or returns 0.  Keeps @others in @outcome. */
int wait_for_end(struct watch *watch, struct outcome *outcome);

/* ns of CLOCK_MONOTONIC. */
uint64_t nanoseconds_now(void);

#endif
