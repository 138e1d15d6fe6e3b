/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds the operations of one worker. */
#ifndef FUZZ_BUILDER_H
#define FUZZ_BUILDER_H

#include "execute.h"
#include "generate.h"
#include "random.h"

/* The subject of a round. A round with THEME_USUAL has no special subject. */
enum theme {
	THEME_USUAL,
	THEME_LIMITS,
	THEME_PROCESSORS,
	THEME_MODULES
};

/**
 * struct builder - a worker's plan that is being built
 * @random: random numbers for all decisions
 * @pmu: the PMU whose registers are used
 * @theme: subject of the round
 * @operations: the operations that have been added so far
 * @count: number of @operations
 * @limit: maximum number of @operations
 * @pmcs: PMCs that the last WRITE_PMCS names
 * @numbers: PMDs that the last WRITE_PMDS names; most later reads name the same PMDs
 * @loaded: slot of the last context that was loaded on the worker itself
 * @samples: the current scenario takes samples
 * @sets: the current scenario has several event sets
 */
struct builder {
	struct random random;
	enum pmu pmu;
	enum theme theme;
	struct operation *operations;
	unsigned int count;
	unsigned int limit;
	uint16_t pmcs[ELEMENTS];
	uint16_t numbers[ELEMENTS];
	unsigned int loaded;
	bool samples;
	bool sets;
};

static inline bool percent(struct builder *builder, unsigned int of_hundred)
{
	return random_percent(&builder->random, of_hundred);
}

static inline unsigned int below(struct builder *builder, unsigned int end)
{
	return random_below(&builder->random, end);
}

#define ONE_OF(builder, array) ((array)[below(builder, COUNT(array))])

/*
 * Adds an operation without arguments. If the plan is full (@limit), the returned operation is
 * never executed.
 */
struct operation *add(struct builder *builder, enum call call, unsigned int slot);

/* Adds an operation with all its arguments. */
struct operation *add_filled(struct builder *builder, enum call call, unsigned int slot);

unsigned int any_slot(struct builder *builder);

/* scenarios.c */
void add_scenario(struct builder *builder);
void add_settings(struct builder *builder);
void add_processors(struct builder *builder);
void add_modules(struct builder *builder);
void add_formats(struct builder *builder);

/* arguments.c */
enum place bad_place(struct builder *builder);
unsigned int which_allocation(struct builder *builder);
void fill_who(struct builder *builder, struct operation *operation);

/* arguments_other.c */
uint32_t open_flags(struct builder *builder);
void fill_file_call(struct builder *builder, struct operation *operation);
void fill_environment(struct builder *builder, struct operation *operation);

#endif
