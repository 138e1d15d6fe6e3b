/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the part of the time in which an event was counted to the whole, and how far off
 * that may be.
 *
 * The whole is estimated by a ratio: the count, divided by the time in which it was
 * counted, times the whole time.  The error is estimated from how much the rate changed
 * between increments; an increment is what was counted between two looks, and its time.
 * W. G. Cochran, Sampling Techniques, 3rd edition, 1977, chapter 6, "Ratio Estimators".
 */
#ifndef PFMON_SCALE_H
#define PFMON_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/* With fewer increments nothing is said of the error. */
#define RATIO_LEAST 3

/*
 * @value, counted for @duration, as it would be for @total of the same unit; @duration
 * is not 0.  Exact if both are the same.
 */
uint64_t scale(uint64_t value, uint64_t duration, uint64_t total);

/**
 * struct ratio - the increments of a count
 * @count: number of increments
 * @values: their sum
 * @durations: the sum of their times
 * @first: the rate of the first increment; the sums use the differences from it, so that
 *	no digits are lost
 * @squares: sum of (value - @first * duration)^2
 * @products: sum of (value - @first * duration) * duration
 * @square_durations: sum of duration^2
 */
struct ratio {
	unsigned int count;
	double values;
	double durations;
	double first;
	double squares;
	double products;
	double square_durations;
};

/* An increment without time is ignored. */
void ratio_add(struct ratio *ratio, uint64_t value, uint64_t duration);

/*
 * The standard error of what the increments give for @total, in parts of it.  False if it
 * is not known: there are too few increments, or nothing was counted.
 */
bool ratio_error(const struct ratio *ratio, uint64_t total, double *error);

#endif
