// SPDX-License-Identifier: GPL-2.0-only
/* Show an interval as tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/text.h"
#include "../report/report_table.h"
#include "view.h"

/* Entries with less than this percentage of the events are added up in one line. */
#define LIMIT	   0.5

/* On a terminal, at most 1 / CPU_PART of the rows show CPUs. */
#define CPU_PART   3

/*
 * Number of rows that show neither CPUs nor entries: the first line, two headings, two blank lines,
 * the sum of the entries that do not fit, and the row of the cursor.
 */
#define OTHER_ROWS 7

static void print_missing(FILE *file, const struct recording *recording,
			  uint64_t names_lost)
{
	uint64_t throttled = recording_throttled(recording);
	char text[COUNT_TEXT];

	fprintf(file, ", %s lost", count_text(recording_lost(recording), text));
	if (throttled)
		fprintf(file, ", throttled %s time%s", count_text(throttled, text),
			plural(throttled, "", "s"));
	if (names_lost)
		fprintf(file, ", %s program %s lost", count_text(names_lost, text),
			plural(names_lost, "name", "names"));
	putc('\n', file);
}

static void print_heading(FILE *file, const struct interval *interval,
			  const struct recorded_event *recorded, uint64_t names_lost)
{
	const struct data_event *event = recorded->event;
	char text[COUNT_TEXT];

	fprintf(file, " %.2f s: %s, ", interval->seconds, recorded->name);
	if (event->frequency)
		fprintf(file, "%s times a second", count_text(event->frequency, text));
	else
		fprintf(file, "one in %s", count_text(event->period, text));
	fprintf(file, ": %s %s", count_text(interval->profile.samples, text),
		plural(interval->profile.samples, "sample", "samples"));
	print_missing(file, &interval->recording, names_lost);
}

/* The CPU with the most events comes first, and CPUs that are offline come last. */
static int by_events(const void *one, const void *other)
{
	const struct cpu_row *a = one, *b = other;

	if (a->is_offline != b->is_offline)
		return a->is_offline - b->is_offline;
	if (a->events != b->events)
		return a->events > b->events ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static void print_cpu(FILE *file, const struct cpu_row *row, double seconds)
{
	uint64_t rate = seconds > 0 ? (uint64_t)((double)row->events / seconds + 0.5) : 0;
	char text[COUNT_TEXT];

	fprintf(file, "%8u", row->cpu);
	if (row->is_offline)
		fprintf(file, "%8s", "offline");
	else if (isnan(row->busy))
		fprintf(file, "%8s", "-");
	else
		fprintf(file, "%7.1f%%", 100 * row->busy);
	fprintf(file, "%20s", count_text(rate, text));
	fprintf(file, "%14s", count_text(row->samples, text));
	fprintf(file, "%11s\n", count_text(row->lost, text));
}

/*
 * Print a table of at most @most CPUs. Returns the number of its lines below the heading, or 0 if
 * there is no memory.
 */
static size_t print_cpus(FILE *file, const struct interval *interval, size_t most)
{
	size_t count = interval->cpu_count;
	struct cpu_row *rows = calloc(count, sizeof(*rows));

	if (!rows)
		return 0;
	memcpy(rows, interval->cpus, count * sizeof(*rows));
	if (count > most)
		qsort(rows, count, sizeof(*rows), by_events);
	fprintf(file, "\n%8s%8s%20s%14s%11s\n", "CPU", "Busy", "Events/s", "Samples",
		"Lost");
	for (size_t i = 0; i < count && i < most; i++)
		print_cpu(file, &rows[i], interval->seconds);
	free(rows);
	if (count <= most)
		return count;
	fprintf(file, "%8s  %zu more CPU%s\n", "", count - most,
		plural(count - most, "", "s"));
	return most + 1;
}

int view_print(FILE *file, const struct interval *interval, uint64_t names_lost,
	       const struct view_style *style)
{
	const struct recorded_event *recorded = interval->recording.events;
	const struct node *event = profile_event(&interval->profile, recorded);
	struct table_style table = {
		.columns = style->columns,
		.is_utf8 = style->is_utf8,
		.has_bars = style->has_bars,
		.limit = LIMIT,
	};
	size_t lines;

	print_heading(file, interval, recorded, names_lost);
	lines = print_cpus(file, interval,
			   style->rows ? style->rows / CPU_PART : SIZE_MAX);
	if (!lines)
		return -1;
	lines += OTHER_ROWS;
	if (style->rows)
		table.rows = style->rows > lines ? style->rows - lines : 1;
	return event ? report_entries(file, &interval->profile, &table, event) : 0;
}
