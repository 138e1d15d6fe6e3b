/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured. */
#ifndef PFMON_RESULTS_H
#define PFMON_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../event/events.h"
#include "../run/costs.h"
#include "../run/targets.h"

/**
 * struct run - the figures of one run
 * @values: counts, one for each event, not scaled
 * @sets: the activity of each event set; empty if there are no event sets
 * @errors: standard error of each scaled count, relative to the count; negative if the
 *	error is not known
 * @biases: relative error that set switches may have caused in each scaled count
 * @runtime: sum of the CPU times of the threads in ns; for CPUs, sum of the times during which they
 *	were counted
 * @idle: sum of the idle times of the CPUs, in seconds; NAN if it is not known
 * @elapsed: seconds from start to end
 * @user: seconds of CPU time that the command used in user mode
 * @system: seconds of CPU time that the command used in the kernel
 */
struct run {
	uint64_t *values;
	struct set_activity *sets;
	double *errors;
	double *biases;
	uint64_t runtime;
	double idle;
	double elapsed;
	double user;
	double system;
};

/*
 * What the counts belong to: the whole measurement or a part of it.  In tables and in CSV, each
 * line with a count of a part begins with a text that names the part, such as "CPU3" (@stamp in
 * struct results).
 */
enum part_kind {
	PART_WHOLE, /* all that was measured */
	PART_INTERVAL, /* an interval of the measurement */
	PART_CPU, /* a CPU, during the whole measurement */
	PART_THREAD, /* a thread, during the whole measurement */
};

/**
 * struct part - a part of a measurement, with counts of its own
 * @kind: what the part is
 * @time: for an interval: seconds from the start of counting to the end of the interval
 * @cpu: for a CPU: its number
 * @tid: for a thread: its number
 * @tgid: for a thread: its process
 * @name: for a thread: its name
 * @dropped: if not 0, the part is not a single thread, but the sum of this many threads whose
 *	counts the kernel dropped before pfmon read them
 */
struct part {
	enum part_kind kind;
	double time;
	int cpu;
	uint32_t tid;
	uint32_t tgid;
	const char *name;
	uint64_t dropped;
};

/**
 * struct results - the figures of a measurement, or of a part of it
 * @machine: the machine that counted the events
 * @events: the events
 * @command: the command, NULL-terminated, or NULL
 * @targets: the threads, processes or CPUs that were counted; NULL if the command was counted
 * @part: the part of the measurement that the counts belong to
 * @stamp: text at the beginning of each line with a count, such as "CPU3"; NULL: none
 * @is_scaled: event sets are switched after a time, not after overflows, so counts are scaled to
 *	the whole time
 * @runs: the runs
 * @run_count: number of @runs
 * @has_usage: whether user and system times were measured
 * @costs: what monitoring cost in all runs together; NULL if these costs are not shown
 * @exit_status: exit status that pfmon ends with
 */
struct results {
	const struct machine *machine;
	const struct event_list *events;
	char *const *command;
	const struct targets *targets;
	struct part part;
	const char *stamp;
	bool is_scaled;
	struct run *runs;
	size_t run_count;
	bool has_usage;
	const struct costs *costs;
	int exit_status;
};

/**
 * struct figure - a mean over the runs
 * @mean: the mean
 * @error: standard error of the mean, 0 with a single run
 * @runs: number of runs for which the figure is known
 */
struct figure {
	double mean;
	double error;
	unsigned int runs;
};

/*
 * Returns the state of the event. If the event's own state is EVENT_COUNTED, but none of the runs
 * counted the event, the result is EVENT_NOT_COUNTED. A run did not count the event if the event's
 * set was never active, or if CPUs were measured and the time during which they were counted is 0.
 */
enum event_state results_state(const struct results *results, size_t event);

/* Text that is shown in place of a count if @state is not EVENT_COUNTED. */
const char *results_state_text(enum event_state state);

/*
 * The mean of the event's counts in the runs that counted the event. If @results->is_scaled, each
 * count is scaled to the whole time.
 */
struct figure results_value(const struct results *results, size_t event);

/*
 * The mean that results_value() returns, as a whole number. With a single run, it is not rounded to
 * the 53 bits of a double.
 */
uint64_t results_count(const struct results *results, size_t event);

/*
 * The mean of the event's counts before scaling, as a whole number. With several runs, this is the
 * mean over the runs that counted the event. With a single run, it is the raw value of this run:
 * results_counted() does not check whether the run counted the event.
 */
uint64_t results_counted(const struct results *results, size_t event);

/* The fraction of the time during which the event was counted: 0 to 1. */
double results_fraction(const struct results *results, size_t event);

/*
 * Standard error of results_value(), in percent of this value.  With several runs, the error is
 * computed from the spread of the runs.  With one run, it is computed from the increments of the
 * count (see scale.h).  In both cases, the error includes the error that set switches may have
 * caused. The result is negative if the error is not known.
 */
double results_error(const struct results *results, size_t event);

/* The number of times that a set became active, and the time in ns for which it was active. */
struct figure results_set_runs(const struct results *results, size_t set);
struct figure results_set_duration(const struct results *results, size_t set);

/*
 * Find the run in which the sets differ most in their number of turns. Store in @least the number
 * of turns of the set that had the fewest turns in this run, and in @most the number of turns of
 * the set that had the most turns. Then find the run with the most sets that were never active, and
 * store the number of these sets in @missed.
 */
void results_turns(const struct results *results, uint64_t *least, uint64_t *most,
		   size_t *missed);

/* The active time of @set, divided by the sum of the active times of all sets: 0 to 1. */
double results_set_fraction(const struct results *results, size_t set);

struct figure results_runtime(const struct results *results);
/* The idle time. If it is not known, the number of runs in the figure is 0. */
struct figure results_idle(const struct results *results);
/* The CPUs' idle time, in percent of the time during which they were counted. */
double results_idle_part(const struct results *results);
struct figure results_elapsed(const struct results *results);
struct figure results_user(const struct results *results);
struct figure results_system(const struct results *results);

/* Standard error in percent of the mean. */
double figure_spread(const struct figure *figure);

/* Add an empty run and return it, or NULL if there is no memory. */
struct run *results_add_run(struct results *results);
void results_free(struct results *results);

#endif
