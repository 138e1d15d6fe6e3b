/* SPDX-License-Identifier: GPL-2.0-only */
/* Walk through the threads of a process. */
#ifndef PFMON_EACH_THREAD_H
#define PFMON_EACH_THREAD_H

#include <sys/types.h>

/*
 * Call @function(@data, tid) for each thread of process @pid that /proc shows. Stop at the first
 * call whose result is not 0. Threads that start or end during the walk may be left out. Returns
 * the result of the last call. If the process has ended or is hidden, returns 0 without a call.
 */
int each_thread(pid_t pid, int (*function)(void *data, pid_t tid), void *data);

#endif
