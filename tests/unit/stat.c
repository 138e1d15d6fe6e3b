// SPDX-License-Identifier: GPL-2.0-only
/* Tests the command line of pfmon stat. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../tools/pfmon/event/packing.h"
#include "../../tools/pfmon/stat/stat_options.h"
#include "suites.h"

SUITE(stat, 120);

/* Parse @line as the arguments of pfmon stat. */
static int parse(struct stat_options *options, const char *line)
{
	static char words[512];
	static char *arguments[32];
	int count = 0;
	char *word, *rest;

	snprintf(words, sizeof(words), "pfmon-stat %s", line);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		arguments[count++] = word;
	arguments[count] = NULL;
	optind = 0; /* resets getopt, including its internal state */
	return stat_options_parse(count, arguments, options);
}

TEST(events_take_turns_of_a_millisecond_by_default)
{
	struct stat_options options;

	ck_assert_int_eq(parse(&options, "true"), 0);
	ck_assert(options.takes_turns);
	ck_assert_uint_eq(options.interval, SET_INTERVAL);
	ck_assert_uint_eq(options.interval, 1000000);
	ck_assert_int_eq(parse(&options, "--mux-interval 0.25 true"), 0);
	ck_assert_uint_eq(options.interval, 250000);
	ck_assert_int_eq(parse(&options, "--mux-interval=4ms -e cs -r 3 true"), 0);
	ck_assert_uint_eq(options.interval, 4000000);
	ck_assert_uint_eq(options.runs, 3);
	ck_assert_int_eq(parse(&options, "--no-mux true"), 0);
	ck_assert(!options.takes_turns);
	ck_assert_ptr_null(options.pmu);
	ck_assert_int_eq(parse(&options, "--pmu soft true"), 0);
	ck_assert_str_eq(options.pmu, "soft");
	ck_assert_int_eq(parse(&options, "--sets file true -e x"), 0);
	ck_assert_str_eq(options.sets, "file");
	ck_assert_str_eq(options.command[0], "true");
}

TEST(options_that_contradict_each_other_are_refused)
{
	static const char *const lines[] = {
		"--per-thread -r 2 true",
		"--per-thread -I 1s true",
		"--per-thread -a true",
		"--per-thread -C 0 true",
		"--mux-interval 1 --no-mux true",
		"--no-mux --mux-interval 1 true",
		"--sets file -e cs true",
		"--sets file --no-mux true",
		"--sets file --mux-interval 1 true",
		"--mux-interval 0 true",
		"--mux-interval fast true",
		"--sets",
		"--sets file",
		"-x, -j true",
		"-r 2 -t 5",
		"-r 2 -p 5",
		"-p 5,",
		"-p five",
		"-t 0",
		"-I 0 true",
		"-I 0.5 true",
		"-I 1s -r 2 true",
		"--timeout 999us true",
		"--timeout 400000000s true",
		"",
	};
	struct stat_options options;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ck_assert_msg(parse(&options, lines[i]) == -1, "'%s' is accepted",
			      lines[i]);
	ck_assert_int_eq(parse(&options, "--help"), 1);
}

TEST(threads_and_processes_are_lists)
{
	struct stat_options options;
	const struct targets *targets = &options.targets;

	ck_assert_int_eq(parse(&options, "-p 5,7 -t 3 -p 2147483647"), 0);
	ck_assert_uint_eq(targets->processes.count, 3);
	ck_assert_int_eq(targets->processes.ids[0], 5);
	ck_assert_int_eq(targets->processes.ids[1], 7);
	ck_assert_int_eq(targets->processes.ids[2], INT_MAX);
	ck_assert_uint_eq(targets->threads.count, 1);
	ck_assert_int_eq(targets->threads.ids[0], 3);
	stat_options_free(&options);
	ck_assert_int_eq(parse(&options, "true"), 0);
	ck_assert(!targets_are_given(targets));
}

TEST(times_without_a_unit_are_in_milliseconds)
{
	struct stat_options options;

	ck_assert_int_eq(parse(&options, "true"), 0);
	ck_assert_uint_eq(options.timeout, 0);
	ck_assert_uint_eq(options.print_interval, 0);
	ck_assert_int_eq(parse(&options, "-I 100 --timeout 1500 true"), 0);
	ck_assert_uint_eq(options.print_interval, 100000000);
	ck_assert_uint_eq(options.timeout, 1500000000);
	ck_assert_int_eq(parse(&options, "-I 0.1s --timeout 90000s true"), 0);
	ck_assert_uint_eq(options.print_interval, 100000000);
	ck_assert_uint_eq(options.timeout, 90000 * SECOND);
}
