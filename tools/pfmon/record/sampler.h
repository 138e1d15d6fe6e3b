/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sample a CPU or a thread. If the user wants it, the new threads and child processes of the
 * sampled thread are sampled, too. A sampler has a context and the context's buffers.
 */
#ifndef PFMON_SAMPLER_H
#define PFMON_SAMPLER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../data/data_write.h"
#include "../data/data.h"
#include "../event/events.h"
#include "../run/session.h"
#include "buffer.h"
#include "rate.h"
#include "witness.h"

/**
 * struct sampler - a thread or CPU that is sampled
 * @session: the context
 * @is_cpu: a CPU is sampled, with everything that runs on it
 * @target: tid of the thread, or number of the CPU
 * @format: sampling format of the context
 * @has_recorded: the hardware records the callers for each sample
 * @rates: the sampling periods, one for each event
 * @rate_count: number of @rates
 * @all: the events and their witnesses (second counters of the same events, see
 *	witness.h)
 * @dropped: for each event, the number of occurrences that were dropped when the period changed
 * @unsampled: for each event, the number of occurrences for which the PMU delivered no sample. It
 *	is computed at the end. If it is not known for event i, unsampled[i].counted is 0
 * @cut: for each event, the number of occurrences that are in no sample because threads ended
 *	before a period was over
 * @buffers: one buffer, or one for each CPU if the context has a flag PFM_FL_INHERIT_*. There are
 *	no buffers before the context is loaded
 * @buffer_count: number of @buffers
 * @has_ended: the thread has ended
 * @is_over: the last samples have been read from the buffers
 * @missed: number of lost samples, plus number of times that monitoring was throttled, as of the
 *	last call of is_short()
 */
struct sampler {
	struct session session;
	bool is_cpu;
	int target;
	enum data_format format;
	bool has_recorded;
	struct rate *rates;
	size_t rate_count;
	const struct event_list *all;
	uint64_t *dropped;
	struct data_unsampled *unsampled;
	uint64_t *cut;
	struct buffer *buffers;
	size_t buffer_count;
	bool has_ended;
	bool is_over;
	uint64_t missed;
};

/*
 * Create a context with buffers of @size bytes. @flags are PFM_FL_*; with PFM_FL_SYSTEM_WIDE a CPU
 * is sampled. @has_recorded: the hardware records the callers. Returns 0, or -1 with errno and
 * without a message. The caller calls sampler_close() in either case.
 */
int sampler_create(struct sampler *sampler, const char *pmu, uint32_t flags,
		   enum data_format format, uint64_t size, bool has_recorded);

/* The functions below return 0, or -1 after reporting an error. */

/*
 * Sample the first @count elements of @events: take a sample every @period events or, if @period is
 * 0, @frequency samples per second. Each of these events has one counter. All further elements of
 * @events are witnesses.
 */
int sampler_program(struct sampler *sampler, const struct event_list *events,
		    size_t count, uint64_t period, uint64_t frequency,
		    uint64_t random_mask);

/*
 * Load the context on a thread or CPU, and map the buffers. If there is a command, pfmon has
 * created its process before this call, so that the process does not inherit the mappings. If the
 * load failed, sampler_try_attach() returns a positive errno without a message. sampler_attach() is
 * for threads only, and reports the error.
 */
int sampler_attach(struct sampler *sampler, int target);
int sampler_try_attach(struct sampler *sampler, int target);

/*
 * Load the context again on a CPU that went offline and has come online. If the load failed,
 * returns a positive errno without a message.
 */
int sampler_try_resume(struct sampler *sampler);

/*
 * Write the samples of full buffers or regions to the file, and hand back the buffers or regions.
 * If @writer is NULL, the samples are lost.
 */
int sampler_take(struct sampler *sampler, struct data_writer *writer);

/* Write to the file the samples in buffers that are not full. */
int sampler_take_early(struct sampler *sampler, struct data_writer *writer);

/*
 * Write an UNSAMPLED record for each event. The record contains the number of occurrences of the
 * event for which the PMU delivered no sample. If this number is not known for an event, the event
 * gets no record.
 */
int sampler_write_unsampled(const struct sampler *sampler, struct data_writer *writer);

/* Adapt the periods to the rates of their events. */
int sampler_follow(struct sampler *sampler);

/*
 * Stop monitoring and write the remaining samples to the file. If @writer is NULL, these samples
 * are lost. A second call has no effect.
 */
int sampler_finish(struct sampler *sampler, struct data_writer *writer);

void sampler_close(struct sampler *sampler);

#endif
