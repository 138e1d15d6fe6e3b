// SPDX-License-Identifier: GPL-2.0-only
/* The command line of pfmon top. */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../common/errors.h"
#include "../report/sort_keys.h"
#include "top_options.h"

/* The time from one table to the next: its default, and its limits. */
#define INTERVAL       (2 * SECOND)
#define INTERVAL_LEAST (SECOND / 10)
#define INTERVAL_MOST  (24 * 3600 * SECOND)

#define REFRESHES_MOST 1000000000

/* As with top(1), a number without a unit is in seconds. */
static int take_interval(const char *argument, void *field)
{
	size_t length = strlen(argument);
	bool has_unit = length && !isdigit((unsigned char)argument[length - 1]);
	uint64_t *interval = field;
	char text[32];

	if (snprintf(text, sizeof(text), "%s%s", argument, has_unit ? "" : "s") >=
		    (int)sizeof(text) ||
	    options_long_time(text, INTERVAL_MOST, interval) ||
	    *interval < INTERVAL_LEAST)
		return fail(
			"'%s' is not an interval from 100 ms to 24 hours: give one such "
			"as 2 (seconds), 0.5 or 500ms",
			argument);
	return 0;
}

static int take_refreshes(const char *argument, void *field)
{
	return options_number(argument, "number of tables", REFRESHES_MOST, field);
}

#define FIELD(name) offsetof(struct top_options, name)

static const struct option_row rows[] = {
	{ "event", 'e', "EVENT",
	  "sample this event; a modifier :u counts at user level only, :k at kernel level only. "
	  "'pfmon list' shows the events",
	  take_event, FIELD(record.events) },
	PMU_OPTION(FIELD(record.pmu)),
	PERIOD_OPTION(FIELD(record.period)),
	FREQUENCY_OPTION(FIELD(record.frequency)),
	{ "cpu", 'C', "LIST", "sample only the CPUs of LIST, such as 0,2-3, not all CPUs",
	  take_cpus, FIELD(record.targets) },
	{ "delay", 'd', "TIME",
	  "time from one table to the next, such as 0.5 or 500ms (default 2 seconds)",
	  take_interval, FIELD(record.rotation.time) },
	{ "iterations", 'n', "N", "end after N tables", take_refreshes,
	  FIELD(refreshes) },
	{ "batch", 'b', NULL,
	  "print one table after the other; the default if standard output is not a "
	  "terminal",
	  take_true, FIELD(is_batch) },
	{ "sort", 's', "KEY[,KEY]...",
	  "what each entry of the second table stands for: program (the default), symbol, "
	  "object, thread, cpu, or several of these",
	  take_sort, FIELD(profile) },
	{ 0 },
};

static const struct command_line line = {
	.name = "pfmon top",
	.synopsis = "[OPTIONS]",
	.about =
		"Show what the CPUs do now: how busy each is, and which programs or functions\n"
		"cause the most events.  Each table covers the time since the previous table.\n",
	.options = rows,
	.notes =
		"On a terminal, q ends pfmon top, and s shows the next kind of entries, such as\n"
		"functions.\n"
		"\n"
		"Exit status: 0 after q, N tables or a signal; 125 if pfmon itself failed.\n"
		"\n"
		"Examples:\n"
		"  pfmon top\n"
		"  pfmon top -e cache-misses --sort program,symbol\n"
		"  pfmon top -b -n 5 -d 10 --sort cpu,program\n",
};

static int check(struct record_options *record)
{
	if (record->events.count > 1 ||
	    (record->events.count && strchr(record->events.texts[0], ',')))
		return fail("'pfmon top' shows one event: give only one with -e");
	if (record->period && record->frequency)
		return fail("-c and -F exclude each other");
	if (!record->period && !record->frequency)
		record->frequency = RECORD_FREQUENCY;
	record->targets.is_whole_machine = !record->targets.cpus.count;
	return record->targets.is_whole_machine ? targets_add_cpus(&record->targets, NULL)
						: 0;
}

int top_options_parse(int argc, char **argv, struct top_options *options)
{
	int result;

	*options = (struct top_options){
		.record = { .rotation.time = INTERVAL, .is_quiet = true },
		.profile = { .sort = { SORT_PROGRAM },
			     .sort_count = 1,
			     .counts_processes = true,
			     .demangles = true },
	};
	result = options_parse(argc, argv, &line, options);
	if (result)
		return result;
	if (optind < argc)
		return fail(
			"'pfmon top' takes no command: it shows CPUs until q or Ctrl-C");
	if (!isatty(STDOUT_FILENO))
		options->is_batch = true;
	return check(&options->record);
}
