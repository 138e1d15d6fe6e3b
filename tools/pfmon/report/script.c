// SPDX-License-Identifier: GPL-2.0-only
/* pfmon script: the samples of a recording as text. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../commands.h"
#include "../common/errors.h"
#include "../common/sum.h"
#include "report_options.h"
#include "symbols.h"
#include "threads.h"

/**
 * struct options - the command line
 * @inputs: the files of the recording
 * @demangles: show the names that functions have in the source
 */
struct options {
	struct inputs inputs;
	bool demangles;
};

static const struct option_row rows[] = {
	INPUT_OPTION(offsetof(struct options, inputs)),
	NO_DEMANGLE_OPTION(offsetof(struct options, demangles)),
	{ 0 },
};

static const struct command_line line = {
	.name = "pfmon script",
	.synopsis = "[OPTIONS] [FILE...]",
	.about =
		"Show each sample of a recording, in the layout of 'perf script'. Scripts that\n"
		"make flame graphs read this layout.\n",
	.options = rows,
	.notes = "Examples:\n"
		 "  pfmon script | stackcollapse-perf.pl | flamegraph.pl >flame.svg\n"
		 "  pfmon script other.data | less\n",
};

#define NS_PER_SECOND 1000000000u
#define NS_PER_USEC   1000u

/* The data of print_sample(). @samples is the number of samples that it has printed. */
struct printing {
	struct symbols symbols;
	struct thread_names names;
	uint64_t samples;
};

static void print_frame(struct printing *printing, const struct sample *sample,
			unsigned int index)
{
	struct location location = symbols_find(&printing->symbols, sample, index);

	printf("\t%16" PRIx64 " ", sample->frames[index]);
	if (location.symbol)
		printf("%s+0x%" PRIx64, location.symbol->name, location.offset);
	else
		printf("[unknown]");
	printf(" (%s)\n", location.object && *location.object->path
				  ? location.object->path
				  : object_name(location.object, location.is_kernel));
}

/* Print @sample. With format hist, its time and CPU are not known and are printed as 0. */
static int print_sample(const struct sample *sample, void *argument)
{
	struct printing *printing = argument;
	struct named_thread thread = thread_names_find(&printing->names, sample);
	uint64_t time = sample->time == UINT64_MAX ? 0 : sample->time;

	printing->samples = sum(printing->samples, sample->count);
	if (thread.comm && *thread.comm)
		printf("%s ", thread.comm);
	else
		printf(":%" PRIu32 " ", thread.tid);
	printf("%6" PRIu32 " [%03" PRIu32 "] %6" PRIu64 ".%06" PRIu64 ": %10" PRIu64
	       " %s: \n",
	       thread.tid, sample->cpu, time / NS_PER_SECOND,
	       time % NS_PER_SECOND / NS_PER_USEC, sample->period, sample->event->name);
	for (unsigned int i = 0; i < sample->frame_count; i++)
		if (symbols_is_frame(&printing->symbols, sample, i))
			print_frame(printing, sample, i);
	putchar('\n');
	return ferror(stdout);
}

static void print_samples(struct printing *printing, const struct recording *recording)
{
	size_t bad;

	if (samples_each(recording, print_sample, printing, &bad))
		return;
	recording_warn(recording, bad, printing->samples);
	recording_warn_losses(recording);
}

static int print_recording(const struct recording *recording, bool demangles)
{
	struct printing printing = { 0 };
	int result = EXIT_SUCCESS;

	if (symbols_make(&printing.symbols, recording) ||
	    thread_names_make(&printing.names, recording)) {
		fail("no memory");
		result = EXIT_PFMON;
	} else {
		printing.symbols.demangles = demangles;
		print_samples(&printing, recording);
	}
	thread_names_free(&printing.names);
	symbols_free(&printing.symbols);
	return result;
}

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

int command_script(int argc, char **argv)
{
	struct options options = { .demangles = true };
	struct recording recording = { 0 };
	int result = parse_options(argc, argv, &options);

	if (result)
		result = result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	else if (recording_open_files(&recording, options.inputs.paths,
				      options.inputs.count))
		result = EXIT_PFMON;
	else
		result = print_recording(&recording, options.demangles);
	recording_free(&recording);
	inputs_free(&options.inputs);
	return result;
}
