/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured. */
#ifndef PFMON_RESULTS_H
#define PFMON_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../event/events.h"
#include "../run/session.h"

/**
 * struct run - the figures of one run
 * @values: counts, one for each event, as they were counted
 * @sets: activity of each event set; empty if there are none
 * @errors: standard error, in parts of it, of what each count is scaled to; negative if
 *	that is not known
 * @biases: relative error of that count which set switches may have caused
 * @runtime: ns of CPU time of the thread
 * @elapsed: seconds from start to end
 * @user: seconds of the command in user mode
 * @system: seconds of the command in the kernel
 */
struct run {
	uint64_t *values;
	struct set_activity *sets;
	double *errors;
	double *biases;
	uint64_t runtime;
	double elapsed;
	double user;
	double system;
};

/**
 * struct results - the figures of a measurement
 * @machine: where
 * @events: of what
 * @command: the command, NULL-terminated, or NULL
 * @tid: the thread that was attached to, or 0
 * @is_scaled: event sets have turns by time: counts are scaled to all of it
 * @runs: the runs
 * @run_count: number of @runs
 * @has_usage: whether user and system times were measured
 * @exit_status: of pfmon
 */
struct results {
	const struct machine *machine;
	const struct event_list *events;
	char *const *command;
	int tid;
	bool is_scaled;
	struct run *runs;
	unsigned int run_count;
	bool has_usage;
	int exit_status;
};

/**
 * struct figure - the mean of the runs
 * @mean: the mean
 * @error: standard error of the mean, 0 with a single run
 * @runs: how many have the figure
 */
struct figure {
	double mean;
	double error;
	unsigned int runs;
};

/*
 * Whether an event was counted; it was not if its set was never active.  The functions
 * below use only the runs in which it was.
 */
enum event_state results_state(const struct results *results, size_t event);

/* What is shown in place of a count for the other two states. */
const char *results_state_text(enum event_state state);

/* The count, scaled if @results are. */
struct figure results_value(const struct results *results, size_t event);

/* The mean as a whole number, exact with a single run. */
uint64_t results_count(const struct results *results, size_t event);

/* The same as it was counted. */
uint64_t results_counted(const struct results *results, size_t event);

/* The part of the time in which it was counted, 1 if all. */
double results_fraction(const struct results *results, size_t event);

/*
 * Standard error of the value in percent of it: of several runs their spread, of one run
 * an estimate from the turns of its set; plus the error that set switches may have
 * caused.  Negative if it is not known.
 */
double results_error(const struct results *results, size_t event);

/* Times that a set was active, and ns. */
struct figure results_set_runs(const struct results *results, size_t set);
struct figure results_set_duration(const struct results *results, size_t set);

/*
 * In any run: how often the sets were active, at @least and at @most, and how many never
 * counted.
 */
void results_turns(const struct results *results, uint64_t *least, uint64_t *most,
		   size_t *missed);

/* The duration in parts of that of all sets. */
double results_set_fraction(const struct results *results, size_t set);

struct figure results_runtime(const struct results *results);
struct figure results_elapsed(const struct results *results);
struct figure results_user(const struct results *results);
struct figure results_system(const struct results *results);

/* Standard error in percent of the mean. */
double figure_spread(const struct figure *figure);

/* Add an empty run; NULL without memory. */
struct run *results_add_run(struct results *results);
void results_free(struct results *results);

#endif
