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

const char *format_state(const struct event *event)
{
	return event->state == EVENT_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}

static void table_title(FILE *file, const struct results *results)
{
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

static void table_event(FILE *file, const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];
	struct figure figure = results_value(results, index);
	struct metric metric = results_metric(results, index);
	bool has_spread = results->run_count > 1 && figure.error > 0;
	char value[COUNT_SIZE];

	if (event->state != EVENT_COUNTED) {
		fprintf(file, "%18s      %s\n", format_state(event), event->name);
		return;
	}
	if (event->is_time)
		snprintf(value, sizeof(value), "%.2f", figure.mean / NS_PER_MSEC);
	else
		format_count(results_count(results, index), value);
	fprintf(file, "%18s %-4s %-*s", value, event->is_time ? "msec" : "",
		metric.unit || has_spread ? 24 : 0, event->name);
	table_metric(file, &metric, !has_spread);
	if (has_spread)
		fprintf(file, " ( +-%6.2f%% )", figure_spread(&figure));
	fputc('\n', file);
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
	for (size_t i = 0; i < results->events->count; i++)
		table_event(file, results, i);
	table_times(file, results);
}

static void csv_value(FILE *file, const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];

	if (event->state != EVENT_COUNTED)
		fputs(format_state(event), file);
	else if (event->is_time)
		fprintf(file, "%.*f", MSEC_DECIMALS,
			results_value(results, index).mean / NS_PER_MSEC);
	else
		fprintf(file, "%" PRIu64, results_count(results, index));
}

static void csv_event(FILE *file, const struct results *results, size_t index,
		      const char *separator)
{
	const struct event *event = &results->events->events[index];
	struct figure figure = results_value(results, index);
	struct metric metric = results_metric(results, index);
	int is_counted = event->state == EVENT_COUNTED;

	csv_value(file, results, index);
	fprintf(file, "%s%s%s%s%s", separator, event->is_time ? "msec" : "", separator,
		event->name, separator);
	if (is_counted && results->run_count > 1)
		fprintf(file, "%.2f%%", figure_spread(&figure));
	fprintf(file, "%s%.0f%s%s%s", separator,
		is_counted ? results_runtime(results).mean : 0, separator,
		is_counted ? "100.00" : "0.00", separator);
	if (metric.unit)
		fprintf(file, "%.*f%s%s", metric.decimals, metric.value, separator,
			metric.unit);
	else
		fputs(separator, file);
	fputc('\n', file);
}

void format_csv(FILE *file, const struct results *results, const char *separator)
{
	for (size_t i = 0; i < results->events->count; i++)
		csv_event(file, results, i, separator);
}
