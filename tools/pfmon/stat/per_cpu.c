// SPDX-License-Identifier: GPL-2.0-only
/* Print the counts of each CPU: in the form of an interval, with the CPU in place of the time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/errors.h"
#include "per_cpu.h"
#include "stat_print.h"
#include "stat_table.h"

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

static int print_cpu(struct results *results, int cpu, const struct stat_options *options,
		     FILE *file)
{
	char stamp[STAMP_TEXT];
	int result;

	snprintf(stamp, sizeof(stamp), "CPU%d", cpu);
	results->stamp = stamp;
	results->cpu = cpu;
	result = stat_print(results, options, file);
	results->stamp = NULL;
	return result;
}

/* The index of the context of @cpu, which has one. */
static size_t find_context(const struct group *group, int cpu)
{
	size_t index = 0;

	while (group_session(group, index)->cpu != cpu)
		index++;
	return index;
}

static int print_all(struct results *one, const struct results *results,
		     const struct group *group, const struct idle *idle,
		     const struct stat_options *options, FILE *file)
{
	struct run *run = results_add_run(one);
	int result = 0;

	if (!run)
		return fail("no memory");
	run->elapsed = results->runs->elapsed;
	/* The errors of scaled counts are estimated for the sums only. */
	for (size_t i = 0; i < results->events->count; i++)
		run->errors[i] = -1;
	if (!options->is_json && !options->separator)
		stat_table_begin(file, one);
	for (size_t i = 0; !result && i < results->targets->cpus.count; i++) {
		int cpu = results->targets->cpus.ids[i];
		size_t index = find_context(group, cpu);

		result = read_cpu(group_session(group, index), results->events, run);
		run->idle = idle->seconds ? idle->seconds[index] : NAN;
		if (!result)
			result = print_cpu(one, cpu, options, file);
	}
	return result;
}

int per_cpu_print(const struct results *results, const struct group *group,
		  const struct idle *idle, const struct stat_options *options, FILE *file)
{
	struct results one = {
		.machine = results->machine,
		.events = results->events,
		.is_scaled = results->is_scaled,
		.is_interval = true,
		.is_cpu = true,
	};
	int result = print_all(&one, results, group, idle, options, file);

	results_free(&one);
	return result;
}
