/* SPDX-License-Identifier: GPL-2.0-only */
/* The command lines of the subcommands. */
#ifndef PFMON_OPTIONS_H
#define PFMON_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

/*
 * Hand each option but -h, and @data, to @take, which says what is wrong and returns -1,
 * or 0, and has the option's argument in optarg; argv[0] is the subcommand.  Returns 1
 * if help was asked for, -1 after saying what is wrong, or 0: optind is the first
 * argument that is no option then.
 */
int options_parse(int argc, char **argv, const char *letters, const struct option *names,
		  int (*take)(int option, void *data), void *data);

/*
 * For a subcommand that has no options but --help and --pmu, the name into @pmu: returns 1
 * if @usage was asked for and given, -1 after saying what is wrong, or 0.
 */
int options_pmu_only(int argc, char **argv, const char *usage, const char **pmu);

/*
 * A number from 1 to @most, named @what; a size in bytes, also as 64k, 1M or 2G.  Say
 * what is wrong and return -1, or 0.
 */
int options_number(const char *text, const char *what, uint64_t most, uint64_t *number);
int options_size(const char *text, const char *what, uint64_t least, uint64_t most,
		 uint64_t *size);

/*
 * A time, also with decimals, in ns: 4ms, 250us, 0.5s, 100000ns; of a number alone the
 * unit is ms.  From 1 ns to 1 h.  Does not say what is wrong; returns -1, or 0.
 */
int options_time(const char *text, uint64_t *time);

#define MAX_EVENT_OPTIONS 64

/**
 * struct event_options - arguments of -e
 * @texts: each names events, separated by commas
 * @count: how many
 */
struct event_options {
	const char *texts[MAX_EVENT_OPTIONS];
	unsigned int count;
};

int options_add_event(struct event_options *events, const char *text);

#endif
