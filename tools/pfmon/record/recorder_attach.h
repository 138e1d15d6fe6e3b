/* SPDX-License-Identifier: GPL-2.0-only */
/* Attach the contexts of a recording, and find out what their threads execute. */
#ifndef PFMON_RECORDER_ATTACH_H
#define PFMON_RECORDER_ATTACH_H

#include "recorder.h"

/* These functions report an error and return -1, or return 0. */

/*
 * Attach to threads @targets or, if the user named CPUs, to these or, if the user named processes, to
 * all of their threads.  Threads that have ended have no sampler then.
 */
int recorder_attach(struct recorder *recorder, const int *targets);

/* Close all samplers but the first @count. */
void recorder_drop_samplers(struct recorder *recorder, size_t count);

/* Append the descriptor and the buffers of a sampler, which has been attached, to those of the recording. */
int recorder_list_sampler(struct recorder *recorder, struct sampler *sampler);

/* Begin to find out what these execute.  The kernel is asked if it can say it. */
int recorder_watch_processes(struct recorder *recorder, const int *targets);

#endif
