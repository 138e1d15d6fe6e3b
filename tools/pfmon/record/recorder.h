/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording that is made: threads are sampled, and their samples written. */
#ifndef PFMON_RECORDER_H
#define PFMON_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../data/data_write.h"
#include "../data/data.h"
#include "../event/events.h"
#include "../run/wait.h"
#include "process.h"
#include "progress.h"
#include "record_options.h"
#include "sampler.h"

/**
 * struct recorder - a recording that is made
 * @options: the command line
 * @events: what is sampled
 * @all: these, and their witnesses
 * @format: sampling format
 * @buffer: bytes of a buffer at most
 * @samplers: one for each thread, in the order of their contexts in the file
 * @contexts: their descriptors
 * @count: number of @contexts
 * @processes: those of the threads
 * @process_count: number of @processes
 * @writer: the file
 * @is_written: nothing has gone wrong with it
 * @is_exiting: the command, which is traced, is about to end
 * @ended_before: a context ended before that
 * @watch: while it runs
 * @progress: what is shown
 * @begin: when it began, ns of CLOCK_MONOTONIC
 * @duration: ns that it took
 */
struct recorder {
	const struct record_options *options;
	struct event_list events;
	struct event_list all;
	enum data_format format;
	uint64_t buffer;
	struct sampler *samplers;
	int *contexts;
	size_t count;
	struct process *processes;
	size_t process_count;
	struct data_writer writer;
	bool is_written;
	bool is_exiting;
	bool ended_before;
	struct watch watch;
	struct progress progress;
	uint64_t begin;
	uint64_t duration;
};

/* All of these report an error and return -1, or return 0.  recorder_free() follows. */

/* Make the contexts and program the events. */
int recorder_prepare(struct recorder *recorder, const struct record_options *options);

/* Attach to the threads, make the file and let monitoring begin. */
int recorder_begin(struct recorder *recorder, const int *tids);

/* Wait for the end of child @pid, or, if it is 0, of the threads. */
int recorder_wait(struct recorder *recorder, const struct signals *signals,
		  const struct tracer *tracer, pid_t pid, struct outcome *outcome);

/* Stop, and write what is left. */
int recorder_finish(struct recorder *recorder);

/* For a tracer of the child: it has become another program, or is about to end. */
void recorder_at_exec(void *recorder);
void recorder_at_exit(void *recorder);

/*
 * The events @index of all threads for which the PMU delivered no samples.  Their number
 * of samples is 0 if it is not known or too small for a warning.
 */
struct data_unsampled recorder_unsampled(const struct recorder *recorder, size_t index);

/* Count the samples of all threads. */
void recorder_count(const struct recorder *recorder, struct drain_counts *counts);
void recorder_free(struct recorder *recorder);

#endif
