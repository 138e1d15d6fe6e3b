// SPDX-License-Identifier: GPL-2.0-only
/* The command line of pfmon record. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../common/errors.h"
#include "rate.h"
#include "record_options.h"
#include "sampling_format.h"

static int take_tids(const char *text, void *field)
{
	struct id_list *tids = field;

	if (options_ids(text, "thread id", tids))
		return -1;
	for (size_t i = 0; i < tids->count; i++)
		for (size_t j = 0; j < i; j++)
			if (tids->ids[i] == tids->ids[j])
				return fail("thread %d is given twice", tids->ids[i]);
	return 0;
}

/* Smallest and largest size of a file in bytes, and largest number of files. */
#define FILE_LEAST 65536u
#define FILE_MOST  (1ull << 50)
#define FILES_MOST 1000000

/* If the argument ends with k, K, M or G, it is a size; if it ends with s, it is a time. */
static int take_switch(const char *argument, void *field)
{
	struct rotation *rotation = field;
	size_t length = strlen(argument);

	if (length && strchr("kKMG", argument[length - 1]))
		return options_size(argument, "size of a file", FILE_LEAST, FILE_MOST,
				    &rotation->size);
	if (length && argument[length - 1] == 's')
		return take_time(argument, &rotation->time);
	return fail("'%s' is neither a size nor a time: give one such as 100M or 60s",
		    argument);
}

static int take_files(const char *argument, void *field)
{
	return options_number(argument, "number of files", FILES_MOST, field);
}

int take_period(const char *argument, void *field)
{
	return options_number(argument, "period", RECORD_PERIOD_MOST, field);
}

int take_frequency(const char *argument, void *field)
{
	return options_number(argument, "number of samples a second", RATE_MOST, field);
}

static int take_format(const char *name, void *field)
{
	enum data_format *format = field;

	*format = sampling_format_find(name);
	if (!*format)
		return fail("'%s' is not a sampling format: take default, nway, "
			    "callchain or hist",
			    name);
	return 0;
}

/* Read a mask: decimal digits, or 0x and hexadecimal digits. */
static int take_mask(const char *text, void *field)
{
	uint64_t *mask = field;
	char *end;

	errno = 0;
	*mask = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	if (!isdigit((unsigned char)*text) || *end || errno || !*mask ||
	    *mask > RECORD_PERIOD_MOST)
		return fail("'%s' is not a mask of random bits: give one such as 0xff",
			    text);
	return 0;
}

static int take_buffer(const char *argument, void *field)
{
	return options_size(argument, "size of a buffer", RECORD_BUFFER_LEAST,
			    RECORD_BUFFER_MOST, field);
}

#define FIELD(name) offsetof(struct record_options, name)

static const struct option_row rows[] = {
	EVENT_OPTION(FIELD(events)),
	PMU_OPTION(FIELD(pmu)),
	PERIOD_OPTION(FIELD(period)),
	FREQUENCY_OPTION(FIELD(frequency)),
	{ "call-graph", 'g', NULL,
	  "also record the callers, which the kernel finds by frame pointers", take_true,
	  FIELD(has_chains) },
	{ "lbr", 0, NULL,
	  "like -g, but the processor records the callers (Intel's last branch records): "
	  "no frame pointers are needed",
	  take_true, FIELD(has_recorded) },
	{ "format", 0, "FORMAT",
	  "how the kernel stores samples: nway (monitoring never stops), default "
	  "(monitoring stops while pfmon writes a full buffer), callchain (as with -g), hist "
	  "(the kernel adds up samples by instruction)",
	  take_format, FIELD(format) },
	{ "random", 0, "MASK",
	  "make each period longer by a random number, in which only the bits of MASK can be set",
	  take_mask, FIELD(random_mask) },
	{ "buffer", 0, "SIZE",
	  "size in bytes of the buffer of each CPU or thread, or a number with a unit as in "
	  "64k; at least 4096 (default 1M, or less if the limit of locked memory is lower)",
	  take_buffer, FIELD(buffer) },
	{ "pid", 'p', "PID[,PID]...",
	  "sample these processes, with the threads that they make: until they end, or while "
	  "COMMAND runs, or until Ctrl-C",
	  take_pids, FIELD(targets.processes) },
	{ "tid", 't', "TID[,TID]...",
	  "sample these threads as with -p, but not the threads that they make",
	  take_tids, FIELD(targets.threads) },
	{ "all-cpus", 'a', NULL,
	  "sample all CPUs, with all that runs there: while COMMAND runs, or until Ctrl-C",
	  take_true, FIELD(targets.is_whole_machine) },
	{ "cpu", 'C', "LIST",
	  "sample the CPUs of LIST, such as 0,2-3: while COMMAND runs, or until Ctrl-C",
	  take_cpus, FIELD(targets) },
	{ "per-thread", 0, NULL, "let 'pfmon report' show each thread separately",
	  take_true, FIELD(is_per_thread) },
	{ "no-inherit", 0, NULL,
	  "sample only the thread that runs COMMAND, not the threads and processes that it "
	  "makes; with -p, sample only the threads that exist already",
	  take_false, FIELD(is_inherited) },
	TIMEOUT_OPTION(FIELD(timeout)),
	{ "output", 'o', "FILE",
	  "write to FILE instead of " DATA_FILE_NAME
	  "; an older recording becomes FILE.old; - is standard output",
	  take_text, FIELD(output) },
	{ "switch-output", 0, "SIZE|TIME",
	  "begin another file when FILE reaches SIZE, such as 100M, or after TIME, such as 60s; "
	  "the old one is renamed to FILE.YYYYMMDDhhmmss00",
	  take_switch, FIELD(rotation) },
	{ "switch-max-files", 0, "N",
	  "with --switch-output keep only the last N of the renamed files", take_files,
	  FIELD(rotation.most) },
	{ "quiet", 'q', NULL, "show no progress, and at the end nothing but warnings",
	  take_true, FIELD(is_quiet) },
	{ "verbose", 'v', NULL, "print more details at the end", take_true,
	  FIELD(is_verbose) },
	{ "no-ptrace", 0, NULL,
	  "never trace COMMAND with ptrace(2), even where the kernel does not report its "
	  "mappings",
	  take_false, FIELD(is_traced) },
	{ 0 },
};

