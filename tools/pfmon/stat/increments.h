/* SPDX-License-Identifier: GPL-2.0-only */
/* Follow how the counts of event sets grow, to estimate the errors of scaled counts. */
#ifndef PFMON_INCREMENTS_H
#define PFMON_INCREMENTS_H

#include "../run/group.h"
#include "scale.h"

/**
 * struct increments - the increments of the counts during a run (see scale.h)
 * @events: the events that are counted
 * @ratios: for each event, sums over its increments
 * @values: counts that increments_take() has just read
 * @times: for each set, the CPU time of the thread in ns while the set was active; for CPUs, the
 *	time in ns for which the set was active. These times and @values are from the same reading
 * @last_values: counts at the last reading. Before increments_take() returns, it copies @values to
 *	@last_values
 * @last_times: like @last_values, for @times
 */
struct increments {
	const struct event_list *events;
	struct ratio *ratios;
	uint64_t *values;
	uint64_t *times;
	uint64_t *last_values;
	uint64_t *last_times;
};

/*
 * Reports an error and returns -1, or returns 0. The caller calls increments_free() in
 * either case.
 */
int increments_prepare(struct increments *increments, const struct event_list *events);

/* Begin a run; all counts are 0. */
void increments_begin(struct increments *increments);

/*
 * Read the counters, and add the increments since the last reading to @increments->ratios. Reports
 * an error and returns -1, or returns 0.
 */
int increments_take(struct increments *increments, struct group *group);

/*
 * Returns the time in ms between two readings: the time in which each set has one turn, but at
 * least 20 ms and at most 100 ms. Returns 0 if there are no event sets.
 */
unsigned int increments_interval(const struct event_list *events);

/* Returns the sum of the CPU times of all sets at the last reading, in ns. */
uint64_t increments_runtime(const struct increments *increments);

/*
 * Returns the relative standard error of the scaled count of event @event (see ratio_error()), or a
 * negative number if this error is not known.
 */
double increments_error(const struct increments *increments, size_t event);

void increments_free(struct increments *increments);

#endif
