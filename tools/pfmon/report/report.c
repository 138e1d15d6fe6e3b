// SPDX-License-Identifier: GPL-2.0-only
/* pfmon report: the profile that a recording makes. */
#include <errno.h>
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
#include "../common/options.h"
#include "report_folded.h"
#include "report_json.h"
#include "report_table.h"

static const char usage[] =
	"Usage: pfmon report [OPTIONS]\n"
	"\n"
	"Show where the events of a recording happened: in which functions, programs\n"
	"and libraries, threads.\n"
	"\n"
	"Options:\n"
	"  -i, --input FILE        what 'pfmon record' wrote (" DATA_FILE_NAME "); - is\n"
	"                          standard input\n"
	"  -s, --sort KEY[,KEY]... by symbol (the default), object, thread\n"
	"  -g, --callers           below each entry its callers\n"
	"  -e, --event EVENT       this event only\n"
	"      --percent-limit P   leave out entries below P percent (0.5)\n"
	"      --folded            a line for each stack, for scripts that make flame\n"
	"                          graphs\n"
	"  -j, --json              a JSON object\n"
	"  -h, --help              show this and exit\n"
	"\n"
	"Examples:\n"
	"  pfmon record ./app && pfmon report\n"
	"  pfmon report --sort object,thread\n"
	"  pfmon report --folded | flamegraph.pl >flame.svg\n";

#define DEFAULT_LIMIT	0.5
#define DEFAULT_COLUMNS 80

/* Options without a letter. */
enum {
	OPTION_LIMIT = 256,
	OPTION_FOLDED,
};

enum output {
	OUTPUT_TABLE,
	OUTPUT_FOLDED,
	OUTPUT_JSON,
};

/**
 * struct options - the command line
 * @path: of the recording
 * @profile: what to make of it
 * @output: how to show it
 * @limit: percent, negative if it was not given
 */
struct options {
	const char *path;
	struct profile_options profile;
	enum output output;
	double limit;
};

static int add_sort_key(struct profile_options *options, const char *name, size_t length)
{
	static const char *const names[SORT_KEYS] = {
		[SORT_SYMBOL] = "symbol",
		[SORT_OBJECT] = "object",
		[SORT_THREAD] = "thread",
	};
	enum sort_key key = SORT_SYMBOL;

	while (key < SORT_KEYS &&
	       (strlen(names[key]) != length || strncmp(names[key], name, length)))
		key++;
	if (key == SORT_KEYS)
		return fail("cannot sort by '%.*s': give symbol, object or thread",
			    (int)length, name);
	for (unsigned int i = 0; i < options->sort_count; i++)
		if (options->sort[i] == key)
			return 0;
	options->sort[options->sort_count++] = key;
	return 0;
}

static int parse_sort(struct profile_options *options, const char *text)
{
	options->sort_count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");

		if (add_sort_key(options, text, length))
			return -1;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static int parse_limit(const char *text, double *limit)
{
	char *end;

	*limit = strtod(text, &end);
	if (end == text || *end || !(*limit >= 0) || *limit > 100)
		return fail("'%s' is not a limit in percent: give one from 0 to 100",
			    text);
	return 0;
}

static int set_output(struct options *options, enum output output)
{
	if (options->output != OUTPUT_TABLE && options->output != output)
		return fail("--folded and --json exclude each other");
	options->output = output;
	return 0;
}

static int parse_option(int option, void *data)
{
	struct options *options = data;

	switch (option) {
	case 'i':
		options->path = optarg;
		return 0;
	case 's':
		return parse_sort(&options->profile, optarg);
	case 'g':
		options->profile.has_callers = true;
		return 0;
	case 'e':
		options->profile.event = optarg;
		return 0;
	case OPTION_LIMIT:
		return parse_limit(optarg, &options->limit);
	case OPTION_FOLDED:
		return set_output(options, OUTPUT_FOLDED);
	default:
		return set_output(options, OUTPUT_JSON);
	}
}

/* Returns 1 after printing the help that the user asked for, -1 if something is wrong. */
static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "sort", required_argument, NULL, 's' },
		{ "callers", no_argument, NULL, 'g' },
		{ "event", required_argument, NULL, 'e' },
		{ "percent-limit", required_argument, NULL, OPTION_LIMIT },
		{ "folded", no_argument, NULL, OPTION_FOLDED },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int result =
		options_parse(argc, argv, "+:i:s:ge:jh", names, parse_option, options);

	if (result > 0)
		fputs(usage, stdout);
	if (result)
		return result;
	if (optind < argc)
		return fail("'pfmon report' takes no arguments: the file is given with "
			    "-i");
	return 0;
}

/* Of the terminal, or what can be expected elsewhere. */
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

/* Stacks of different events in one graph would say nothing. */
static int check_folded(const struct recording *recording, const struct options *options)
{
	if (options->output != OUTPUT_FOLDED || options->profile.event ||
	    recording->event_count < 2)
		return 0;
	return fail("the file has %zu events: choose one with -e, as '-e %s'",
		    recording->event_count, recording->events[0].name);
}

static int report(struct recording *recording, struct options *options)
{
	struct profile profile;
	int result = EXIT_PFMON;

	if (recording_open(recording, options->path) || check_folded(recording, options))
		return EXIT_PFMON;
	if (options->output == OUTPUT_FOLDED)
		options->profile.sort_count = 0;
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
		.path = DATA_FILE_NAME,
		.profile = { .sort = { SORT_SYMBOL }, .sort_count = 1 },
		.limit = -1,
	};
	struct recording recording = { 0 };
	int result = parse_options(argc, argv, &options);

	if (result)
		return result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	result = report(&recording, &options);
	recording_free(&recording);
	return result;
}
