// SPDX-License-Identifier: GPL-2.0-only
/* Compute the means over the runs, and the spread of the runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "results.h"
#include "scale.h"

struct run *results_add_run(struct results *results)
{
	struct run *run = array_add(&results->runs, &results->run_count, sizeof(*run));

	if (!run)
		return NULL;
	run->idle = NAN;
	run->values = calloc(results->events->count + 1, sizeof(*run->values));
	run->sets = calloc(results->events->set_count + 1, sizeof(*run->sets));
	run->errors = calloc(results->events->count + 1, sizeof(*run->errors));
	run->biases = calloc(results->events->count + 1, sizeof(*run->biases));
	return run->values && run->sets && run->errors && run->biases ? run : NULL;
}

void results_free(struct results *results)
{
	for (size_t i = 0; i < results->run_count; i++) {
		free(results->runs[i].values);
		free(results->runs[i].sets);
		free(results->runs[i].errors);
		free(results->runs[i].biases);
	}
	free(results->runs);
	results->runs = NULL;
	results->run_count = 0;
}

typedef double (*pick)(const struct results *results, const struct run *run,
		       size_t index);

/*
 * Returns the mean of a figure over the n runs for which it is known. The standard error of the
 * mean is s / sqrt(n), where s is the sample standard deviation, with n - 1 in its denominator.
 */
static struct figure average(const struct results *results, pick pick, size_t index)
{
	struct figure figure = { 0, 0, 0 };
	double squares = 0;

	for (size_t i = 0; i < results->run_count; i++) {
		double value = pick(results, &results->runs[i], index);

		if (isnan(value))
			continue;
		figure.mean += value;
		figure.runs++;
	}
	if (figure.runs)
		figure.mean /= figure.runs;
	if (figure.runs < 2)
		return figure;
	for (size_t i = 0; i < results->run_count; i++) {
		double off = pick(results, &results->runs[i], index) - figure.mean;

		if (!isnan(off))
			squares += off * off;
	}
	figure.error = sqrt(squares / (figure.runs - 1) / figure.runs);
	return figure;
}

/* Returns the sum of the times in ns during which the sets were active. */
static uint64_t whole(const struct results *results, const struct run *run)
{
	uint64_t duration = 0;

	for (size_t i = 0; i < results->events->set_count; i++)
		duration += run->sets[i].duration;
	return duration;
}

/*
 * Returns the time in ns during which the event was counted. For an event that was counted all the
 * time, this is the result of whole().
 */
static uint64_t part(const struct results *results, const struct run *run, size_t index)
{
	size_t set = results->events->events[index].set;

	if (!results->events->set_count || set == EVERY_SET)
		return whole(results, run);
	return run->sets[set].duration;
}

/*
 * Returns true if CPUs were measured and the time during which they were counted is 0, for example
 * because they were offline. Then their counts of 0 mean nothing. If threads were measured, returns
 * false even if their CPU time is 0, because counts of 0 are right for threads that never ran.
 */
static bool was_away(const struct results *results, const struct run *run)
{
	const struct machine *machine = results->machine;

	return machine && machine->is_system_wide && !run->runtime &&
	       register_in(machine->info.implemented_pmds, PFM_PMD_TASK_CLOCK);
}

static bool was_counted(const struct results *results, const struct run *run,
			size_t index)
{
	if (results->events->events[index].state != EVENT_COUNTED ||
	    was_away(results, run))
		return false;
	return !results->events->set_count || part(results, run, index);
}

static uint64_t scaled(const struct results *results, const struct run *run, size_t index)
{
	if (!results->is_scaled)
		return run->values[index];
	return scale(run->values[index], part(results, run, index), whole(results, run));
}

static double pick_value(const struct results *results, const struct run *run,
			 size_t index)
{
	return was_counted(results, run, index) ? (double)scaled(results, run, index)
						: NAN;
}

static double pick_counted(const struct results *results, const struct run *run,
			   size_t index)
{
	return was_counted(results, run, index) ? (double)run->values[index] : NAN;
}

static double pick_fraction(const struct results *results, const struct run *run,
			    size_t index)
{
	uint64_t all = whole(results, run);

	return all ? (double)part(results, run, index) / (double)all : 1;
}

static double pick_set_runs(const struct results *results, const struct run *run,
			    size_t index)
{
	(void)results;
	return (double)run->sets[index].runs;
}

static double pick_set_duration(const struct results *results, const struct run *run,
				size_t index)
{
	(void)results;
	return (double)run->sets[index].duration;
}

