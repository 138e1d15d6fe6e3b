/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that is sampled: its context, the buffer, and how far that was taken. */
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
 * struct sampler - a thread that is sampled
 * @session: its context
 * @format: sampling format of the context
 * @number: of the context in the file
 * @rates: the periods, one for each event
 * @rate_count: number of @rates
 * @all: the events and their witnesses
 * @dropped: for each event, the events that were lost by new periods
 * @unsampled: for each event, what is in no sample, at the end; @counted is 0 if that is
 *	not known
 * @buffer: the context's, NULL until it is attached
 * @size: its bytes
 * @drain: how far it was taken
 * @missed: samples lost and waits for the next tick, when rates were looked at last
 * @told: the losses that were written last
 */
struct sampler {
	struct session session;
	enum data_format format;
	uint32_t number;
	struct rate *rates;
	size_t rate_count;
	const struct event_list *all;
	uint64_t *dropped;
	struct data_unsampled *unsampled;
	void *buffer;
	size_t size;
	struct drain drain;
	uint64_t missed;
	struct data_losses told;
};

/*
 * Make a context with a buffer of @size bytes.  Returns -1 with errno and without a
 * message, or 0; in both cases sampler_close() follows.
 */
int sampler_create(struct sampler *sampler, const char *pmu, enum data_format format,
		   uint64_t size);

/* The functions below report an error and return -1, or return 0. */

/*
 * Sample the first @count of @events, which have one counter each: every @period events, or
 * if that is 0 @frequency times a second.  The others are their witnesses.
 */
int sampler_program(struct sampler *sampler, const struct event_list *events,
		    size_t count, uint64_t period, uint64_t frequency,
		    uint64_t random_mask);

/* Attach to a thread; the buffer is mapped here, so that no child made before has it. */
int sampler_attach(struct sampler *sampler, pid_t tid);

/*
 * Take what is full and hand it back.  A @writer that is NULL cannot write any more:
 * what is taken is lost.
 */
int sampler_take(struct sampler *sampler, struct data_writer *writer);

/* Take what is in a buffer that is not full yet. */
int sampler_take_early(struct sampler *sampler, struct data_writer *writer);

/* Write what was lost so far, if that is not in the file already. */
int sampler_write_losses(struct sampler *sampler, struct data_writer *writer);

/* Write what is in no sample, of each event where that is known. */
int sampler_write_unsampled(const struct sampler *sampler, struct data_writer *writer);

/* Let periods follow the rates of their events. */
int sampler_follow(struct sampler *sampler);

/* Stop and take what is left; a second time there is nothing to be done. */
int sampler_finish(struct sampler *sampler, struct data_writer *writer);

void sampler_close(struct sampler *sampler);

#endif
