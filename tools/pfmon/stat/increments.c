// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follow how the counts of event sets grow. If possible, one call reads the counts and the CPU
 * times of all sets. With two calls, an active set would continue to count between the calls, so
 * its counts and its CPU time would be from different moments.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/errors.h"
#include "increments.h"

/*
 * Limits of the interval between two readings, in ms. Reading the counters interrupts the thread's
 * CPU for some microseconds. Within these limits, the readings take less than 0.1 % of the time,
 * and there are at least 10 readings per second. With many contexts there may be
 * fewer, because stat.c multiplies the interval by a factor.
 */
#define INTERVAL_LEAST 20
#define INTERVAL_MOST  100

int increments_prepare(struct increments *increments, const struct event_list *events)
{
	size_t sets = events_set_count(events);

	increments->events = events;
	increments->ratios = calloc(events->count + 1, sizeof(*increments->ratios));
	increments->values = calloc(events->count + 1, sizeof(uint64_t));
	increments->last_values = calloc(events->count + 1, sizeof(uint64_t));
	increments->times = calloc(sets, sizeof(uint64_t));
	increments->last_times = calloc(sets, sizeof(uint64_t));
	if (!increments->ratios || !increments->values || !increments->last_values ||
	    !increments->times || !increments->last_times)
		return fail("no memory");
	return 0;
}

void increments_begin(struct increments *increments)
{
	const struct event_list *events = increments->events;

	memset(increments->ratios, 0, events->count * sizeof(*increments->ratios));
	memset(increments->last_values, 0, events->count * sizeof(uint64_t));
	memset(increments->last_times, 0, events_set_count(events) * sizeof(uint64_t));
}

int increments_take(struct increments *increments, struct group *group)
{
	const struct event_list *events = increments->events;
	uint64_t *values = increments->values, *times = increments->times;

	if (group_read(group, events, values, times))
		return -1;
	for (size_t i = 0; i < events->count; i++) {
		size_t set = events->events[i].set;

		if (set != EVERY_SET)
			ratio_add(&increments->ratios[i],
				  values[i] - increments->last_values[i],
				  times[set] - increments->last_times[set]);
	}
	memcpy(increments->last_values, values, events->count * sizeof(uint64_t));
	memcpy(increments->last_times, times,
	       events_set_count(events) * sizeof(uint64_t));
	return 0;
}

unsigned int increments_interval(const struct event_list *events)
{
	uint64_t round = 0;

	if (!events->set_count)
		return 0;
	for (size_t i = 0; i < events->set_count; i++)
		round += events->sets[i].timeout / 1000000;
	if (round > INTERVAL_MOST)
		return INTERVAL_MOST;
	return round < INTERVAL_LEAST ? INTERVAL_LEAST : (unsigned int)round;
}

uint64_t increments_runtime(const struct increments *increments)
{
	uint64_t runtime = 0;

	for (size_t i = 0; i < events_set_count(increments->events); i++)
		runtime += increments->last_times[i];
	return runtime;
}

double increments_error(const struct increments *increments, size_t event)
{
	double error;

	if (increments->events->events[event].set == EVERY_SET ||
	    !ratio_error(&increments->ratios[event], increments_runtime(increments),
			 &error))
		return -1;
	return error;
}

void increments_free(struct increments *increments)
{
	free(increments->ratios);
	free(increments->values);
	free(increments->times);
	free(increments->last_values);
	free(increments->last_times);
}
