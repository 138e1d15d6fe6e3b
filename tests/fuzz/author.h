/* SPDX-License-Identifier: GPL-2.0-only */
/* Who writes the operations of one worker, and what he puts in their arguments. */
#ifndef FUZZ_AUTHOR_H
#define FUZZ_AUTHOR_H

#include "execute.h"
#include "generate.h"
#include "random.h"

/* What a round is about beside the usual. */
enum theme {
	THEME_USUAL,
	THEME_LIMITS,
	THEME_PROCESSORS,
	THEME_MODULES
};

/**
 * struct author - who writes the operations of one worker
 * @random: all that decides
 * @pmu: whose registers
 * @theme: of the round
 * @operations: written so far, @count of them
 * @limit: as many there shall be
 * @numbers: registers used last, so that reading finds what writing used
 * @samples: what is written now is to sample
 * @sets: it is about several event sets
 */
struct author {
	struct random random;
	enum pmu pmu;
	enum theme theme;
	struct operation *operations;
	unsigned int count;
	unsigned int limit;
	uint16_t numbers[ELEMENTS];
	bool samples;
	bool sets;
};

static inline bool percent(struct author *author, unsigned int of_hundred)
{
	return random_percent(&author->random, of_hundred);
}

static inline unsigned int below(struct author *author, unsigned int end)
{
	return random_below(&author->random, end);
}

#define ONE_OF(author, array) ((array)[below(author, COUNT(array))])

/* An operation with nothing in it; dropped if there are enough. */
struct operation *add(struct author *author, enum call call, unsigned int slot);

/* One with all its arguments. */
struct operation *add_filled(struct author *author, enum call call, unsigned int slot);

unsigned int any_slot(struct author *author);
uint32_t open_flags(struct author *author);

#endif
