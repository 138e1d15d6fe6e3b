// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the counts of the parts of a measurement. In tables and in CSV, each line with a count
 * begins with a stamp: a text that names the part, such as "CPU3".
 */
#include "../common/errors.h"
#include "parts.h"
#include "stat_print.h"
#include "stat_table.h"

int parts_prepare(struct parts *parts, const struct results *whole, enum part_kind kind,
		  const struct stat_options *options, FILE *file)
{
	const struct event_list *events = whole->events;
	struct run *run;

	*parts = (struct parts){
		.results = {
			.machine = whole->machine,
			.events = events,
			.part.kind = kind,
			.is_scaled = whole->is_scaled,
		},
		.options = options,
		.file = file,
	};
	run = results_add_run(&parts->results);
	if (!run)
		return fail("no memory");
	/* The errors of scaled counts are estimated for the whole measurement only. */
	for (size_t i = 0; i < events->count; i++)
		run->errors[i] = -1;
	return 0;
}

void parts_begin(const struct parts *parts)
{
	if (!parts->options->is_json && !parts->options->separator)
		stat_table_begin(parts->file, &parts->results);
}

int parts_print(struct parts *parts, const char *stamp)
{
	int result;

	parts->results.stamp = stamp;
	result = stat_print(&parts->results, parts->options, parts->file);
	parts->results.stamp = NULL;
	return result;
}

void parts_free(struct parts *parts)
{
	results_free(&parts->results);
}
