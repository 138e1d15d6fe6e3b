/* SPDX-License-Identifier: GPL-2.0-only */
/* Walk through the threads of a process. */
#ifndef PFMON_EACH_THREAD_H
#define PFMON_EACH_THREAD_H

#include <sys/types.h>

/*
 * Call @function with @data and each thread (tid) of process @pid that /proc shows, until a call
 * does not return 0.  Threads that come or end meanwhile may be left out.  Returns the value of
 * the last call, or 0 if there was no call, because the process has ended or is hidden.
 */
int each_thread(pid_t pid, int (*function)(void *data, pid_t tid), void *data);

#endif
