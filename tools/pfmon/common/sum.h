/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of numbers from the file of a recording. A damaged file may contain any numbers, so a sum
 * may be too large for 64 bits.
 */
#ifndef PFMON_SUM_H
#define PFMON_SUM_H

#include <stdint.h>

/* Returns @a + @b, or UINT64_MAX if the sum is larger. So a sum is never less than @a or @b. */
static inline uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
