/* SPDX-License-Identifier: GPL-2.0-only */
/* Load the contexts of a recording, and find out what their threads execute. */
#ifndef PFMON_RECORDER_ATTACH_H
#define PFMON_RECORDER_ATTACH_H

#include "recorder.h"

/* These functions report an error and return -1, or return 0. */

/*
 * Load contexts on the threads @targets, or on the CPUs that the user named, or on all threads of
 * the processes that the user named.  Threads that have ended get no sampler.
 */
int recorder_attach(struct recorder *recorder, const int *targets);

/* Close all samplers but the first @count. */
void recorder_drop_samplers(struct recorder *recorder, size_t count);

/*
 * The context of @sampler has been loaded: append its descriptor and buffers to the lists of the
 * recording.
 */
int recorder_list_sampler(struct recorder *recorder, struct sampler *sampler);

/*
 * Begin to find out what the threads @targets execute, from events of the kernel if it
 * permits them.
 */
int recorder_watch_processes(struct recorder *recorder, const int *targets);

#endif
