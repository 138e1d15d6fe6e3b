/* SPDX-License-Identifier: GPL-2.0-only */
/* The statistics of contexts: what a measurement costs, and what it misses. */
#ifndef PFMON_COSTS_H
#define PFMON_COSTS_H

#include <stdbool.h>

#include <stdint.h>
#include <perfmon/perfmon.h>

/**
 * struct costs - statistics of several contexts
 * @sum: the sums
 * @is_known: @sum contains the statistics of at least one context
 */
struct costs {
	struct pfm_statistics sum;
	bool is_known;
};

void costs_add(struct costs *costs, const struct pfm_statistics *more);

/**
 * struct cost - a figure for the user
 * @name: its name in tables and in JSON
 * @value: the figure
 */
struct cost {
	const char *name;
	uint64_t value;
};

#define COST_COUNT 9

/* Store the figures of @statistics in @list, in the order in which they are shown. */
void costs_list(const struct pfm_statistics *statistics, struct cost list[COST_COUNT]);

/* Returns the mean duration of an overflow interrupt in ns, or 0 if none was timed. */
double costs_interrupt_time(const struct pfm_statistics *statistics);

#endif
