/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of pfmon top. */
#ifndef PFMON_TOP_OPTIONS_H
#define PFMON_TOP_OPTIONS_H

#include "../record/record_options.h"
#include "../report/profile.h"

/**
 * struct top_options - the command line
 * @record: how to sample; @record.rotation.time is the length of an interval
 * @profile: what the entries stand for, such as programs; view.h shows them below the CPUs
 * @refreshes: number of intervals to show; 0: no limit
 * @is_batch: print one interval after the other, and do not control the terminal
 */
struct top_options {
	struct record_options record;
	struct profile_options profile;
	uint64_t refreshes;
	bool is_batch;
};

/*
 * Returns 1 if the user asked for help, -1 after reporting an error, and 0 in all other cases. The
 * caller calls record_options_free() for @options->record in any case.
 */
int top_options_parse(int argc, char **argv, struct top_options *options);

#endif