static const struct command_line line = {
	.name = "pfmon record",
	.synopsis = "[OPTIONS] [--] COMMAND [ARGUMENTS]\n"
		    "[OPTIONS] -p PID[,PID]... [[--] COMMAND [ARGUMENTS]]\n"
		    "[OPTIONS] -t TID[,TID]... [[--] COMMAND [ARGUMENTS]]\n"
		    "[OPTIONS] -a | -C LIST [[--] COMMAND [ARGUMENTS]]",
	.about =
		"Sample COMMAND from its start to its end, with all threads and processes that it\n"
		"makes; or sample CPUs, or processes or threads that are already running.  Write\n"
		"the samples to a file, which 'pfmon report' shows.\n",
	.options = rows,
	.notes =
		"Without -e the event is cycles, or CPU time if cycles cannot be counted.  After\n"
		"an event, :pp makes the samples precise: each sample has the address of the\n"
		"instruction that caused the event.  'pfmon info' says whether the PMU has such\n"
		"events.\n"
		"\n"
		"Exit status: that of COMMAND; 128 + N if signal N ended it; 127 if it was not\n"
		"found, 126 if it could not be executed; 125 if pfmon itself failed.\n"
		"\n"
		"Examples:\n"
		"  pfmon record ./app\n"
		"  pfmon record -g -e cycles:u -- ./app --fast\n"
		"  pfmon record -c 100000 -e instructions -t 4711 sleep 10\n"
		"  pfmon record -a --timeout 10s; pfmon report --sort program,symbol\n",
	.has_command = true,
};

static int check_targets(struct record_options *options)
{
	struct targets *targets = &options->targets;
	bool has_cpus = targets->is_whole_machine || targets->cpus.count;

	if (targets->is_whole_machine && targets->cpus.count)
		return fail("-a and -C exclude each other");
	if (has_cpus && targets->threads.count)
		return fail("-t excludes -a and -C: it samples threads");
	if (has_cpus && targets->processes.count)
		return fail("-p excludes -a and -C: it samples processes");
	if (has_cpus && !options->is_inherited)
		return fail("--no-inherit excludes -a and -C: these sample all threads");
	if (targets->processes.count && targets->threads.count)
		return fail("-p and -t exclude each other: -p samples all threads of a "
			    "process");
	if (has_cpus && options->has_recorded)
		return fail(
			"--lbr excludes -a and -C: the records of a CPU mix the calls of "
			"several threads");
	if (has_cpus && options->is_per_thread)
		return fail("--per-thread excludes -a and -C: 'pfmon report --sort "
			    "thread' shows all threads");
	return targets->is_whole_machine ? targets_add_cpus(targets, NULL) : 0;
}

/*
 * Samples of format hist do not contain the thread. So with this format, --per-thread needs a
 * context for each thread.
 */
static int check_per_thread(const struct record_options *options)
{
	if (options->is_per_thread && options->format == DATA_FORMAT_HIST &&
	    options->is_inherited && !options->targets.threads.count)
		return fail("with format hist, --per-thread needs -t or --no-inherit: "
			    "hist adds up the samples of all threads");
	return 0;
}

static int check_rotation(const struct record_options *options)
{
	const struct rotation *rotation = &options->rotation;
	bool is_on = rotation->size || rotation->time;

	if (rotation->most && !is_on)
		return fail("--switch-max-files needs --switch-output");
	if (is_on && !strcmp(options->output, "-"))
		return fail("--switch-output needs a file: standard output has no name");
	return 0;
}

static int check(struct record_options *options)
{
	if (check_targets(options))
		return -1;
	if (!options->command && !targets_are_given(&options->targets))
		return fail("no command to record: see 'pfmon record --help'");
	if (options->period && options->frequency)
		return fail("-c and -F exclude each other");
	if (check_rotation(options) || check_per_thread(options))
		return -1;
	if (options->has_recorded)
		options->has_chains = true;
	if (options->has_chains && options->format &&
	    options->format != DATA_FORMAT_CALLCHAIN)
		return fail("%s needs format callchain, not %s: leave out --format",
			    options->has_recorded ? "--lbr" : "-g",
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

	*options = (struct record_options){ .output = DATA_FILE_NAME,
					    .is_inherited = true,
					    .is_traced = true };
	result = options_parse(argc, argv, &line, options);
	if (result)
		return result;
	if (optind < argc)
		options->command = argv + optind;
	return check(options);
}

void record_options_free(struct record_options *options)
{
	targets_free(&options->targets);
}
