/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <math.h>
#include <stdint.h>

#define REPETITIONS  1000
#define NOT_MEASURED NAN

/* An operation whose cost is measured. */
typedef void (*step_fn)(void *argument);

/* Ends the program if the ruler does not count instructions. */
void measure_init(void);

/*
 * Median cost of a step in guest instructions, after a warm-up. The costs of the ruler and of the
 * call are subtracted. The median leaves out timer ticks, which are outliers.
 */
double measure(step_fn step, void *argument);

/* The same for two steps of which the second undoes the first. */
void measure_pair(step_fn first, step_fn second, void *argument, double *first_cost,
		  double *second_cost);

/**
 * struct interruptions - medians in instructions
 * @cost: how long an interruption takes
 * @between: instructions of the thread between two interruptions
 */
struct interruptions {
	double cost;
	double between;
};

/*
 * Measures @count interruptions of the thread, REPETITIONS at most. The thread only reads the
 * ruler. If most interruptions are of the kind that is measured, timer interrupts do not matter.
 */
struct interruptions measure_interruptions(int count);

/* Median of @count readings of the ruler, in instructions. Sorts them. */
double median_of(uint64_t *ticks, int count);

#endif
