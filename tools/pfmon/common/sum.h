/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums of numbers that may be wrong, because they come from a file. */
#ifndef PFMON_SUM_H
#define PFMON_SUM_H

#include <stdint.h>

/* If the sum exceeds UINT64_MAX, returns UINT64_MAX, so that comparing and dividing still work. */
static inline uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
