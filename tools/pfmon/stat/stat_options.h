/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of pfmon stat. */
#ifndef PFMON_STAT_OPTIONS_H
#define PFMON_STAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/options.h"
#include "../run/targets.h"

/**
 * struct stat_options - the command line
 * @events: what to count
 * @pmu: name of the PMU that the user chose, NULL for the default
 * @interval: length of a turn in ns if there are more events than counters
 * @takes_turns: if there are more events than counters, the events take turns
 * @sets: file of event sets, or NULL
 * @runs: number of runs of the command
 * @targets: threads, processes or CPUs to count; empty if the command is counted
 * @is_per_cpu: show the counts of each CPU, besides their sums
 * @timeout: ns after which counting ends, 0: no limit
 * @print_interval: ns from one print of the counts to the next; 0: print only at the end
 * @is_verbose: show what the measurement has cost
 * @is_inherited: count the threads and processes that the command creates; with -p, count the
 *	threads that the processes create
 * @separator: separator of the CSV fields; NULL: do not print CSV
 * @is_json: print JSON
 * @output: file to write, NULL for standard error
 * @command: command to run, NULL-terminated, or NULL
 */
struct stat_options {
	struct event_options events;
	const char *pmu;
	uint64_t interval;
	bool takes_turns;
	const char *sets;
	unsigned int runs;
	struct targets targets;
	bool is_per_cpu;
	uint64_t timeout;
	uint64_t print_interval;
	bool is_verbose;
	bool is_inherited;
	const char *separator;
	bool is_json;
	const char *output;
	char **command;
};

/*
 * The caller calls stat_options_free() in any case. Returns 1 if the user asked for help, -1 after
 * reporting an error, and 0 in all other cases.
 */
int stat_options_parse(int argc, char **argv, struct stat_options *options);
void stat_options_free(struct stat_options *options);

#endif
