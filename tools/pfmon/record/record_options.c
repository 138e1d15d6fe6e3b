// SPDX-License-Identifier: GPL-2.0-only
/* The command line of pfmon record. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "rate.h"
#include "record_options.h"
#include "sampling_format.h"

/* Options without a letter. */
enum {
	OPTION_FORMAT = 256,
	OPTION_RANDOM,
	OPTION_BUFFER,
	OPTION_NO_PTRACE,
	OPTION_PMU,
};

static const struct option names[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "pmu", required_argument, NULL, OPTION_PMU },
	{ "count", required_argument, NULL, 'c' },
	{ "frequency", required_argument, NULL, 'F' },
	{ "call-graph", no_argument, NULL, 'g' },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "random", required_argument, NULL, OPTION_RANDOM },
	{ "buffer", required_argument, NULL, OPTION_BUFFER },
	{ "tid", required_argument, NULL, 't' },
	{ "output", required_argument, NULL, 'o' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "no-ptrace", no_argument, NULL, OPTION_NO_PTRACE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int add_tid(struct record_options *options, const char *text)
{
	uint64_t number;
	int *tid;

	if (options_number(text, "thread id", INT_MAX, &number))
		return -1;
	for (size_t i = 0; i < options->tid_count; i++)
		if (options->tids[i] == (int)number)
			return fail("thread %d is given twice", (int)number);
	tid = array_add(&options->tids, &options->tid_count, sizeof(*tid));
	if (!tid)
		return fail("no memory");
	*tid = (int)number;
	return 0;
}

static int add_tids(struct record_options *options, const char *text)
{
	char *copy = strdup(text), *rest = copy, *tid;
	int result = 0;

	if (!copy)
		return fail("no memory");
	while (!result && (tid = strsep(&rest, ",")))
		result = add_tid(options, tid);
	free(copy);
	return result;
}

static int choose_format(struct record_options *options, const char *name)
{
	options->format = sampling_format_find(name);
	if (!options->format)
		return fail("'%s' is not a format to record in: take default, nway, "
			    "callchain or hist",
			    name);
	return 0;
}

/* In decimal or, with 0x, in hexadecimal digits. */
static int parse_mask(const char *text, uint64_t *mask)
{
	char *end;

	errno = 0;
	*mask = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	if (!isdigit((unsigned char)*text) || *end || errno || !*mask ||
	    *mask > RECORD_PERIOD_MOST)
		return fail("'%s' is not a mask of random bits: give one such as 0xff",
			    text);
	return 0;
}

static int parse_option(int option, void *data)
{
	struct record_options *options = data;

	switch (option) {
	case 'e':
		return options_add_event(&options->events, optarg);
	case OPTION_PMU:
		options->pmu = optarg;
		return 0;
	case 'c':
		return options_number(optarg, "period", RECORD_PERIOD_MOST,
				      &options->period);
	case 'F':
		return options_number(optarg, "number of samples a second", RATE_MOST,
				      &options->frequency);
	case 'g':
		options->has_chains = true;
		return 0;
	case OPTION_FORMAT:
		return choose_format(options, optarg);
	case OPTION_RANDOM:
		return parse_mask(optarg, &options->random_mask);
	case OPTION_BUFFER:
		return options_size(optarg, "size of a buffer", RECORD_BUFFER_LEAST,
				    RECORD_BUFFER_MOST, &options->buffer);
	case 't':
		return add_tids(options, optarg);
	case 'o':
		options->output = optarg;
		return 0;
	case 'q':
		options->is_quiet = true;
		return 0;
	case 'v':
		options->is_verbose = true;
		return 0;
	default:
		options->is_traced = false;
		return 0;
	}
}

static int check(struct record_options *options)
{
	if (!options->command && !options->tid_count)
		return fail("no command to record: see 'pfmon record --help'");
	if (options->period && options->frequency)
		return fail("-c and -F exclude each other");
	if (options->has_chains && options->format &&
	    options->format != DATA_FORMAT_CALLCHAIN)
		return fail("-g needs format callchain, not %s",
			    sampling_format_name(options->format));
	if (options->has_chains)
		options->format = DATA_FORMAT_CALLCHAIN;
	if (!options->period && !options->frequency)
		options->frequency = RECORD_FREQUENCY;
	return 0;
}

int record_options_parse(int argc, char **argv, struct record_options *options)
{
	int result;

	*options = (struct record_options){ .output = DATA_FILE_NAME, .is_traced = true };
	result = options_parse(argc, argv, "+:e:c:F:gt:o:qvh", names, parse_option,
			       options);
	if (result)
		return result;
	if (optind < argc)
		options->command = argv + optind;
	return check(options);
}

void record_options_free(struct record_options *options)
{
	free(options->tids);
	options->tids = NULL;
	options->tid_count = 0;
}
