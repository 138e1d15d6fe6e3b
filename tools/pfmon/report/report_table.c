// SPDX-License-Identifier: GPL-2.0-only
/* Print a profile as a table: the entries of each event, with the callers of an entry below it. */
#include <stdlib.h>
#include <string.h>

#include "../common/text.h"
#include "report_heading.h"
#include "report_table.h"

/* Widths of the first columns, which show the percentage, the samples and the processes. */
#define PERCENT_WIDTH	8
#define SAMPLES_WIDTH	14
#define PROCESSES_WIDTH 11

/* The longest bar is a fifth as wide as the terminal. */
#define BAR_PART	5

/* In UTF-8 the last character of a bar can be a partial block, from one to seven eighths wide. */
#define EIGHTHS		8

enum column {
	COLUMN_SYMBOL,
	COLUMN_OBJECT,
	COLUMN_THREAD,
	COLUMN_PROGRAM,
	COLUMN_CPU,
	COLUMNS,
};

static const char *const titles[COLUMNS] = {
	[COLUMN_SYMBOL] = "Symbol", [COLUMN_OBJECT] = "Object",
	[COLUMN_THREAD] = "Thread", [COLUMN_PROGRAM] = "Program",
	[COLUMN_CPU] = "CPU",
};

/**
 * struct table - the table of one event
 * @file: output file of the table
 * @profile: its contents
 * @style: its layout
 * @event: node of the event
 * @columns: the columns after the bar, such as symbol, object and CPU
 * @widths: widths of @columns
 * @column_count: number of @columns and of @widths
 * @bar_width: length of the longest bar in characters
 */
struct table {
	FILE *file;
	const struct profile *profile;
	const struct table_style *style;
	const struct node *event;
	enum column columns[COLUMNS];
	size_t widths[COLUMNS];
	unsigned int column_count;
	unsigned int bar_width;
};

static const char *column_text(enum column column, const struct key *key,
			       char text[LABEL_SIZE])
{
	switch (column) {
	case COLUMN_SYMBOL:
		return label_symbol(key, text);
	case COLUMN_OBJECT:
		return label_object(key);
	case COLUMN_PROGRAM:
		return label_program(key);
	case COLUMN_CPU:
		return label_cpu(key, text);
	default:
		return label_thread(key, text);
	}
}

static void add_column(struct table *table, enum column column)
{
	for (unsigned int i = 0; i < table->column_count; i++)
		if (table->columns[i] == column)
			return;
	table->widths[table->column_count] = strlen(titles[column]);
	table->columns[table->column_count++] = column;
}

/*
 * Choose a column for each key that the user sorts by. If one of these keys is the symbol,
 * there is also a column for the objects, even if the user does not sort by object.
 */
static void choose_columns(struct table *table)
{
	static const enum column columns[] = {
		[SORT_SYMBOL] = COLUMN_SYMBOL, [SORT_OBJECT] = COLUMN_OBJECT,
		[SORT_THREAD] = COLUMN_THREAD, [SORT_PROGRAM] = COLUMN_PROGRAM,
		[SORT_CPU] = COLUMN_CPU,
	};
	const struct profile_options *options = table->profile->options;
	bool has_symbol = false;

	for (unsigned int i = 0; i < options->sort_count; i++) {
		add_column(table, columns[options->sort[i]]);
		has_symbol |= options->sort[i] == SORT_SYMBOL;
	}
	if (has_symbol)
		add_column(table, COLUMN_OBJECT);
}

static void measure_columns(struct table *table, const struct key *key)
{
	char text[LABEL_SIZE];

	for (unsigned int i = 0; i < table->column_count; i++) {
		size_t width = strlen(column_text(table->columns[i], key, text));
		size_t most = table->style->columns / 2;

		if (width > table->widths[i])
			table->widths[i] = width < most ? width : most;
	}
}

static void print_bar(const struct table *table, double part)
{
	/* a blank, and U+258F to U+2589: one to seven eighths of a block */
	static const char *const blocks[] = { " ",	"\u258f", "\u258e", "\u258d",
					      "\u258c", "\u258b", "\u258a", "\u2589" };
	unsigned int eighths = (unsigned int)(part * table->bar_width * EIGHTHS + 0.5);
	unsigned int rest = eighths % EIGHTHS;

	for (unsigned int i = 0; i < table->bar_width; i++) {
		if (!table->style->is_utf8)
			putc(i * EIGHTHS + EIGHTHS / 2 <= eighths ? '#' : ' ',
			     table->file);
		else if (i < eighths / EIGHTHS)
			fputs("\u2588", table->file);
		else
			fputs(blocks[i == eighths / EIGHTHS ? rest : 0], table->file);
	}
}

static void print_names(const struct table *table, const struct key *key)
{
	char text[LABEL_SIZE];

	for (unsigned int i = 0; i < table->column_count; i++) {
		bool is_last = i == table->column_count - 1;

		fprintf(table->file, "  %-*s", is_last ? 0 : (int)table->widths[i],
			column_text(table->columns[i], key, text));
	}
	putc('\n', table->file);
}

/* Print the columns before the bar. */
static void print_counts(const struct table *table, double part, uint64_t samples,
			 size_t processes)
{
	char text[COUNT_TEXT];

	fprintf(table->file, "%*.2f%%%*s", PERCENT_WIDTH - 1, part, SAMPLES_WIDTH,
		count_text(samples, text));
	if (table->profile->options->counts_processes)
		fprintf(table->file, "%*s", PROCESSES_WIDTH,
			processes ? count_text(processes, text) : "");
	if (table->bar_width)
		fputs("  ", table->file);
}

