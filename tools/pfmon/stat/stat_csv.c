// SPDX-License-Identifier: GPL-2.0-only
/* Print results as CSV, one line for each event. */
#include <inttypes.h>

#include "metrics.h"
#include "stat_csv.h"

#define NS_PER_MSEC   1e6

/* Number of decimals of a time in msec; with 6 decimals, the time is exact to the ns. */
#define MSEC_DECIMALS 6

static void csv_count(FILE *file, const struct results *results, size_t index,
		      uint64_t count)
{
	if (results->events->events[index].is_time)
		fprintf(file, "%.*f", MSEC_DECIMALS, (double)count / NS_PER_MSEC);
	else
		fprintf(file, "%" PRIu64, count);
}

/* Print the fields that exist only with event sets: count before scaling, error, set. */
static void csv_set(FILE *file, const struct results *results, size_t index,
		    const char *separator)
{
	const struct event *event = &results->events->events[index];
	bool is_counted = results_state(results, index) == EVENT_COUNTED;
	double error = results_error(results, index);

	fputs(separator, file);
	if (is_counted)
		csv_count(file, results, index, results_counted(results, index));
	fputs(separator, file);
	if (is_counted && results->is_scaled && event->set != EVERY_SET && error >= 0)
		fprintf(file, "%.2f%%", error);
	fputs(separator, file);
	if (event->set != EVERY_SET && events_have_named_sets(results->events))
		fputs(results->events->sets[event->set].name, file);
	else if (event->set != EVERY_SET)
		fprintf(file, "%zu", event->set);
}

static void csv_event(FILE *file, const struct results *results, size_t index,
		      const char *separator)
{
	const struct event *event = &results->events->events[index];
	struct figure figure = results_value(results, index);
	struct metric metric = results_metric(results, index);
	enum event_state state = results_state(results, index);
	bool is_counted = state == EVENT_COUNTED;
	double fraction = is_counted ? results_fraction(results, index) : 0;

	if (results->stamp)
		fprintf(file, "%s%s", results->stamp, separator);
	if (is_counted)
		csv_count(file, results, index, results_count(results, index));
	else
		fputs(results_state_text(state), file);
	fprintf(file, "%s%s%s%s%s", separator, event->is_time ? "msec" : "", separator,
		event->name, separator);
	if (is_counted && figure.runs > 1)
		fprintf(file, "%.2f%%", figure_spread(&figure));
	fprintf(file, "%s%.0f%s%.2f%s", separator,
		fraction * results_runtime(results).mean, separator, 100 * fraction,
		separator);
	if (metric.unit)
		fprintf(file, "%.*f%s%s", metric.decimals, metric.value, separator,
			metric.unit);
	else
		fputs(separator, file);
	if (results->events->set_count)
		csv_set(file, results, index, separator);
	fputc('\n', file);
}

/* Print the idle time of the CPUs in the same fields as an event. */
static void csv_idle(FILE *file, const struct results *results, const char *separator)
{
	double idle = results_idle(results).mean * 1e3;

	if (results->stamp)
		fprintf(file, "%s%s", results->stamp, separator);
	fprintf(file, "%.*f%smsec%sidle-time%s%s%.0f%s100.00%s%.2f%s%% of the time",
		MSEC_DECIMALS, idle, separator, separator, separator, separator,
		results_runtime(results).mean, separator, separator,
		results_idle_part(results), separator);
	for (int i = 0; results->events->set_count && i < 3; i++)
		fputs(separator, file);
	fputc('\n', file);
}

void stat_csv(FILE *file, const struct results *results, const char *separator)
{
	for (size_t i = 0; i < results->events->count; i++)
		if (!results->events->events[i].switch_after)
			csv_event(file, results, i, separator);
	if (results_idle(results).runs)
		csv_idle(file, results, separator);
}
