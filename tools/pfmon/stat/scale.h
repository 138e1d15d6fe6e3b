/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * If an event was counted only part of the time, scale its count to the whole time, and estimate
 * the error.
 *
 * The rate of the event is its count, divided by the time during which it was counted. This rate
 * times the whole time is the estimate of the whole count. The count and the time during which the
 * event was counted are read several times. An increment is the growth of both from one reading to
 * the next. The error is estimated from how much the rate differs between increments. The method is
 * from W. G. Cochran, Sampling Techniques, 3rd edition, 1977, chapter 6, "Ratio Estimators".
 */
#ifndef PFMON_SCALE_H
#define PFMON_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/* Minimum number of increments from which the error is estimated. */
#define RATIO_LEAST 3

/*
 * Scale @value, which was counted during the time @duration, to the time @total. @duration and
 * @total have the same unit, and @duration is not 0. The result is exact if @duration and @total
 * are equal.
 */
uint64_t scale(uint64_t value, uint64_t duration, uint64_t total);

/**
 * struct ratio - sums over the increments of a count. The value of an increment is the growth of
 *	the count. Its duration is the growth of the time during which the event was counted
 * @count: number of increments
 * @values: sum of the values of the increments
 * @durations: sum of the durations of the increments
 * @first: rate of the first increment; @squares and @products use differences from this rate, so
 *	that no digits are lost
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

/* Add an increment. An increment whose @duration is 0 is ignored. */
void ratio_add(struct ratio *ratio, uint64_t value, uint64_t duration);

/*
 * The increments give an estimate of the count during the time @total. Store the relative standard
 * error of this estimate in @error. Returns false if the error is not known, because there are too
 * few increments or nothing was counted.
 */
bool ratio_error(const struct ratio *ratio, uint64_t total, double *error);

#endif
