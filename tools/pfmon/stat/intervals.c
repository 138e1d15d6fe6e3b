// SPDX-License-Identifier: GPL-2.0-only
/* Print what was counted in each interval of a measurement. */
#include <stdlib.h>
#include <string.h>

#include "../common/errors.h"
#include "../run/wait.h"
#include "intervals.h"

#define STAMP_TEXT 40

int intervals_prepare(struct intervals *intervals, const struct results *results,
		      const struct stat_options *options, FILE *file)
{
	const struct event_list *events = results->events;

	if (parts_prepare(&intervals->parts, results, PART_INTERVAL, options, file))
		return -1;
	intervals->values = calloc(events->count + 1, sizeof(*intervals->values));
	intervals->times = calloc(events_set_count(events), sizeof(*intervals->times));
	intervals->sets = calloc(events->set_count + 1, sizeof(*intervals->sets));
	intervals->present = calloc(events->set_count + 1, sizeof(*intervals->present));
	if (!intervals->values || !intervals->times || !intervals->sets ||
	    !intervals->present)
		return fail("no memory");
	return 0;
}

void intervals_begin(struct intervals *intervals)
{
	const struct parts *parts = &intervals->parts;

	intervals->begin = intervals->last = nanoseconds_now();
	intervals->next = intervals->begin + parts->options->print_interval;
	parts_begin(parts);
	fflush(parts->file);
}

bool intervals_are_due(const struct intervals *intervals)
{
	return nanoseconds_now() >= intervals->next;
}

unsigned int intervals_left(const struct intervals *intervals)
{
	uint64_t now = nanoseconds_now();

	if (now >= intervals->next)
		return 1;
	return (unsigned int)((intervals->next - now + 999999) / 1000000);
}

/* Store the increases of all counts as the results of the present interval. */
static void subtract(struct intervals *intervals, const struct increments *increments)
{
	const struct event_list *events = intervals->parts.results.events;
	struct run *run = intervals->parts.results.runs;

	for (size_t i = 0; i < events->count; i++)
		run->values[i] = increments->last_values[i] - intervals->values[i];
	run->runtime = 0;
	for (size_t i = 0; i < events_set_count(events); i++)
		run->runtime += increments->last_times[i] - intervals->times[i];
	for (size_t i = 0; i < events->set_count; i++) {
		run->sets[i].runs = intervals->present[i].runs - intervals->sets[i].runs;
		run->sets[i].duration =
			intervals->present[i].duration - intervals->sets[i].duration;
	}
	memcpy(intervals->values, increments->last_values,
	       events->count * sizeof(*intervals->values));
	memcpy(intervals->times, increments->last_times,
	       events_set_count(events) * sizeof(*intervals->times));
	memcpy(intervals->sets, intervals->present,
	       events->set_count * sizeof(*intervals->sets));
}

int intervals_print(struct intervals *intervals, const struct increments *increments,
		    struct group *group)
{
	struct results *results = &intervals->parts.results;
	uint64_t now = nanoseconds_now();
	char stamp[STAMP_TEXT];
	int result;

	if (results->events->set_count &&
	    group_read_activities(group, intervals->present))
		return -1;
	subtract(intervals, increments);
	results->runs->elapsed = (double)(now - intervals->last) / 1e9;
	results->part.time = (double)(now - intervals->begin) / 1e9;
	intervals->last = now;
	/*
	 * The planned ends of intervals are print_interval ns apart. The next interval ends at the
	 * first planned end after @now.
	 */
	while (intervals->next <= now)
		intervals->next += intervals->parts.options->print_interval;
	snprintf(stamp, sizeof(stamp), "%.9f", results->part.time);
	result = parts_print(&intervals->parts, stamp);
	fflush(intervals->parts.file);
	return result;
}

void intervals_free(struct intervals *intervals)
{
	parts_free(&intervals->parts);
	free(intervals->values);
	free(intervals->times);
	free(intervals->sets);
	free(intervals->present);
}
