// SPDX-License-Identifier: GPL-2.0-only
/* The command line of pfmon stat. */
#include <limits.h>
#include <string.h>

#include "../common/errors.h"
#include "../event/packing.h"
#include "stat_options.h"

/* Options without a letter. */
enum {
	OPTION_MUX_INTERVAL = 256,
	OPTION_NO_MUX,
	OPTION_SETS,
	OPTION_PMU,
};

static const struct option names[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "pmu", required_argument, NULL, OPTION_PMU },
	{ "mux-interval", required_argument, NULL, OPTION_MUX_INTERVAL },
	{ "no-mux", no_argument, NULL, OPTION_NO_MUX },
	{ "sets", required_argument, NULL, OPTION_SETS },
	{ "repeat", required_argument, NULL, 'r' },
	{ "tid", required_argument, NULL, 't' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int parse_option(int option, void *data)
{
	struct stat_options *options = data;
	uint64_t number;

	switch (option) {
	case 'e':
		return options_add_event(&options->events, optarg);
	case OPTION_PMU:
		options->pmu = optarg;
		return 0;
	case OPTION_MUX_INTERVAL:
		if (options_time(optarg, &options->interval))
			return fail("'%s' is not an interval: give a time, such as 2.5 "
				    "(ms), 500us or 4ms",
				    optarg);
		return 0;
	case OPTION_NO_MUX:
		options->is_multiplexed = false;
		return 0;
	case OPTION_SETS:
		options->sets = optarg;
		return 0;
	case 'r':
		if (options_number(optarg, "number of runs", INT_MAX, &number))
			return -1;
		options->runs = (unsigned int)number;
		return 0;
	case 't':
		if (options_number(optarg, "thread id", INT_MAX, &number))
			return -1;
		options->tid = (int)number;
		return 0;
	case 'x':
		if (!*optarg)
			return fail("the separator of -x is empty: give a character");
		options->separator = strcmp(optarg, "\\t") ? optarg : "\t";
		return 0;
	case 'j':
		options->is_json = true;
		return 0;
	default:
		options->output = optarg;
		return 0;
	}
}

static int check(struct stat_options *options)
{
	if (!options->command && !options->tid)
		return fail("no command to count: see 'pfmon stat --help'");
	if (!options->command && options->runs > 1)
		return fail("-r needs a command to run");
	if (options->separator && options->is_json)
		return fail("-x and -j exclude each other");
	if (options->sets && options->events.count)
		return fail("-e and --sets exclude each other: name events in the file");
	if (options->sets && (options->interval || !options->is_multiplexed))
		return fail("--sets excludes --mux-interval and --no-mux: the file says "
			    "when sets have their turns");
	if (options->interval && !options->is_multiplexed)
		return fail("--mux-interval and --no-mux exclude each other");
	if (!options->interval)
		options->interval = SET_INTERVAL;
	return 0;
}

int stat_options_parse(int argc, char **argv, struct stat_options *options)
{
	int result;

	*options = (struct stat_options){ .runs = 1, .is_multiplexed = true };
	result =
		options_parse(argc, argv, "+:e:r:t:x:jo:h", names, parse_option, options);
	if (result)
		return result;
	if (optind < argc)
		options->command = argv + optind;
	return check(options);
}
