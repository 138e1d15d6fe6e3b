/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <math.h>
#include <stdint.h>

#define REPETITIONS  1000
#define NOT_MEASURED NAN

/* One thing whose cost is asked for. */
typedef void (*step_fn)(void *argument);

/* Ends the program if the ruler does not count instructions. */
void measure_init(void);

/*
 * Median cost of a step in guest instructions, after a warm-up; the ruler's own
 * cost and that of the call is subtracted.  Timer ticks are outliers that the
 * median leaves out.
 */
double measure(step_fn step, void *argument);

/* The same for two steps that undo each other. */
void measure_pair(step_fn first, step_fn second, void *argument, double *first_cost,
		  double *second_cost);

/**
 * struct interruptions - medians, in instructions
 * @cost: how long an interruption takes
 * @between: what the thread does from one to the next
 */
struct interruptions {
	double cost;
	double between;
};

/*
 * Of @count interruptions of the thread, REPETITIONS at most, which does nothing but look at the ruler.
 * Where most of them are what is asked for, the timer's do not matter.
 */
struct interruptions measure_interruptions(int count);

/* Median of @count ticks of the ruler, in instructions; sorts them. */
double median_of(uint64_t *ticks, int count);

#endif
