/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace a child with ptrace(2). Only the child's first thread is followed.
 *
 * After trace_begin(), the child is traced until it ends. It is stopped after each execve() and
 * before its end, so that its memory can be read. The child gets the same signals as it would get
 * without ptrace, and job control works.
 *
 * trace_stop(), trace_to_exec() and trace_end() trace the child only until it enters execve().
 */
#ifndef PFMON_TRACE_H
#define PFMON_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct tracer - functions that are called while the child is stopped
 * @exec: called after a successful execve() of the child, before the new program runs
 * @exit: called when the child is about to end; its memory still exists
 * @data: argument of both functions
 */
struct tracer {
	void (*exec)(void *data);
	void (*exit)(void *data);
	void *data;
};

/*
 * Returns whether the program @path behaves the same with and without tracing. A set-user-ID
 * program, a set-group-ID program or a program with capabilities would not get its privileges while
 * it is traced.
 */
bool trace_is_harmless(const char *path);

/* Begin to trace a child.  Returns 0, or -1 and errno. */
int trace_begin(pid_t pid);

/*
 * Stop a child that sleeps in a system call, and prepare it for trace_to_exec().  Returns 0, or -1
 * and errno if the child may not be traced.
 */
int trace_stop(pid_t pid);

/*
 * After trace_stop(): let the child continue until it enters execve(), and stop it there.  Returns
 * 0, or -1 if the child has ended.  Does not reap the child.
 */
int trace_to_exec(pid_t pid);

/* After trace_to_exec(): let the child continue, and stop tracing it. */
void trace_end(pid_t pid);

/*
 * Call waitid() to learn why a traced child has stopped. After this, waitid() does not report the
 * same stop again. Returns si_status, or -1 if the child is not stopped any more.
 */
int trace_take_stop(pid_t pid);

/*
 * Call this when a child has stopped after trace_begin(). Calls the function of @tracer for this
 * stop, if there is one. Then lets the child continue, unless job control has stopped it. @stop is
 * the result of trace_take_stop().
 */
void trace_stopped(const struct tracer *tracer, pid_t pid, int stop);

/* Returns whether @stop is the stop after an execve(). */
bool trace_is_exec(int stop);

#endif
