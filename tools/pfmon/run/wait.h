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
 * @fd: signalfd of the signals
 * @mask: the signal mask before the measurement
 * @child: the action for SIGCHLD before the measurement
 * @file_size: the action for SIGXFSZ before the measurement
 */
struct signals {
	int fd;
	sigset_t mask;
	struct sigaction child;
	struct sigaction file_size;
};

/*
 * Receive signals from now on.  SIGXFSZ is ignored, so a write beyond the limit of 'ulimit -f'
 * fails with EFBIG and does not end pfmon.
 */
int signals_take(struct signals *signals);

/* Called in the process that becomes COMMAND: restore the state from before signals_take(). */
void signals_restore(const struct signals *signals);

/*
 * Stop receiving signals, after the measurement.  They stay blocked, so that a late
 * signal does not end pfmon before the counts are shown.
 */
void signals_close(struct signals *signals);

/**
 * struct outcome - how the measurement ended
 * @status: status of the command, as from waitpid()
 * @usage: resources that the command used
 * @others: what ran besides the command's first thread; the caller has filled in
 *	others.tasks_before and others.children_before
 * @signal: last signal except SIGCHLD that pfmon received during the wait, 0 if none
 * @ended: the END messages of all contexts have been read, and all processes have ended
 * @ended_early: the last monitored thread or process ended long before the command did
 * @timed_out: the timeout expired before the command or the targets ended
 * @failed: one of the functions of struct watch failed
 */
struct outcome {
	int status;
	struct rusage usage;
	struct others others;
	int signal;
	bool ended;
	bool ended_early;
	bool timed_out;
	bool failed;
};

/**
 * struct watched - one more descriptor to wait for
 * @fd: the descriptor
 * @ready: called when @fd is readable; reads from @fd
 */
struct watched {
	int fd;
	int (*ready)(void *data);
};

#define WATCHED_MOST 3

struct waiting;

/**
 * struct watch - what to wait for, and functions to call during the wait
 * @signals: the signals that pfmon receives; those sent to pfmon alone are passed on to
 *	the child
 * @contexts: file descriptors of contexts
 * @context_count: number of @contexts
 * @have_copies: the contexts have copies. After the END message of a context, messages of its
 *	copies may still come
 * @may_return: a context may be loaded again after its END message, so the END messages do not
 *	end the wait
 * @processes: pidfds of the monitored processes
 * @process_count: number of @processes
 * @pid: child to wait for; 0 if there is no child. Without a child, the wait ends when all
 *	@processes and all threads of the contexts have ended, or when a signal comes
 * @more: more descriptors
 * @more_count: number of @more
 * @timeout: ns after which the child gets SIGTERM or, without a child, the wait ends; 0: no limit
 * @tracer: tracer of the child, NULL if it is not traced
 * @message: called with each message and the index of its context; may be NULL
 * @tick: called every @interval ms
 * @interval: ms from one call of @tick to the next; @tick may change it; 0: @tick is
 *	never called
 * @is_done: a function of this structure sets this to true to end the wait; ignored if there is a
 *	child
 * @data: argument of @message, @tick and @more.ready.  If one of these functions fails, it reports
 *	the error and returns -1. Then none of them is called again. If there is a child, the wait
 *	continues until the child ends
 * @waiting: state of the wait
 */
struct watch {
	const struct signals *signals;
	const int *contexts;
	unsigned int context_count;
	bool have_copies;
	bool may_return;
	const int *processes;
	unsigned int process_count;
	struct watched more[WATCHED_MOST];
	unsigned int more_count;
	pid_t pid;
	uint64_t timeout;
	const struct tracer *tracer;
	int (*message)(void *data, unsigned int index, const union pfarg_msg *message);
	int (*tick)(void *data);
	bool is_done;
	unsigned int interval;
	void *data;
	struct waiting *waiting;
};

/*
 * Wait until the child or the targets have ended, see struct watch. Reports an error and returns
 * -1, or returns 0. The caller has filled in @outcome->others.
 */
int wait_for_end(struct watch *watch, struct outcome *outcome);

/*
 * Add one more context to the present wait. The array @contexts replaces @watch->contexts: it
 * contains the same contexts, followed by the new one. May be called only during a wait, and only
 * if @watch has no @processes. Reports an error and returns -1, or returns 0.
 */
int wait_for_one_more(struct watch *watch, const int *contexts);

/* Returns the time of CLOCK_MONOTONIC in ns. */
uint64_t nanoseconds_now(void);

#endif
