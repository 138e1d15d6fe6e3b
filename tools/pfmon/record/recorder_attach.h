/* SPDX-License-Identifier: GPL-2.0-only */
/* Load the contexts of a recording, and find out which programs their threads execute. */
#ifndef PFMON_RECORDER_ATTACH_H
#define PFMON_RECORDER_ATTACH_H

#include "recorder.h"

/* The functions that return int return 0, or -1 after reporting an error. */

/*
 * Load contexts on the CPUs that the user named, or on all threads of the processes that the user
 * named. If the user named neither, load contexts on the threads @targets. If a thread of a named
 * process has ended, it gets no sampler.
 */
int recorder_attach(struct recorder *recorder, const int *targets);

/* Close all samplers except the first @count. */
void recorder_drop_samplers(struct recorder *recorder, size_t count);

/*
 * Append the descriptor of @sampler's context to recorder->contexts, and the context's buffers to
 * recorder->buffers. The caller has loaded the context.
 */
int recorder_list_sampler(struct recorder *recorder, struct sampler *sampler);

/*
 * Begin to find out which programs the recorded threads execute. If pfmon records CPUs, or records
 * a command and its descendants, it reads the kernel's reports about processes. In all other cases,
 * and if the kernel does not permit these reports, pfmon reads /proc. @targets are the same threads
 * as in recorder_attach().
 */
int recorder_watch_processes(struct recorder *recorder, const int *targets);

#endif
