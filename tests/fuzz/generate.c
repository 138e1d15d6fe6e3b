/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the plan of a round: the number of workers, their kinds, and their operations. */
#include <fcntl.h>

#include "builder.h"

/*
 * The beginning and the end of a round take as long as several hundred calls. A round has many
 * operations, so that this time is only a small part of the round. Some operations take as long as
 * dozens of calls, so the generator chooses these operations rarely.
 */
#define MOST_OPERATIONS	 1500 /* of a worker */
#define LEAST_OPERATIONS 900

/* Changes limits, opens descriptors and starts targets before the other workers begin. */
static void build_setup(struct builder *builder)
{
	unsigned int slot;

	if (builder->theme == THEME_MODULES)
		return;
	if (builder->theme == THEME_LIMITS) {
		struct operation *limit = add(builder, SETTING, 0);

		limit->count = 2; /* arg_mem_max */
		limit->flags = percent(builder, 50) ? 4 : 5;
		if (percent(builder, 40))
			add(builder, SETTING, 0)->flags = 3; /* task_group 12345 */
	}
	for (slot = 0; slot < SHARED_SLOTS; slot++) {
		add(builder, OPEN, slot)->flags = open_flags(builder);
		if (percent(builder, 70))
			add(builder, CREATE_CONTEXT, slot);
	}
	for (slot = 0; slot < TARGETS; slot++) {
		struct operation *operation = add_filled(builder, SPAWN, 0);

		operation->value = slot;
	}
}

/*
 * Lets the other workers run, so that the expensive operations of this worker are spread over the
 * round.
 */
static void pause_for_others(struct builder *builder)
{
	add(builder, SLEEP, 0)->count = 10000 + below(builder, 40000);
}

static void build_canary(struct builder *builder)
{
	while (builder->count < builder->limit) {
		add_filled(builder, CANARY, 0);
		add_filled(builder, AFFINITY, 0);
		pause_for_others(builder);
	}
}

static void build_disturber(struct builder *builder)
{
	while (builder->count < builder->limit) {
		if (builder->theme == THEME_MODULES) {
			add_modules(builder);
			add_formats(builder);
		} else if (builder->theme == THEME_USUAL && percent(builder, 5)) {
			add_formats(builder);
		} else if (builder->theme == THEME_PROCESSORS) {
			add_processors(builder);
		} else {
			add_settings(builder);
		}
		pause_for_others(builder);
	}
}

static void build_caller(struct builder *builder)
{
	while (builder->count < builder->limit)
		add_scenario(builder);
}

/* ---- rounds ------------------------------------------------------------------------- */

static enum theme choose_theme(struct random *random)
{
	unsigned int kind = random_below(random, 100);

	if (kind < 30)
		return THEME_LIMITS;
	if (kind < 40)
		return THEME_PROCESSORS;
	if (kind < 52)
		return THEME_MODULES;
	return THEME_USUAL;
}

static struct operation operations[WORKERS][MOST_OPERATIONS];
static struct plan the_plan;

static void build_worker(unsigned int number, struct random *random, enum pmu pmu,
			 enum theme theme, unsigned int process, unsigned int limit,
			 uid_t user, void (*build)(struct builder *builder))
{
	struct builder builder = {
		.random = { random_next(random) },
		.pmu = pmu,
		.theme = theme,
		.operations = operations[number],
		.limit = limit,
	};

	build(&builder);
	the_plan.workers[number] =
		(struct worker){ process, user, builder.count, operations[number] };
}

/*
 * Worker 0 prepares the round, worker 1 counts with canaries (canary.c), and worker 2 changes the
 * machine's settings, CPUs or modules. Each other worker is a thread or a process, of root or of
 * an ordinary user. With THEME_MODULES, worker 2 unloads the PMU's module and the core. This fails
 * while a context exists, so with THEME_MODULES at most one other worker (worker 3) makes random
 * calls.
 */
const struct plan *generate(uint64_t seed, enum pmu pmu)
{
	struct random random = { seed };
	enum theme theme = choose_theme(&random);
	unsigned int n;

	if (theme == THEME_MODULES)
		the_plan.count = random_percent(&random, 30) ? 4 : 3;
	else
		the_plan.count = 5 + random_below(&random, WORKERS - 4);
	build_worker(0, &random, pmu, theme, 0, 64, 0, build_setup);
	build_worker(1, &random, pmu, theme, 1,
		     theme == THEME_MODULES ? 2 : 6 + random_below(&random, 18), 0,
		     build_canary);
	/* With THEME_MODULES, worker 2 has more operations, because add_modules() adds many. */
	build_worker(2, &random, pmu, theme, 2,
		     (theme == THEME_MODULES ? 24 : 4) + random_below(&random, 16), 0,
		     build_disturber);
	for (n = 3; n < the_plan.count; n++) {
		unsigned int process = random_percent(&random, 50)
					       ? 0
					       : 3 + random_below(&random, WORKERS - 3);
		uid_t user = random_percent(&random, 35) ? USER_ID : 0;

		build_worker(n, &random, pmu, theme, process,
			     LEAST_OPERATIONS +
				     random_below(&random,
						  MOST_OPERATIONS - LEAST_OPERATIONS),
			     user, build_caller);
	}
	return &the_plan;
}
