// SPDX-License-Identifier: GPL-2.0-only
/* Print the counts of each CPU. */
#include <math.h>
#include <stdlib.h>

#include "../common/errors.h"
#include "parts.h"
#include "per_cpu.h"

#define STAMP_TEXT 24

static int read_cpu(struct session *session, const struct event_list *events,
		    struct run *run)
{
	uint64_t *times = calloc(events_set_count(events), sizeof(*times));
	int result;

	if (!times)
		return fail("no memory");
	result = session_read(session, events, run->values, times);
	run->runtime = 0;
	for (size_t i = 0; i < events_set_count(events); i++)
		run->runtime += times[i];
	free(times);
	if (!result && events->set_count)
		result = session_read_activities(session, run->sets);
	return result;
}

static int print_cpu(struct parts *parts, int cpu)
{
	char stamp[STAMP_TEXT];

	snprintf(stamp, sizeof(stamp), "CPU%d", cpu);
	parts->results.part.cpu = cpu;
	return parts_print(parts, stamp);
}

/* Returns the index of the context that is on @cpu.  There must be such a context. */
static size_t find_context(const struct group *group, int cpu)
{
	size_t index = 0;

	while (group_session(group, index)->cpu != cpu)
		index++;
	return index;
}

static int print_all(struct parts *parts, const struct results *results,
		     const struct group *group, const struct idle *idle)
{
	const struct id_list *cpus = &results->targets->cpus;
	struct run *run = parts->results.runs;
	int result = 0;

	run->elapsed = results->runs->elapsed;
	parts_begin(parts);
	for (size_t i = 0; !result && i < cpus->count; i++) {
		size_t index = find_context(group, cpus->ids[i]);

		result = read_cpu(group_session(group, index), results->events, run);
		run->idle = idle->seconds ? idle->seconds[index] : NAN;
		if (!result)
			result = print_cpu(parts, cpus->ids[i]);
	}
	return result;
}

int per_cpu_print(const struct results *results, const struct group *group,
		  const struct idle *idle, const struct stat_options *options, FILE *file)
{
	struct parts parts;
	int result = parts_prepare(&parts, results, PART_CPU, options, file);

	if (!result)
		result = print_all(&parts, results, group, idle);
	parts_free(&parts);
	return result;
}
