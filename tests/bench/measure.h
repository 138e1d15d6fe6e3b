/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <math.h>
#include <stdint.h>

#define REPETITIONS  1000
#define NOT_MEASURED NAN

/* An operation whose cost is measured. */
typedef void (*step_fn)(void *argument);

/* Ends the program if the ruler (ruler.h) does not count instructions. */
void measure_init(void);

/*
 * Returns the median cost of a step in guest instructions, after a warm-up. The costs of reading
 * the ruler and of calling @step are subtracted. The median leaves out timer ticks, which are
 * outliers.
 */
double measure(step_fn step, void *argument);

/*
 * Measures like measure(), but returns the tenth percentile instead of the median. Use it if the
 * kernel has a short path and a long path for the same step, for example in its allocators. Most
 * repetitions may take the short path in one boot and the long path in the next boot, so the median
 * would differ from boot to boot. The minimum is no better, because the kernel does less work than
 * usual in a few of 1,000 repetitions.
 */
double measure_short_path(step_fn step, void *argument);

/* Measures two steps, each as measure() does. The second step undoes the first. */
void measure_pair(step_fn first, step_fn second, void *argument, double *first_cost,
		  double *second_cost);

/**
 * struct interruptions - medians over the interruptions of a thread
 * @cost: number of instructions that an interruption takes
 * @between: number of instructions that the thread itself executes between two interruptions
 */
struct interruptions {
	double cost;
	double between;
};

/*
 * Measures @count interruptions of the calling thread, which only reads the ruler during this time.
 * @count is at most REPETITIONS. Interruptions that are not to be measured, such as timer ticks, do
 * not matter if they are a minority, because the results are medians.
 */
struct interruptions measure_interruptions(int count);

#endif
