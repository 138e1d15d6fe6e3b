// SPDX-License-Identifier: GPL-2.0-only
/* If an event was counted only part of the time, scale its count to the whole time. */
#include <math.h>

#include "scale.h"

uint64_t scale(uint64_t value, uint64_t duration, uint64_t total)
{
	/*
	 * The product of two 64-bit numbers can have 128 bits. A long double would lose some of
	 * them: on some machines it has no more bits than a double.
	 */
	return (uint64_t)((unsigned __int128)value * total / duration);
}

void ratio_add(struct ratio *ratio, uint64_t value, uint64_t duration)
{
	double time = (double)duration, difference;

	if (!duration)
		return;
	if (!ratio->count++)
		ratio->first = (double)value / time;
	difference = (double)value - ratio->first * time;
	ratio->values += (double)value;
	ratio->durations += time;
	ratio->squares += difference * difference;
	ratio->products += difference * time;
	ratio->square_durations += time * time;
}

/*
 * There are n increments with values y and times x. R = sum(y) / sum(x) is the rate, T is
 * the whole time, and f = sum(x) / T is the fraction of T during which the event was counted. The
 * variance of the estimate R T is
 *
 *	T^2 (1 - f) n / (n - 1) sum((y - R x)^2) / sum(x)^2
 *
 * This is Cochran's formula for the variance of a population total. His formula has N, the number
 * of increments that fit into T; here N is replaced by T n / sum(x). The relative error is the
 * square root of the variance, divided by R T.
 */
bool ratio_error(const struct ratio *ratio, uint64_t total, double *error)
{
	double n = ratio->count, rate, shift, squares, unseen;

	if (ratio->count < RATIO_LEAST || ratio->values <= 0)
		return false;
	rate = ratio->values / ratio->durations;
	shift = rate - ratio->first;
	squares = ratio->squares - 2 * shift * ratio->products +
		  shift * shift * ratio->square_durations;
	unseen = 1 - ratio->durations / (double)total;
	if (squares < 0 || unseen < 0)
		squares = unseen = 0;
	*error = sqrt(unseen * n / (n - 1) * squares) / ratio->values;
	return true;
}
