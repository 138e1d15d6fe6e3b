// SPDX-License-Identifier: GPL-2.0-only
/* The command line of pfmon stat. */
#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "../common/errors.h"
#include "../event/packing.h"
#include "stat_options.h"

static int take_interval(const char *argument, void *field)
{
	if (options_time(argument, field))
		return fail("'%s' is not a time for --mux-interval: give one such as "
			    "2.5 (ms), 500us or 4ms",
			    argument);
	return 0;
}

static int take_runs(const char *argument, void *field)
{
	unsigned int *runs = field;
	uint64_t number;

	if (options_number(argument, "number of runs", INT_MAX, &number))
		return -1;
	*runs = (unsigned int)number;
	return 0;
}

static int take_tids(const char *argument, void *field)
{
	return options_ids(argument, "thread id", field);
}

static int take_separator(const char *argument, void *field)
{
	const char **separator = field;

	if (!*argument)
		return fail("the separator of -x is empty: give a character");
	*separator = strcmp(argument, "\\t") ? argument : "\t";
	return 0;
}

#define FIELD(name) offsetof(struct stat_options, name)

static const struct option_row rows[] = {
	EVENT_OPTION(FIELD(events)),
	PMU_OPTION(FIELD(pmu)),
	{ "mux-interval", 0, "TIME",
	  "if there are more events than counters, sets of events take turns of TIME, such "
	  "as 500us or 2ms; without a unit, TIME is in ms (default 1). The events of "
	  "{EVENT,EVENT} stay in one set",
	  take_interval, FIELD(interval) },
	{ "no-mux", 0, NULL, "fail if there are more events than counters", take_false,
	  FIELD(takes_turns) },
	{ "sets", 0, "FILE", "count the event sets of FILE, see pfmon-stat(1)", take_text,
	  FIELD(sets) },
	{ "repeat", 'r', "RUNS", "run COMMAND RUNS times; show means and their spread",
	  take_runs, FIELD(runs) },
	{ "pid", 'p', "PID[,PID]...",
	  "count these processes, with the threads that they make: until they end, or "
	  "while COMMAND runs, or until Ctrl-C",
	  take_pids, FIELD(targets.processes) },
	{ "tid", 't', "TID[,TID]...",
	  "count these threads as with -p, but not the threads that they make", take_tids,
	  FIELD(targets.threads) },
	{ "all-cpus", 'a', NULL,
	  "count all CPUs, with all that runs there: while COMMAND runs, or until Ctrl-C",
	  take_true, FIELD(targets.is_whole_machine) },
	{ "cpu", 'C', "LIST",
	  "count the CPUs of LIST, such as 0,2-3, in the same way as with -a", take_cpus,
	  FIELD(targets) },
	{ "no-aggr", 'A', NULL, "with -a and -C also show the counts of each CPU",
	  take_true, FIELD(is_per_cpu) },
	{ "per-thread", 0, NULL, "also show the counts of each thread", take_true,
	  FIELD(targets.is_per_thread) },
	{ "no-inherit", 0, NULL,
	  "count only the thread that runs COMMAND, not the threads and processes that it "
	  "makes; with -p, count only the threads that exist already",
	  take_false, FIELD(is_inherited) },
	TIMEOUT_OPTION(FIELD(timeout)),
	{ "interval-print", 'I', "TIME",
	  "also print what was counted in each interval of TIME, such as 500 (ms) or 1s",
	  take_time, FIELD(print_interval) },
	{ "field-separator", 'x', "SEPARATOR",
	  "print a line for each event, its fields separated by SEPARATOR; \\t is a tab",
	  take_separator, FIELD(separator) },
	{ "json", 'j', NULL, "print a JSON object", take_true, FIELD(is_json) },
	{ "verbose", 'v', NULL,
	  "also show what the measurement has cost: interrupts, set switches, copies of "
	  "contexts and more",
	  take_true, FIELD(is_verbose) },
	{ "output", 'o', "FILE",
	  "write to FILE instead of to standard error; - is standard output", take_text,
	  FIELD(output) },
	{ 0 },
};

