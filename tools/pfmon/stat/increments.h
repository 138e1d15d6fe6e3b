/* SPDX-License-Identifier: GPL-2.0-only */
/* How the counts of event sets grow: what their error is estimated from. */
#ifndef PFMON_INCREMENTS_H
#define PFMON_INCREMENTS_H

#include "../run/session.h"
#include "scale.h"

/**
 * struct increments - what was seen of a run
 * @events: the events that are counted
 * @ratios: the increments of each
 * @values: counts at this look
 * @times: ns of CPU time in each set at this look
 * @last_values: counts at the last look
 * @last_times: CPU times at the last look
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
 * Reports an error and returns -1, or returns 0.  In each case increments_free() follows.
 */
int increments_prepare(struct increments *increments, const struct event_list *events);

/* A run begins, with all counts at 0. */
void increments_begin(struct increments *increments);

/* Look.  Reports an error and returns -1, or returns 0. */
int increments_take(struct increments *increments, struct session *session);

/* ms between two looks, 0 for none: as long as each set needs to have its turn. */
unsigned int increments_interval(const struct event_list *events);

/* ns of CPU time at the last look, in all sets. */
uint64_t increments_runtime(const struct increments *increments);

/* As ratio_error(), negative if it is not known. */
double increments_error(const struct increments *increments, size_t event);

void increments_free(struct increments *increments);

#endif
