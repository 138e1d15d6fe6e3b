/* SPDX-License-Identifier: GPL-2.0-only */
/* The command lines of the subcommands. */
#ifndef PFMON_OPTIONS_H
#define PFMON_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

/*
 * Call @take for each option but -h, with @data; the option's argument is in optarg.
 * @take returns 0, or reports an error and returns -1. argv[0] is the subcommand.
 * Returns 1 if the user asked for help, -1 after reporting an error, else 0; optind is
 * then the first argument that is no option.
 */
int options_parse(int argc, char **argv, const char *letters, const struct option *names,
		  int (*take)(int option, void *data), void *data);

/*
 * For a subcommand with only the options --help and --pmu: stores the PMU's name in
 * @pmu.  Returns 1 after printing @usage for --help, -1 after reporting an error, else 0.
 */
int options_pmu_only(int argc, char **argv, const char *usage, const char **pmu);

/*
 * Parse a number from 1 to @most, called @what in messages; or a size in bytes, also as
 * 64k, 1M or 2G.  Report an error and return -1, or return 0.
 */
int options_number(const char *text, const char *what, uint64_t most, uint64_t *number);
int options_size(const char *text, const char *what, uint64_t least, uint64_t most,
		 uint64_t *size);

/*
 * Parse a time from 1 ns to 1 h, stored in ns: 4ms, 250us, 0.5s, 100000ns; decimals are
 * allowed, and a number without unit is in ms.  Returns -1 without a message if @text is
 * no such time, else 0.
 */
int options_time(const char *text, uint64_t *time);

#define MAX_EVENT_OPTIONS 64

/**
 * struct event_options - arguments of -e
 * @texts: each names events, separated by commas
 * @count: number of @texts
 */
struct event_options {
	const char *texts[MAX_EVENT_OPTIONS];
	unsigned int count;
};

int options_add_event(struct event_options *events, const char *text);

#endif
