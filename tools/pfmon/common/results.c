// SPDX-License-Identifier: GPL-2.0-only
/* Runs, their means and how far they spread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

struct run *results_add_run(struct results *results)
{
	struct run *runs, *run;

	runs = realloc(results->runs, (results->run_count + 1) * sizeof(*runs));
	if (!runs)
		return NULL;
	results->runs = runs;
	run = &runs[results->run_count];
	memset(run, 0, sizeof(*run));
	run->values = calloc(results->events->count + 1, sizeof(*run->values));
	if (!run->values)
		return NULL;
	results->run_count++;
	return run;
}

void results_free(struct results *results)
{
	for (unsigned int i = 0; i < results->run_count; i++)
		free(results->runs[i].values);
	free(results->runs);
	results->runs = NULL;
	results->run_count = 0;
}

typedef double (*pick)(const struct run *run, size_t index);

/*
 * Standard error of the mean: s / sqrt(n) with s the standard deviation of a
 * sample, n - 1 in its denominator.
 */
static struct figure average(const struct results *results, pick pick, size_t index)
{
	struct figure figure = { 0, 0 };
	unsigned int count = results->run_count;
	double squares = 0;

	if (!count)
		return figure;
	for (unsigned int i = 0; i < count; i++)
		figure.mean += pick(&results->runs[i], index);
	figure.mean /= count;
	if (count == 1)
		return figure;
	for (unsigned int i = 0; i < count; i++) {
		double off = pick(&results->runs[i], index) - figure.mean;

		squares += off * off;
	}
	figure.error = sqrt(squares / (count - 1) / count);
	return figure;
}

static double pick_value(const struct run *run, size_t index)
{
	return (double)run->values[index];
}

static double pick_runtime(const struct run *run, size_t index)
{
	(void)index;
	return (double)run->runtime;
}

static double pick_elapsed(const struct run *run, size_t index)
{
	(void)index;
	return run->elapsed;
}

static double pick_user(const struct run *run, size_t index)
{
	(void)index;
	return run->user;
}

static double pick_system(const struct run *run, size_t index)
{
	(void)index;
	return run->system;
}

struct figure results_value(const struct results *results, size_t event)
{
	return average(results, pick_value, event);
}

/* A double holds 53 bits only. */
uint64_t results_count(const struct results *results, size_t event)
{
	if (results->run_count == 1)
		return results->runs[0].values[event];
	return (uint64_t)llround(results_value(results, event).mean);
}

struct figure results_runtime(const struct results *results)
{
	return average(results, pick_runtime, 0);
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
