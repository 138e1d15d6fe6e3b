// SPDX-License-Identifier: GPL-2.0-only
/* Print results as a table like that of perf stat. */
#include <inttypes.h>

#include "../common/text.h"
#include "metrics.h"
#include "stat_table.h"

#define NS_PER_MSEC 1e6
#define MOST_IDS    16

/* Print the numbers of @list, but at most the first MOST_IDS. */
static void table_ids(FILE *file, const char *what, const struct id_list *list)
{
	fprintf(file, "%s '", what);
	for (size_t i = 0; i < list->count && i < MOST_IDS; i++)
		fprintf(file, "%s%d", i ? "," : "", list->ids[i]);
	fputs(list->count > MOST_IDS ? ",...'" : "'", file);
}

/*
 * Print the counted CPUs, processes and threads.  If CPUs share the registers, the list of CPUs
 * contains only the owners: the CPUs on which the kernel accesses these registers.
 */
static void table_targets(FILE *file, const struct results *results)
{
	const struct targets *targets = results->targets;
	const char *scope = results->machine->scope;

	if (*scope)
		fprintf(file, "%s of ", scope);
	if (targets->is_whole_machine && !*scope)
		fprintf(file, "all CPUs (%zu)", targets->cpus.count);
	else if (targets->cpus.count)
		table_ids(file, "CPU", &targets->cpus);
	if (targets->processes.count)
		table_ids(file, "process id", &targets->processes);
	if (targets->processes.count && targets->threads.count)
		fputs(" and ", file);
	if (targets->threads.count)
		table_ids(file, "thread id", &targets->threads);
}

static void table_title(FILE *file, const struct results *results)
{
	char time[TIME_TEXT];

	fputs("\n Performance counter stats for ", file);
	if (results->targets) {
		table_targets(file, results);
	} else {
		fputc('\'', file);
		for (size_t i = 0; results->command[i]; i++)
			fprintf(file, "%s%s", i ? " " : "", results->command[i]);
		fputc('\'', file);
	}
	if (results->run_count > 1)
		fprintf(file, " (%zu runs)", results->run_count);
	if (results->events->set_count && !events_have_named_sets(results->events))
		fprintf(file, ", %zu event sets in turns of %s",
			results->events->set_count,
			time_text(results->events->sets[0].timeout, time));
	fputs(":\n\n", file);
}

/* Print @metric as a comment that begins with "#", padded if other columns follow. */
static void table_metric(FILE *file, const struct metric *metric, bool is_last)
{
	const char *gap = " ";
	char text[64] = "";

	if (metric->unit) {
		/* The field width aligns the decimal points, and @gap aligns the units. */
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

/* The stamp of a thread is NAME-TID: up to 15 characters, "-" and up to 7 digits. */
static int stamp_width(const struct results *results)
{
	return results->part.kind == PART_THREAD ? 23 : 17;
}

static void table_stamp(FILE *file, const struct results *results)
{
	if (results->stamp)
		fprintf(file, "%*s ", stamp_width(results), results->stamp);
}

static void table_value(FILE *file, const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];
	char value[COUNT_TEXT];

	if (event->is_time)
		snprintf(value, sizeof(value), "%.2f",
			 results_value(results, index).mean / NS_PER_MSEC);
	else
		count_text(results_count(results, index), value);
	fprintf(file, "%18s %-4s ", value, event->is_time ? "msec" : "");
}

static void table_event(FILE *file, const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];
	struct figure figure = results_value(results, index);
	struct metric metric = results_metric(results, index);
	bool has_spread = results->run_count > 1 && figure.error > 0;
	enum event_state state = results_state(results, index);

	table_stamp(file, results);
	if (state != EVENT_COUNTED) {
		fprintf(file, "%18s      %s\n", results_state_text(state), event->name);
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

/*
 * Print the line of an event in a table of scaled counts. After the metric, the line has the error,
 * the fraction of the time during which the event was counted, and the count before scaling.
 */
static void scaled_event(FILE *file, const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];
	struct metric metric = results_metric(results, index);
	enum event_state state = results_state(results, index);
	double error = results_error(results, index);
	char text[COUNT_TEXT] = "";

	table_stamp(file, results);
	if (state != EVENT_COUNTED) {
		fprintf(file, "%18s      %s\n", results_state_text(state), event->name);
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
		count_text(results_counted(results, index), text);
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

/* Print the sets of the --sets file, each with its counts. */
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

static void table_idle(FILE *file, const struct results *results)
{
	if (!results_idle(results).runs)
		return;
	table_stamp(file, results);
	fprintf(file, "%18.2f %-4s %-24s # %8.2f %% of the time\n",
		results_idle(results).mean * 1e3, "msec", "idle-time",
		results_idle_part(results));
}

static void table_part(FILE *file, const struct results *results)
{
	if (!events_have_named_sets(results->events))
		table_events(file, results);
	for (size_t i = 0;
	     events_have_named_sets(results->events) && i < results->events->set_count;
	     i++)
		events_of_set(file, results, i);
	table_idle(file, results);
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

/*
 * The kernel measures the duration of only some interrupts. Print the mean of these durations. Also
 * print an estimate of the total duration of all interrupts: this mean, multiplied by the number of
 * interrupts.
 */
static void table_interrupt_time(FILE *file, const struct pfm_statistics *sum)
{
	double mean = costs_interrupt_time(sum) / 1e3;

	if (mean > 0)
		fprintf(file, " # %8.2f us each, %.2f msec in all", mean,
			mean / 1e3 * (double)sum->interrupts);
}

static void table_costs(FILE *file, const struct costs *costs)
{
	struct cost list[COST_COUNT];
	char value[COUNT_TEXT];

	if (!costs->is_known) {
		fputs(" The perfmon module is too old: it has no statistics.\n\n", file);
		return;
	}
	fputs(" What monitoring did:\n\n", file);
	costs_list(&costs->sum, list);
	for (size_t i = 0; i < COST_COUNT; i++) {
		count_text(list[i].value, value);
		fprintf(file, "%18s      %s", value, list[i].name);
		if (!i)
			table_interrupt_time(file, &costs->sum);
		fputc('\n', file);
	}
	fputc('\n', file);
}

void stat_table_begin(FILE *file, const struct results *results)
{
	static const char *const stamps[] = {
		[PART_INTERVAL] = "time",
		[PART_CPU] = "CPU",
		[PART_THREAD] = "thread",
	};

	fprintf(file, "%*s %18s      event\n", stamp_width(results),
		stamps[results->part.kind], results->is_scaled ? "scaled" : "count");
}

void stat_table(FILE *file, const struct results *results)
{
	if (results->part.kind != PART_WHOLE) {
		table_part(file, results);
		return;
	}
	table_title(file, results);
	if (results->is_scaled)
		scaled_heading(file);
	if (events_have_named_sets(results->events))
		table_named_sets(file, results);
	else
		table_events(file, results);
	table_idle(file, results);
	table_times(file, results);
	if (results->costs)
		table_costs(file, results->costs);
}
