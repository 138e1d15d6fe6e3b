// SPDX-License-Identifier: GPL-2.0-only
/* pfmon report: show the profile of a recording. */
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../commands.h"
#include "../common/errors.h"
#include "report_folded.h"
#include "report_json.h"
#include "report_options.h"
#include "report_table.h"
#include "sort_keys.h"

#define DEFAULT_LIMIT 0.5

enum output {
	OUTPUT_TABLE,
	OUTPUT_FOLDED,
	OUTPUT_JSON,
};

/**
 * struct options - the command line
 * @inputs: the files of the recording
 * @profile: how to make the profile. It has no sort keys if the user gave none
 * @output: how to show the profile
 * @limit: entries below this percentage are left out; negative if the user gave no limit
 */
struct options {
	struct inputs inputs;
	struct profile_options profile;
	enum output output;
	double limit;
};

static int take_limit(const char *text, void *field)
{
	double *limit = field;
	char *end;

	*limit = strtod(text, &end);
	if (end == text || *end || !(*limit >= 0) || *limit > 100)
		return fail("'%s' is not a limit in percent: give one from 0 to 100",
			    text);
	return 0;
}

static int set_output(enum output *chosen, enum output output)
{
	if (*chosen != OUTPUT_TABLE && *chosen != output)
		return fail("--folded and --json exclude each other");
	*chosen = output;
	return 0;
}

static int take_folded(const char *argument, void *field)
{
	(void)argument;
	return set_output(field, OUTPUT_FOLDED);
}

static int take_json(const char *argument, void *field)
{
	(void)argument;
	return set_output(field, OUTPUT_JSON);
}

#define FIELD(name) offsetof(struct options, name)

static const struct option_row rows[] = {
	INPUT_OPTION(FIELD(inputs)),
	{ "sort", 's', "KEY[,KEY]...",
	  "what each entry stands for: symbol (the default), object, thread, program, cpu, or "
	  "several of these. For a recording of 'pfmon record --per-thread' the default is "
	  "thread,symbol",
	  take_sort, FIELD(profile) },
	{ "callers", 'g', NULL, "show the callers of each entry below it", take_true,
	  FIELD(profile.has_callers) },
	{ "event", 'e', "EVENT", "show only this event", take_text,
	  FIELD(profile.event) },
	{ "percent-limit", 0, "PERCENT",
	  "leave out entries below PERCENT (default 0.5; 0 with --json)", take_limit,
	  FIELD(limit) },
	{ "folded", 0, NULL,
	  "print a line for each stack, for scripts that make flame graphs", take_folded,
	  FIELD(output) },
	{ "json", 'j', NULL, "print a JSON object", take_json, FIELD(output) },
	NO_DEMANGLE_OPTION(FIELD(profile.demangles)),
	{ 0 },
};

static const struct command_line line = {
	.name = "pfmon report",
	.synopsis = "[OPTIONS] [FILE...]",
	.about = "Show where the events of a recording happened: in which functions,\n"
		 "programs, libraries and threads.\n",
	.options = rows,
	.notes = "Examples:\n"
		 "  pfmon record ./app && pfmon report\n"
		 "  pfmon report --sort object,thread\n"
		 "  pfmon report pfmon.data pfmon.data.2*\n"
		 "  pfmon report --folded | flamegraph.pl >flame.svg\n",
};

/*
 * Returns 1 after printing the help that the user asked for, -1 after reporting an error, else 0.
 */
static int parse_options(int argc, char **argv, struct options *options)
{
	int result = options_parse(argc, argv, &line, options);

	if (result)
		return result;
	return inputs_complete(&options->inputs, argc, argv);
}

/*
 * Returns the width of the terminal in characters, or DEFAULT_COLUMNS if the output is not a
 * terminal.
 */
static unsigned int columns(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return DEFAULT_COLUMNS;
}

static int print_table(const struct profile *profile, double limit)
{
	struct table_style style = {
		.columns = columns(),
		.has_bars = true,
		.limit = limit < 0 ? DEFAULT_LIMIT : limit,
	};

	setlocale(LC_CTYPE, "");
	style.is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	return report_table(stdout, profile, &style);
}

static int print(const struct profile *profile, const struct options *options)
{
	switch (options->output) {
	case OUTPUT_FOLDED:
		return report_folded(stdout, profile);
	case OUTPUT_JSON:
		return report_json(stdout, profile, fmax(options->limit, 0));
	default:
		return print_table(profile, options->limit);
	}
}

/*
 * Choose the sort keys if the user gave none. With --folded there are no sort keys, because whole
 * stacks are added up.
 */
static void choose_keys(const struct recording *recording, struct options *options)
{
	struct profile_options *profile = &options->profile;

	if (options->output == OUTPUT_FOLDED) {
		profile->sort_count = 0;
		return;
	}
	if (profile->sort_count)
		return;
	if (recording->machine && recording->machine->flags & DATA_PER_THREAD)
		profile->sort[profile->sort_count++] = SORT_THREAD;
	profile->sort[profile->sort_count++] = SORT_SYMBOL;
}

/*
 * With --folded, check that only one event is shown, because stacks of different events cannot be
 * added up.
 */
static int check_folded(const struct recording *recording, const struct options *options)
{
	if (options->output != OUTPUT_FOLDED || options->profile.event ||
	    recording->event_count < 2)
		return 0;
	return fail("the file has %zu events: choose one with -e, for example '-e %s'",
		    recording->event_count, recording->events[0].name);
}

static int report(struct recording *recording, struct options *options)
{
	struct profile profile;
	int result = EXIT_PFMON;

	if (recording_open_files(recording, options->inputs.paths,
				 options->inputs.count) ||
	    check_folded(recording, options))
		return EXIT_PFMON;
	choose_keys(recording, options);
	if (!profile_make(&profile, recording, &options->profile)) {
		if (options->profile.has_callers && profile.samples &&
		    !profile.has_chains)
			warn_user("there are no call chains in the file: 'pfmon record "
				  "-g' records them");
		if (options->output == OUTPUT_FOLDED)
			recording_warn_losses(recording);
		result = EXIT_SUCCESS;
		if (print(&profile, options)) {
			fail("no memory");
			result = EXIT_PFMON;
		}
	}
	profile_free(&profile);
	return result;
}

int command_report(int argc, char **argv)
{
	struct options options = {
		.profile.demangles = true,
		.limit = -1,
	};
	struct recording recording = { 0 };
	int result = parse_options(argc, argv, &options);

	if (result)
		result = result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	else
		result = report(&recording, &options);
	recording_free(&recording);
	inputs_free(&options.inputs);
	return result;
}
