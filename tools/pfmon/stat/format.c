// SPDX-License-Identifier: GPL-2.0-only
/* Numbers, the table that people know from perf stat, and CSV. */
#include <inttypes.h>

#include "format.h"

#define NS_PER_MSEC   1e6

/* Decimals that make a ns of a figure in msec. */
#define MSEC_DECIMALS 6

const char *format_count(uint64_t value, char buffer[COUNT_SIZE])
{
	char digits[COUNT_SIZE];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *next = buffer;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*next++ = ',';
		*next++ = digits[i];
	}
	*next = '\0';
	return buffer;
}

const char *format_state(enum event_state state)
{
	return state == EVENT_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}

const char *format_time(uint64_t time, char buffer[TIME_SIZE])
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (time < units[i].ns)
			continue;
		snprintf(buffer, TIME_SIZE, "%.10g %s",
			 (double)time / (double)units[i].ns, units[i].name);
		return buffer;
	}
	snprintf(buffer, TIME_SIZE, "%" PRIu64 " ns", time);
	return buffer;
}

static void table_title(FILE *file, const struct results *results)
{
	char time[TIME_SIZE];

	fputs("\n Performance counter stats for ", file);
	if (results->tid) {
		fprintf(file, "thread id '%d'", results->tid);
	} else {
		fputc('\'', file);
		for (size_t i = 0; results->command[i]; i++)
			fprintf(file, "%s%s", i ? " " : "", results->command[i]);
		fputc('\'', file);
	}
	if (results->run_count > 1)
		fprintf(file, " (%u runs)", results->run_count);
	if (results->events->set_count && !events_have_named_sets(results->events))
		fprintf(file, ", %zu event sets in turns of %s",
			results->events->set_count,
			format_time(results->events->sets[0].timeout, time));
	fputs(":\n\n", file);
}

/* The comment, in columns if more follows on the line. */
static void table_metric(FILE *file, const struct metric *metric, bool is_last)
{
	const char *gap = " ";
	char text[64] = "";

	if (metric->unit) {
		/* The points of all comments are in one column. */
		if (metric->unit[0] == '%')
			gap = "";
		else if (metric->decimals == 2)
			gap = "  ";
		snprintf(text, sizeof(text), "# %*.*f%s%s", 5 + metric->decimals,
			 metric->decimals, metric->value, gap, metric->unit);
	}
	if (!is_last)
		fprintf(file, " %-28s", text);
	else if (metric->unit)
		fprintf(file, " %s", text);
}

static void table_value(FILE *file, const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];
	char value[COUNT_SIZE];

	if (event->is_time)
		snprintf(value, sizeof(value), "%.2f",
			 results_value(results, index).mean / NS_PER_MSEC);
	else
		format_count(results_count(results, index), value);
	fprintf(file, "%18s %-4s ", value, event->is_time ? "msec" : "");
}

static void table_event(FILE *file, const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];
	struct figure figure = results_value(results, index);
	struct metric metric = results_metric(results, index);
	bool has_spread = results->run_count > 1 && figure.error > 0;
	enum event_state state = results_state(results, index);

	if (state != EVENT_COUNTED) {
		fprintf(file, "%18s      %s\n", format_state(state), event->name);
		return;
	}
	table_value(file, results, index);
	fprintf(file, "%-*s", metric.unit || has_spread ? 24 : 0, event->name);
	table_metric(file, &metric, !has_spread);
	if (has_spread)
		fprintf(file, " ( +-%6.2f%% )", figure_spread(&figure));
	fputc('\n', file);
}

static void scaled_heading(FILE *file)
{
	fprintf(file, "%18s      %-24s %-28s %10s %8s %18s\n\n", "scaled", "event", "",
		"error", "of time", "counted");
}

/* As it was counted, in what part of the time, and what that makes of all of it. */
static void scaled_event(FILE *file, const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];
	struct metric metric = results_metric(results, index);
	enum event_state state = results_state(results, index);
	double error = results_error(results, index);
	char text[COUNT_SIZE] = "";

	if (state != EVENT_COUNTED) {
		fprintf(file, "%18s      %s\n", format_state(state), event->name);
		return;
	}
	table_value(file, results, index);
	fprintf(file, "%-24s", event->name);
	table_metric(file, &metric, false);
	if (event->set != EVERY_SET && error >= 0)
		snprintf(text, sizeof(text), "+-%6.2f%%", error);
	fprintf(file, " %10s %7.2f%%", text, 100 * results_fraction(results, index));
	if (event->is_time)
		snprintf(text, sizeof(text), "%.2f",
			 (double)results_counted(results, index) / NS_PER_MSEC);
	else
		format_count(results_counted(results, index), text);
	fprintf(file, " %18s\n", text);
}

static void events_of_set(FILE *file, const struct results *results, size_t set)
{
	for (size_t i = 0; i < results->events->count; i++) {
		const struct event *event = &results->events->events[i];

		if (event->switch_after || event->set != set)
			continue;
		if (results->is_scaled)
			scaled_event(file, results, i);
		else
			table_event(file, results, i);
	}
}

/* The sets of a file, each with what came of it. */
static void table_named_sets(FILE *file, const struct results *results)
{
	for (size_t i = 0; i < results->events->set_count; i++) {
		double runs = results_set_runs(results, i).mean;

		fprintf(file,
			"%s set '%s', active %.6g time%s, %.2f msec, %.2f%% of all:\n",
			i ? "\n" : "", results->events->sets[i].name, runs,
			runs == 1 ? "" : "s",
			results_set_duration(results, i).mean / NS_PER_MSEC,
			100 * results_set_fraction(results, i));
		events_of_set(file, results, i);
	}
}

static void table_events(FILE *file, const struct results *results)
{
	for (size_t i = 0; i < results->events->count; i++) {
		if (results->is_scaled)
			scaled_event(file, results, i);
		else
			table_event(file, results, i);
	}
}

static void table_times(FILE *file, const struct results *results)
{
	struct figure elapsed = results_elapsed(results);

	fprintf(file, "\n %17.9f ", elapsed.mean);
	if (results->run_count > 1)
		fprintf(file, "+- %.9f seconds time elapsed  ( +-%6.2f%% )\n\n",
			elapsed.error, figure_spread(&elapsed));
	else
		fputs("seconds time elapsed\n\n", file);
	if (results->has_usage)
		fprintf(file, " %17.9f seconds user\n %17.9f seconds sys\n\n",
			results_user(results).mean, results_system(results).mean);
}

void format_table(FILE *file, const struct results *results)
{
	table_title(file, results);
	if (results->is_scaled)
		scaled_heading(file);
	if (events_have_named_sets(results->events))
		table_named_sets(file, results);
	else
		table_events(file, results);
	table_times(file, results);
}

static void csv_count(FILE *file, const struct results *results, size_t index,
		      uint64_t count)
{
	if (results->events->events[index].is_time)
		fprintf(file, "%.*f", MSEC_DECIMALS, (double)count / NS_PER_MSEC);
	else
		fprintf(file, "%" PRIu64, count);
}

/* With event sets only: what an event has been scaled from, and how well. */
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

	if (is_counted)
		csv_count(file, results, index, results_count(results, index));
	else
		fputs(format_state(state), file);
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

void format_csv(FILE *file, const struct results *results, const char *separator)
{
	for (size_t i = 0; i < results->events->count; i++)
		if (!results->events->events[i].switch_after)
			csv_event(file, results, i, separator);
}
