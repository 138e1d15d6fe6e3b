/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording: sample threads or CPUs, and write the samples to a file. */
#ifndef PFMON_RECORDER_H
#define PFMON_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../data/data_write.h"
#include "../data/data.h"
#include "../data/kernel.h"
#include "../event/events.h"
#include "../run/cpus.h"
#include "../run/wait.h"
#include "all_processes.h"
#include "processes.h"
#include "progress.h"
#include "record_options.h"
#include "sampler.h"

/**
 * struct recorder - a recording
 * @options: the command line
 * @events: the events that are sampled
 * @all: @events and their witnesses (second counters of the same events, see witness.h)
 * @format: sampling format
 * @buffer: maximum size of a buffer in bytes
 * @flags: PFM_FL_* of the contexts
 * @samplers: the samplers, one for each thread or CPU
 * @count: number of @samplers
 * @contexts: descriptors of the samplers' contexts
 * @context_count: number of @contexts
 * @buffers: the buffers of all samplers; the index of a buffer is its number in the file
 * @buffer_count: number of @buffers
 * @ends: pidfds of the processes that the user named. They show when these processes have ended
 * @processes: processes whose names and mappings are read from /proc
 * @all_processes: if CPUs are recorded, it contains all processes of the machine. If a command is
 *	recorded with its descendants, and the kernel permits reports about processes, it contains
 *	the command and its descendants. In all other cases it contains no processes
 * @kernel: the addresses of the kernel and its modules
 * @writer: the file
 * @number: number of the recording; all of its files contain this number
 * @rotation: when the next file begins, and the names of the earlier files
 * @begun: when the current file was begun, in ns of CLOCK_MONOTONIC
 * @is_written: the file was created, and no error has ended the recording
 * @is_exiting: the tracer has reported that the command is about to end
 * @ended_before: the END message of a context was read before @is_exiting was set
 * @uevents: descriptor of the socket for the kernel's uevents about CPUs that come online; -1 if
 *	the socket could not be opened, 0 if no CPUs are recorded
 * @changes: CPUs that were not online all the time
 * @watch: what recorder_wait() waits for
 * @tick: maximum time in ms until samples are written again
 * @progress: the line on the terminal
 * @ended: function that is called at each switch to another file, with @data and the previous file,
 *	which is still open. It returns 0, or -1 after reporting an error. NULL: no function is
 *	called
 * @input: descriptor of the user's input, which @typed reads; 0: there is none
 * @typed: called when @input is readable; returns the same values as @ended
 * @data: argument of @ended and @typed
 * @begin: when the recording began, in ns of CLOCK_MONOTONIC
 * @duration: length of the recording in ns
 */
struct recorder {
	const struct record_options *options;
	struct event_list events;
	struct event_list all;
	enum data_format format;
	uint64_t buffer;
	uint32_t flags;
	struct sampler *samplers;
	size_t count;
	int *contexts;
	size_t context_count;
	struct buffer **buffers;
	size_t buffer_count;
	struct target_ends ends;
	struct processes processes;
	struct all_processes all_processes;
	struct kernel kernel;
	struct data_writer writer;
	uint32_t number;
	struct rotation rotation;
	uint64_t begun;
	bool is_written;
	bool is_exiting;
	bool ended_before;
	int uevents;
	struct cpu_changes changes;
	struct watch watch;
	unsigned int tick;
	struct progress progress;
	int (*ended)(void *data, const struct data_writer *file);
	int input;
	int (*typed)(void *data);
	void *data;
	uint64_t begin;
	uint64_t duration;
};

/*
 * Each int function below returns 0, or -1 after reporting an error. The caller calls
 * recorder_free() in any case.
 */

/* Create the contexts and program the events. */
int recorder_prepare(struct recorder *recorder, const struct record_options *options);

/*
 * Add a sampler with a new context, and program the events of the recording in this context. If the
 * context cannot be created, recorder_try_add_sampler() returns a positive errno without a message.
 */
int recorder_add_sampler(struct recorder *recorder);
int recorder_try_add_sampler(struct recorder *recorder);

/*
 * Load contexts on the CPUs or processes that the user named. If the user named neither, load
 * contexts on the threads @targets. Create the file and start monitoring.
 */
int recorder_begin(struct recorder *recorder, const int *targets);

/* Returns whether CPUs are recorded. */
static inline bool recorder_has_cpus(const struct recorder *recorder)
{
	return recorder->flags & PFM_FL_SYSTEM_WIDE;
}

/* Returns whether new threads or child processes of the recorded threads are recorded, too. */
static inline bool recorder_follows(const struct recorder *recorder)
{
	return recorder->flags & (PFM_FL_INHERIT_THREADS | PFM_FL_INHERIT_ALL);
}

/* Returns whether @all_processes is used. */
static inline bool recorder_has_all(const struct recorder *recorder)
{
	return recorder_has_cpus(recorder) || recorder->all_processes.has_band;
}

/*
 * Wait until child @pid ends. If @pid is 0, wait until all threads have ended, a signal comes or
 * the timeout expires.
 */
int recorder_wait(struct recorder *recorder, const struct signals *signals,
		  const struct tracer *tracer, pid_t pid, struct outcome *outcome);

/* Stop monitoring, write the remaining samples, and close the file. */
int recorder_finish(struct recorder *recorder);

/*
 * A tracer calls recorder_at_exec() when the child has executed a program, and recorder_at_exit()
 * when the child is about to end.
 */
void recorder_at_exec(void *recorder);
void recorder_at_exit(void *recorder);

/*
 * Returns sums over all threads or CPUs. Field @events is the number of occurrences of event @index
 * for which the PMU delivered no sample. Field @samples, the number of missing samples, is 0 if it
 * is not known or is too small for a warning.
 */
struct data_unsampled recorder_unsampled(const struct recorder *recorder, size_t index);

/*
 * Returns the number of occurrences of event @index that are in no sample because threads ended in
 * the middle of a period. Stores in @counted the number of occurrences that the witnesses counted.
 */
uint64_t recorder_cut(const struct recorder *recorder, size_t index, uint64_t *counted);

/* Store in @counts the sums of the counts of all buffers. */
void recorder_count(const struct recorder *recorder, struct drain_counts *counts);
void recorder_free(struct recorder *recorder);

#endif
