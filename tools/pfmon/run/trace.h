/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace a child through execve() and to its end with ptrace(2): the child is stopped
 * after each execve() and before its end, so that its memory can be read. Signals reach the child
 * as without ptrace, and job control works. Only the child's first thread is followed.
 */
#ifndef PFMON_TRACE_H
#define PFMON_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct tracer - functions that are called while the child is stopped
 * @exec: the child has executed a program and has not run any of it yet
 * @exit: the child is about to end; its memory still exists
 * @data: argument of both functions
 */
struct tracer {
	void (*exec)(void *data);
	void (*exit)(void *data);
	void *data;
};

/*
 * Returns whether @path runs in a traced process as it does without tracing. A set-user-ID program,
 * a set-group-ID program and a program with capabilities would not get their rights.
 */
bool trace_is_harmless(const char *path);

/* Begin to trace a child.  Returns 0 or -1 and errno. */
int trace_begin(pid_t pid);

/*
 * Stop a child that sleeps in a system call, to let it continue to its next execve().  Returns 0,
 * or -1 and errno if the child may not be traced.
 */
int trace_stop(pid_t pid);

/*
 * Let a child that trace_stop() has stopped continue until it enters execve(), and stop it there.
 * Returns 0, or -1 if it has ended; it is not reaped.
 */
int trace_to_exec(pid_t pid);

/* Let a child that trace_to_exec() has stopped continue, and stop tracing it. */
void trace_end(pid_t pid);

/*
 * Call this when the child has stopped.  Calls the function of @tracer for this stop, if there is
 * one, and lets the child continue. @stop is si_status of waitid(), the status of waitpid() without
 * its low 8 bits.
 */
void trace_stopped(const struct tracer *tracer, pid_t pid, int stop);

/* Returns whether @stop is the stop after an execve(). */
bool trace_is_exec(int stop);

#endif
