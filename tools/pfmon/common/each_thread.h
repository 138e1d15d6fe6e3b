/* SPDX-License-Identifier: GPL-2.0-only */
/* Walk through the threads of a process. */
#ifndef PFMON_EACH_THREAD_H
#define PFMON_EACH_THREAD_H

#include <sys/types.h>

/*
 * Call @function(@data, tid) for each thread that /proc/@pid/task shows. Stop when a call returns a
 * value other than 0. Threads that start or end during the walk may be left out. Returns the result
 * of the last call. If this directory cannot be read, for example because the process has ended,
 * returns 0 without a call.
 */
int each_thread(pid_t pid, int (*function)(void *data, pid_t tid), void *data);

#endif