static const struct command_line line = {
	.name = "pfmon stat",
	.synopsis = "[OPTIONS] [--] COMMAND [ARGUMENTS]\n"
		    "[OPTIONS] -p PID[,PID]... [[--] COMMAND [ARGUMENTS]]\n"
		    "[OPTIONS] -t TID[,TID]... [[--] COMMAND [ARGUMENTS]]\n"
		    "[OPTIONS] -a | -C LIST [-A] [[--] COMMAND [ARGUMENTS]]",
	.about =
		"Count events of COMMAND from its start to its end, with all threads and\n"
		"processes that it makes; or count events of processes or threads that are\n"
		"already running, or of CPUs.\n",
	.options = rows,
	.notes =
		"Exit status: that of COMMAND; 128 + N if signal N ended it; 127 if it was not\n"
		"found, 126 if it could not be executed; 125 if pfmon itself failed.\n"
		"\n"
		"Examples:\n"
		"  pfmon stat ./app\n"
		"  pfmon stat -e instructions:u -x, -o counts.csv -- ./app --fast\n"
		"  pfmon stat -e '{cycles,instructions},cache-misses,branch-misses' ./app\n"
		"  pfmon stat -p 4711 -e cycles,page-faults --timeout 10s\n"
		"  pfmon stat -I 1s -x, -e instructions:u ./app\n"
		"  pfmon stat --per-thread -e cycles,task-clock ./app\n"
		"  pfmon stat -a -A -e cycles --timeout 10s\n",
	.has_command = true,
};

static int check_cpus(struct stat_options *options)
{
	struct targets *targets = &options->targets;

	if (targets->is_whole_machine && targets->cpus.count)
		return fail("-a and -C exclude each other");
	if (targets->is_whole_machine && targets_are_given(targets))
		return fail("-a excludes -p and -t: these count threads");
	if (targets->cpus.count && (targets->threads.count || targets->processes.count))
		return fail("-C excludes -p and -t: these count threads");
	if (!options->is_inherited && (targets->is_whole_machine || targets->cpus.count))
		return fail("--no-inherit excludes -a and -C: these count all threads");
	if (targets->is_whole_machine && targets_add_cpus(targets, NULL))
		return -1;
	if (targets->cpus.count && targets->is_per_thread)
		return fail(
			"--per-thread excludes -a and -C: for the counts of each CPU, use -A");
	if (!options->is_per_cpu)
		return 0;
	if (!targets->cpus.count)
		return fail("-A needs -a or -C");
	if (options->runs > 1 || options->print_interval)
		return fail("-A excludes -r and -I");
	return 0;
}

static int check(struct stat_options *options)
{
	if (check_cpus(options))
		return -1;
	if (!options->command && !targets_are_given(&options->targets))
		return fail("no command to count: see 'pfmon stat --help'");
	if (options->targets.is_per_thread &&
	    (options->runs > 1 || options->print_interval))
		return fail("--per-thread excludes -r and -I");
	if (options->print_interval && options->runs > 1)
		return fail("-I and -r exclude each other");
	if (!options->command && options->runs > 1)
		return fail("-r needs a command to run");
	if (options->separator && options->is_json)
		return fail("-x and -j exclude each other");
	if (options->separator && options->is_verbose)
		return fail("-x and -v exclude each other: -x shows events only");
	if (options->sets && options->events.count)
		return fail("-e and --sets exclude each other: name events in the file");
	if (options->sets && (options->interval || !options->takes_turns))
		return fail("--sets excludes --mux-interval and --no-mux: the file says "
			    "when sets have their turns");
	if (options->interval && !options->takes_turns)
		return fail("--mux-interval and --no-mux exclude each other");
	if (!options->interval)
		options->interval = SET_INTERVAL;
	return 0;
}

int stat_options_parse(int argc, char **argv, struct stat_options *options)
{
	int result;

	*options = (struct stat_options){
		.runs = 1,
		.takes_turns = true,
		.is_inherited = true,
	};
	result = options_parse(argc, argv, &line, options);
	if (result)
		return result;
	if (optind < argc)
		options->command = argv + optind;
	return check(options);
}

void stat_options_free(struct stat_options *options)
{
	targets_free(&options->targets);
}
