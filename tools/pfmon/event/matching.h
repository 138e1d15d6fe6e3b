/* SPDX-License-Identifier: GPL-2.0-only */
/* Match events with counters. */
#ifndef PFMON_MATCHING_H
#define PFMON_MATCHING_H

#include <stddef.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#define NO_COUNTER (-1)

/**
 * struct choice - the counters that one event can use
 * @pmds: the PMDs of these counters, the preferred ones first
 * @count: number of PMDs
 */
struct choice {
	uint16_t pmds[PFM_MAX_HARDWARE];
	unsigned int count;
};

/*
 * Give a counter to as many events as possible: @assigned[i] becomes a PMD of @choices[i] or
 * NO_COUNTER. If there are too few counters, earlier events have priority. Returns the number of
 * events without a counter.
 *
 * The rules of the PMU (pmu.h) decide which events a counter can count.
 */
size_t matching_find(const struct choice *choices, size_t count, int *assigned);

#endif
