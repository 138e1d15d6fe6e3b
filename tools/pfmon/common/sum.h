/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums of numbers that nobody has checked. */
#ifndef PFMON_SUM_H
#define PFMON_SUM_H

#include <stdint.h>

/* At most the largest number: what follows is compared and divided. */
static inline uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