static void print_titles(const struct table *table)
{
	fprintf(table->file, "\n%*s%*s", PERCENT_WIDTH, "Percent", SAMPLES_WIDTH,
		"Samples");
	if (table->profile->options->counts_processes)
		fprintf(table->file, "%*s", PROCESSES_WIDTH, "Processes");
	if (table->bar_width)
		fprintf(table->file, "  %*s", (int)table->bar_width, "");
	for (unsigned int i = 0; i < table->column_count; i++) {
		bool is_last = i == table->column_count - 1;

		fprintf(table->file, "  %-*s", is_last ? 0 : (int)table->widths[i],
			titles[table->columns[i]]);
	}
	putc('\n', table->file);
}

static double percent(const struct table *table, const struct node *node)
{
	return profile_percent(table->event, node);
}

static size_t above_limit(const struct table *table, const struct node *const *nodes,
			  size_t count)
{
	size_t shown = 0;

	while (shown < count && percent(table, nodes[shown]) >= table->style->limit)
		shown++;
	return shown;
}

/*
 * Print the callers of @node, each followed by its own callers. If @node has several callers, each
 * of them is marked with a +, and its own callers are indented by the width of this mark.
 */
static int print_callers(const struct table *table, const struct node *node,
			 unsigned int indent)
{
	const struct tree *tree = &table->profile->tree;
	const struct node **callers =
		tree_children(tree, tree_number(tree, node), profile_order);
	char text[LABEL_SIZE];
	int result = 0;
	size_t shown;

	if (!callers)
		return -1;
	shown = above_limit(table, callers, node->child_count);
	for (size_t i = 0; !result && i < shown; i++) {
		fprintf(table->file, "%*s%s%.2f%% %s\n", (int)indent, "",
			node->child_count > 1 ? "+ " : "", percent(table, callers[i]),
			label_symbol(&callers[i]->key, text));
		result = print_callers(table, callers[i],
				       indent + (node->child_count > 1 ? 2 : 0));
	}
	free(callers);
	return result;
}

/* Print a line with the sum of the @count entries that are not shown. */
static void print_rest(const struct table *table, const struct node *const *nodes,
		       size_t count)
{
	uint64_t samples = 0;
	double rest = 0;

	for (size_t i = 0; i < count; i++) {
		rest += percent(table, nodes[i]);
		samples += nodes[i]->samples;
	}
	if (!count)
		return;
	print_counts(table, rest, samples, 0);
	fprintf(table->file, "%*s  %zu more", (int)table->bar_width, "", count);
	if (percent(table, nodes[0]) < table->style->limit)
		fprintf(table->file, " below %g%%", table->style->limit);
	putc('\n', table->file);
}

static int print_entries(struct table *table, const struct node *const *entries,
			 size_t count)
{
	size_t shown = above_limit(table, entries, count);
	unsigned int indent = PERCENT_WIDTH + SAMPLES_WIDTH + 2 + table->bar_width + 4;
	double most = count ? percent(table, entries[0]) : 0;

	if (table->style->rows && shown > table->style->rows)
		shown = table->style->rows;
	for (size_t i = 0; i < shown; i++)
		measure_columns(table, &entries[i]->key);
	print_titles(table);
	for (size_t i = 0; i < shown; i++) {
		double part = percent(table, entries[i]);

		print_counts(table, part, entries[i]->samples, entries[i]->child_count);
		print_bar(table, most > 0 ? part / most : 0);
		print_names(table, &entries[i]->key);
		if (table->profile->options->has_callers &&
		    print_callers(table, entries[i], indent))
			return -1;
	}
	print_rest(table, entries + shown, count - shown);
	return 0;
}

int report_entries(FILE *file, const struct profile *profile,
		   const struct table_style *style, const struct node *event)
{
	struct table table = {
		.file = file,
		.profile = profile,
		.style = style,
		.event = event,
		.bar_width = style->has_bars ? style->columns / BAR_PART : 0,
	};
	const struct node **entries;
	int result;

	entries = tree_children(&profile->tree, tree_number(&profile->tree, event),
				profile_order);
	if (!entries)
		return -1;
	choose_columns(&table);
	result = print_entries(&table, entries, event->child_count);
	free(entries);
	return result;
}

/* Print the event's name and period, and the numbers of samples and events. */
static void print_event(FILE *file, const struct recorded_event *recorded,
			const struct node *node)
{
	const struct data_event *event = recorded->event;
	char text[COUNT_TEXT];

	fprintf(file, "\n %s", recorded->name);
	if (event->frequency)
		fprintf(file, ", %s times a second", count_text(event->frequency, text));
	else
		fprintf(file, ", one in %s%s", event->random_mask ? "about " : "",
			count_text(event->period, text));
	if (!node) {
		fputs(": no samples\n", file);
		return;
	}
	fprintf(file, ": %s %s", count_text(node->samples, text),
		plural(node->samples, "sample", "samples"));
	fprintf(file, ", about %s events\n", count_text(node->period, text));
}

static int print_table(FILE *file, const struct profile *profile,
		       const struct table_style *style,
		       const struct recorded_event *recorded)
{
	const struct node *event = profile_event(profile, recorded);

	print_event(file, recorded, event);
	return event ? report_entries(file, profile, style, event) : 0;
}

int report_table(FILE *file, const struct profile *profile,
		 const struct table_style *style)
{
	const struct recording *recording = profile->recording;

	if (report_heading(file, profile))
		return -1;
	for (size_t i = 0; i < recording->event_count; i++)
		if (profile_wants(profile, &recording->events[i]) &&
		    print_table(file, profile, style, &recording->events[i]))
			return -1;
	return 0;
}
