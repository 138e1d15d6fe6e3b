/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of pfmon record. */
#ifndef PFMON_RECORD_OPTIONS_H
#define PFMON_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/options.h"
#include "../data/data.h"
#include "../run/targets.h"
#include "rotation.h"

#define RECORD_BUFFER	    (1u << 20)
#define RECORD_BUFFER_LEAST 4096u
#define RECORD_BUFFER_MOST  (1u << 30)
#define RECORD_FREQUENCY    1000

/* The maximum of the period, and of the random mask. The sum of both still fits into a counter. */
#define RECORD_PERIOD_MOST  (1ull << 62)

/**
 * struct record_options - the command line
 * @events: the events to sample
 * @pmu: name of the PMU that the user chose, NULL for the default
 * @period: sampling period; 0: use @frequency
 * @frequency: samples per second
 * @random_mask: the kernel adds a random number to each period; only bits of @random_mask can be
 *	set in this number
 * @format: sampling format; 0: nway, or default if nway is not available
 * @has_chains: record call chains, with format callchain
 * @has_recorded: the hardware records the callers; @has_chains is also set
 * @buffer: size of a buffer in bytes; 0: RECORD_BUFFER, or less if a limit is lower
 * @targets: threads, processes or CPUs to record; if there are none, the command is recorded
 * @is_per_thread: pfmon report shows each thread separately
 * @is_inherited: threads and processes that the command makes are recorded, too
 * @timeout: ns after which the recording ends; 0: no limit
 * @rotation: when another file begins
 * @output: path of the file; NULL: each file is in memory
 * @names_only: write the names of programs, but no mappings
 * @is_quiet: print no progress and no closing line
 * @is_verbose: print more about the recording
 * @is_traced: trace the command with ptrace, if possible
 * @command: the command and its arguments, NULL-terminated; NULL if there is none
 */
struct record_options {
	struct event_options events;
	const char *pmu;
	uint64_t period;
	uint64_t frequency;
	uint64_t random_mask;
	enum data_format format;
	bool has_chains;
	bool has_recorded;
	uint64_t buffer;
	struct targets targets;
	bool is_per_thread;
	bool is_inherited;
	uint64_t timeout;
	struct rotation rotation;
	const char *output;
	bool names_only;
	bool is_quiet;
	bool is_verbose;
	bool is_traced;
	char **command;
};

/* Functions for option_row.take: @field points to a uint64_t. */
int take_period(const char *argument, void *field);
int take_frequency(const char *argument, void *field);

/* Rows of options that several commands have. @field is the value of option_row.offset. */
#define PERIOD_OPTION(field)                                                             \
	{                                                                                \
		"count", 'c', "PERIOD", "a sample every PERIOD events", take_period,     \
			field                                                            \
	}
#define FREQUENCY_OPTION(field)                                                          \
	{                                                                                \
		"frequency", 'F', "HZ", FREQUENCY_HELP, take_frequency, field            \
	}

#define FREQUENCY_HELP "about HZ samples for a second of CPU time (default 1000)"

/*
 * Returns 0, or 1 after printing the help that the user asked for, or -1 after reporting an error.
 * The caller calls record_options_free() in any case.
 */
int record_options_parse(int argc, char **argv, struct record_options *options);
void record_options_free(struct record_options *options);

#endif
