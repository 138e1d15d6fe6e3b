/* SPDX-License-Identifier: GPL-2.0-only */
/* Pseudo-random numbers from a seed (splitmix64; Steele, Lea, Flood 2014). */
#ifndef FUZZ_RANDOM_H
#define FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline unsigned int random_below(struct random *random, unsigned int end)
{
	return random_next(random) % end;
}

/* Returns true with a probability of @percent %. */
static inline bool random_percent(struct random *random, unsigned int percent)
{
	return random_below(random, 100) < percent;
}

#endif
