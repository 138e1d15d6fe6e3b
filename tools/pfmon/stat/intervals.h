/* SPDX-License-Identifier: GPL-2.0-only */
/* Print what was counted in each interval of a measurement. */
#ifndef PFMON_INTERVALS_H
#define PFMON_INTERVALS_H

#include <stdio.h>

#include "../run/group.h"
#include "increments.h"
#include "parts.h"

/**
 * struct intervals - the intervals of a measurement
 * @parts: the counts of the present interval
 * @values: counts at the end of the previous interval
 * @times: CPU times at the end of the previous interval
 * @sets: activity of each set at the end of the previous interval
 * @present: activity of each set now
 * @begin: when counting began, in ns of CLOCK_MONOTONIC
 * @last: end of the previous interval, on the same clock
 * @next: end of the present interval, on the same clock
 */
struct intervals {
	struct parts parts;
	uint64_t *values;
	uint64_t *times;
	struct set_activity *sets;
	struct set_activity *present;
	uint64_t begin;
	uint64_t last;
	uint64_t next;
};

/*
 * intervals_prepare() and intervals_print() report an error and return -1, or return 0. @results
 * are the results of the whole measurement. The caller calls intervals_free() in any case.
 */
int intervals_prepare(struct intervals *intervals, const struct results *results,
		      const struct stat_options *options, FILE *file);

/*
 * Call this when counting begins and all counts are 0. Prints the heading, if the form of the
 * output has one.
 */
void intervals_begin(struct intervals *intervals);

/* Print the present interval, which ends now. The caller has just called increments_take(). */
int intervals_print(struct intervals *intervals, const struct increments *increments,
		    struct group *group);

/* Returns whether the present interval is over. */
bool intervals_are_due(const struct intervals *intervals);

/* Returns the time in ms until the end of the present interval, at least 1. */
unsigned int intervals_left(const struct intervals *intervals);

void intervals_free(struct intervals *intervals);

#endif