static double pick_runtime(const struct results *results, const struct run *run,
			   size_t index)
{
	(void)results;
	(void)index;
	return (double)run->runtime;
}

static double pick_idle(const struct results *results, const struct run *run,
			size_t index)
{
	(void)results;
	(void)index;
	return run->idle;
}

static double pick_elapsed(const struct results *results, const struct run *run,
			   size_t index)
{
	(void)results;
	(void)index;
	return run->elapsed;
}

static double pick_user(const struct results *results, const struct run *run,
			size_t index)
{
	(void)results;
	(void)index;
	return run->user;
}

static double pick_system(const struct results *results, const struct run *run,
			  size_t index)
{
	(void)results;
	(void)index;
	return run->system;
}

static double pick_bias(const struct results *results, const struct run *run,
			size_t index)
{
	(void)results;
	return run->biases[index];
}

enum event_state results_state(const struct results *results, size_t event)
{
	enum event_state state = results->events->events[event].state;

	if (state != EVENT_COUNTED || !results->run_count)
		return state;
	for (size_t i = 0; i < results->run_count; i++)
		if (was_counted(results, &results->runs[i], event))
			return EVENT_COUNTED;
	return EVENT_NOT_COUNTED;
}

struct figure results_value(const struct results *results, size_t event)
{
	return average(results, pick_value, event);
}

/*
 * The count of a single run is not converted to double, because a double would round it to 53 bits.
 */
uint64_t results_count(const struct results *results, size_t event)
{
	if (results->run_count == 1 && was_counted(results, results->runs, event))
		return scaled(results, results->runs, event);
	return (uint64_t)llround(results_value(results, event).mean);
}

uint64_t results_counted(const struct results *results, size_t event)
{
	if (results->run_count == 1)
		return results->runs[0].values[event];
	return (uint64_t)llround(average(results, pick_counted, event).mean);
}

double results_fraction(const struct results *results, size_t event)
{
	return average(results, pick_fraction, event).mean;
}

double results_error(const struct results *results, size_t event)
{
	double bias = 100 * average(results, pick_bias, event).mean;
	struct figure figure;

	if (results->run_count == 1 && results->runs[0].errors[event] < 0)
		return -1;
	if (results->run_count == 1)
		return 100 * results->runs[0].errors[event] + bias;
	figure = results_value(results, event);
	return figure.runs > 1 ? figure_spread(&figure) + bias : -1;
}

struct figure results_set_runs(const struct results *results, size_t set)
{
	return average(results, pick_set_runs, set);
}

struct figure results_set_duration(const struct results *results, size_t set)
{
	return average(results, pick_set_duration, set);
}

void results_turns(const struct results *results, uint64_t *least, uint64_t *most,
		   size_t *missed)
{
	uint64_t widest = 0;

	*least = *most = *missed = 0;
	for (size_t i = 0; i < results->run_count; i++) {
		const struct set_activity *sets = results->runs[i].sets;
		uint64_t low = sets[0].runs, high = low;
		size_t idle = 0;

		for (size_t set = 0; set < results->events->set_count; set++) {
			low = sets[set].runs < low ? sets[set].runs : low;
			high = sets[set].runs > high ? sets[set].runs : high;
			idle += !sets[set].duration;
		}
		*missed = idle > *missed ? idle : *missed;
		if (high - low < widest)
			continue;
		widest = high - low;
		*least = low;
		*most = high;
	}
}

double results_set_fraction(const struct results *results, size_t set)
{
	double all = 0;

	for (size_t i = 0; i < results->events->set_count; i++)
		all += results_set_duration(results, i).mean;
	return all > 0 ? results_set_duration(results, set).mean / all : 0;
}

struct figure results_runtime(const struct results *results)
{
	return average(results, pick_runtime, 0);
}

struct figure results_idle(const struct results *results)
{
	return average(results, pick_idle, 0);
}

double results_idle_part(const struct results *results)
{
	double runtime = results_runtime(results).mean / 1e9;

	/* The kernel rounds idle times, so the idle time may exceed the duration of a short run. */
	return runtime > 0 ? fmin(100 * results_idle(results).mean / runtime, 100) : 0;
}

struct figure results_elapsed(const struct results *results)
{
	return average(results, pick_elapsed, 0);
}

struct figure results_user(const struct results *results)
{
	return average(results, pick_user, 0);
}

struct figure results_system(const struct results *results)
{
	return average(results, pick_system, 0);
}

double figure_spread(const struct figure *figure)
{
	return figure->mean > 0 ? 100 * figure->error / figure->mean : 0;
}

const char *results_state_text(enum event_state state)
{
	return state == EVENT_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}
