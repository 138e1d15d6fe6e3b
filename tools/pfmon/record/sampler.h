/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread or CPU that is sampled: its context and its buffer. */
#ifndef PFMON_SAMPLER_H
#define PFMON_SAMPLER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../data/data_write.h"
#include "../data/data.h"
#include "../event/events.h"
#include "../run/session.h"
#include "drain.h"
#include "rate.h"
#include "witness.h"

/**
 * struct sampler - a thread or CPU that is sampled
 * @session: its context
 * @is_cpu: a CPU is sampled, with all that runs there
 * @target: number of the thread or CPU
 * @format: sampling format of the context
 * @number: number of the context in the file
 * @rates: the periods, one for each event
 * @rate_count: number of @rates
 * @all: the events and their witnesses
 * @dropped: for each event, how many occurrences were lost when the period was changed
 * @unsampled: for each event, how many occurrences are in no sample, computed at the end;
 *	the member counted is 0 if this is not known
 * @buffer: the mapped buffer, NULL until the context is attached
 * @has_recorded: the hardware records the callers
 * @size: size of @buffer in bytes
 * @has_ended: the thread has ended or the CPU has gone offline
 * @drain: how far the buffer has been read
 * @missed: number of lost samples plus number of times that monitoring was throttled,
 *	when the rates were last computed
 * @told: the losses in the last record that was written
 * @earlier: the samples of the recording's earlier files
 */
struct sampler {
	struct session session;
	bool is_cpu;
	int target;
	enum data_format format;
	bool has_recorded;
	uint32_t number;
	struct rate *rates;
	size_t rate_count;
	const struct event_list *all;
	uint64_t *dropped;
	struct data_unsampled *unsampled;
	void *buffer;
	size_t size;
	bool has_ended;
	struct drain drain;
	uint64_t missed;
	struct data_losses told;
	struct drain_counts earlier;
};

/*
 * Make a context with a buffer of @size bytes.  @flags are PFM_FL_*; with PFM_FL_SYSTEM_WIDE a CPU
 * is sampled.  @has_recorded: the hardware records the callers.  Returns -1 with errno and without a
 * message, or 0; the caller calls sampler_close() in both cases.
 */
int sampler_create(struct sampler *sampler, const char *pmu, uint32_t flags,
		   enum data_format format, uint64_t size, bool has_recorded);

/* The functions below report an error and return -1, or return 0. */

/*
 * Sample the first @count of @events, which have one counter each: every @period events
 * or, if @period is 0, @frequency times per second.  The other events are witnesses.
 */
int sampler_program(struct sampler *sampler, const struct event_list *events,
		    size_t count, uint64_t period, uint64_t frequency,
		    uint64_t random_mask);

/*
 * Attach to a thread or CPU, and map the buffer.  Children that were created earlier do not
 * inherit this mapping.
 */
int sampler_attach(struct sampler *sampler, int target);

/*
 * Take full buffers or regions and hand them back.  If @writer is NULL, because nothing
 * more can be written, the samples taken are lost.
 */
int sampler_take(struct sampler *sampler, struct data_writer *writer);

/* Take the samples in a buffer that is not full. */
int sampler_take_early(struct sampler *sampler, struct data_writer *writer);

/*
 * Count the samples of the current file.  If a file ends and the recording goes on, samples in the
 * buffer belong to the next file.
 */
void sampler_count(const struct sampler *sampler, bool is_last,
		   struct drain_counts *counts);

/* Another file begins. */
void sampler_begin_file(struct sampler *sampler);

/* Write the losses so far, if they are not in the file already. */
int sampler_write_losses(struct sampler *sampler, struct data_writer *writer);

/* For each event, write how many occurrences are in no sample, if that is known. */
int sampler_write_unsampled(const struct sampler *sampler, struct data_writer *writer);

/* Adapt the periods to the rates of their events. */
int sampler_follow(struct sampler *sampler);

/* Stop and take the remaining samples; a second call has no effect. */
int sampler_finish(struct sampler *sampler, struct data_writer *writer);

void sampler_close(struct sampler *sampler);

#endif
