/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the plan of a round: stories, in an order that makes sense, so that what is
 * deep is reached, with chance calls in between.
 */
#include <fcntl.h>
#include <limits.h>

#include "author.h"

#define MOST_OPERATIONS 200 /* of a worker */

struct choice {
	uint8_t call;
	uint8_t weight;
};

static enum call choose(struct author *author, const struct choice *choices, size_t count)
{
	unsigned int all = 0, chosen;
	size_t n;

	for (n = 0; n < count; n++)
		all += choices[n].weight;
	chosen = below(author, all);
	for (n = 0; chosen >= choices[n].weight; n++)
		chosen -= choices[n].weight;
	return choices[n].call;
}

/* Any call, as if by chance. */
static void add_any(struct author *author, unsigned int slot)
{
	static const struct choice usual[] = {
		{ CREATE_CONTEXT, 5 },
		{ WRITE_PMCS, 5 },
		{ WRITE_PMDS, 5 },
		{ READ_PMDS, 5 },
		{ LOAD, 6 },
		{ START, 5 },
		{ STOP, 4 },
		{ RESTART, 3 },
		{ CREATE_EVTSETS, 4 },
		{ GETINFO_EVTSETS, 4 },
		{ DELETE_EVTSETS, 4 },
		{ UNLOAD, 4 },
		{ INFO, 3 },
		{ LAST_ERROR, 3 },
		{ STATUS, 4 },
		{ READ_VALUES, 5 },
		{ OPEN, 6 },
		{ OTHER_IOCTL, 3 },
		{ READ, 4 },
		{ READV, 2 },
		{ WRITE, 2 },
		{ LSEEK, 1 },
		{ MMAP, 2 },
		{ POLL, 3 },
		{ SELECT, 2 },
		{ OPEN_OTHER, 1 },
		{ REOPEN, 1 },
		{ CLOSE, 3 },
		{ DUP, 2 },
		{ FLAGS, 3 },
		{ OWNER, 2 },
		{ SIGNAL, 1 },
		{ UNMAP, 1 },
		{ REMAP, 1 },
		{ SCAN, 2 },
		{ SPAWN, 1 },
		{ KILL, 3 },
		{ REAP, 1 },
		{ FORK, 1 },
		{ AFFINITY, 2 },
		{ PRIORITY, 1 },
		{ YIELD, 2 },
		{ SLEEP, 1 },
		{ WORK, 3 },
		{ LOOK, 2 },
		{ SETTING, 1 },
	};

	add_filled(author, choose(author, usual, COUNT(usual)), slot);
}

/* A step of a story: sometimes left out, sometimes something comes in between. */
static struct operation *step(struct author *author, enum call call, unsigned int slot)
{
	static struct operation left_out;

	if (percent(author, 10))
		add_any(author, percent(author, 70) ? slot : any_slot(author));
	if (percent(author, 5))
		return &left_out;
	return add_filled(author, call, slot);
}

/* Somebody is monitored, from open to close. */
static void tell_monitoring(struct author *author, unsigned int slot, bool target)
{
	enum call reading = percent(author, 50) ? READ_PMDS : READ_VALUES;
	struct operation *load;
	unsigned int turns = 1 + below(author, 3);

	if (percent(author, 80)) {
		step(author, OPEN, slot);
		step(author, CREATE_CONTEXT, slot);
	}
	step(author, WRITE_PMCS, slot);
	step(author, WRITE_PMDS, slot);
	if (target && percent(author, 25))
		step(author, SPAWN, slot);
	load = step(author, LOAD, slot);
	if (target) {
		load->who = TARGET;
		load->value = below(author, TARGETS);
	}
	while (turns--) {
		step(author, START, slot);
		step(author, percent(author, 60) ? WORK : YIELD, slot);
		step(author, reading, slot);
		if (percent(author, 40))
			step(author, STOP, slot);
		if (percent(author, 30))
			step(author, STATUS, slot);
	}
	if (target) {
		step(author, KILL, slot);
		step(author, percent(author, 50) ? POLL : READ, slot);
	}
	if (percent(author, 60))
		step(author, UNLOAD, slot);
	step(author, reading, slot);
	if (percent(author, 60))
		step(author, CLOSE, slot);
}

/* What is left of a sampling context, in any order. */
static void end_sampling(struct author *author, unsigned int slot)
{
	static const uint8_t ends[] = { CLOSE, UNMAP, UNLOAD, STOP, REMAP, KILL, FORK };
	unsigned int n;

	for (n = 1 + below(author, 4); n > 0; n--) {
		step(author, ONE_OF(author, ends), slot);
		step(author, percent(author, 50) ? SCAN : READ_PMDS, slot);
	}
}

/* Of the worker itself, or of a target that may be new. */
static void start_monitoring(struct author *author, unsigned int slot, bool target)
{
	struct operation *load;

	if (target && percent(author, 40))
		step(author, SPAWN, slot)->count = percent(author, 50) ? 0 : 6;
	load = step(author, LOAD, slot);
	load->who = target ? TARGET : SELF;
	if (target)
		load->value = below(author, TARGETS);
	step(author, START, slot);
}

/* Samples are taken, told of and read; a target may have to wait for that. */
static void tell_sampling(struct author *author)
{
	static const uint8_t waiting[] = { READ, POLL, SELECT, SLEEP, WORK };
	unsigned int slot = any_slot(author), turns = 1 + below(author, 6);
	bool target = percent(author, 60);
	struct operation *operation;

	author->samples = true;
	step(author, OPEN, slot);
	operation = step(author, CREATE_CONTEXT, slot);
	if (target && percent(author, 40))
		operation->flags |= PFM_FL_NOTIFY_BLOCK;
	step(author, MMAP, slot);
	step(author, WRITE_PMCS, slot);
	step(author, WRITE_PMDS, slot);
	if (percent(author, 30)) {
		step(author, FLAGS, slot)->flags = O_ASYNC | O_NONBLOCK;
		step(author, OWNER, slot);
	}
	start_monitoring(author, slot, target);
	while (turns--) {
		step(author, target ? ONE_OF(author, waiting) : WORK, slot);
		step(author, SCAN, slot);
		step(author, RESTART, slot);
		if (percent(author, 20))
			step(author, WRITE_PMDS, slot);
		if (percent(author, 20))
			step(author, STATUS, slot);
	}
	end_sampling(author, slot);
	author->samples = false;
}

/* Event sets that take turns, by time and by overflows, sampling or not. */
static void tell_sets(struct author *author)
{
	static const uint8_t looks[] = { READ_PMDS, READ_VALUES, GETINFO_EVTSETS,
					 STATUS,    RESTART,	 SCAN };
	unsigned int slot = any_slot(author), turns = 1 + below(author, 8), n;
	bool target = percent(author, 50);

	author->sets = true;
	author->samples = percent(author, 30);
	step(author, OPEN, slot);
	step(author, CREATE_CONTEXT, slot);
	for (n = 0; n < 3; n++)
		step(author, CREATE_EVTSETS, slot);
	for (n = 0; n < 4; n++) {
		step(author, WRITE_PMCS, slot);
		step(author, WRITE_PMDS, slot);
	}
	start_monitoring(author, slot, target);
	while (turns--) {
		step(author, percent(author, 70) ? WORK : SLEEP, slot);
		step(author, ONE_OF(author, looks), slot);
		if (percent(author, 15))
			step(author, WRITE_PMDS, slot);
		if (percent(author, 15))
			step(author, START, slot);
	}
	if (percent(author, 40)) {
		step(author, UNLOAD, slot);
		step(author, DELETE_EVTSETS, slot);
		step(author, GETINFO_EVTSETS, slot);
	}
	end_sampling(author, slot);
	author->samples = false;
	author->sets = false;
}

/* Two contexts want the same thread; event sets of a loaded one. */
static void tell_conflict(struct author *author)
{
	unsigned int first = any_slot(author), second = any_slot(author);

	step(author, OPEN, first);
	step(author, CREATE_CONTEXT, first);
	step(author, LOAD, first)->who = SELF;
	step(author, OPEN, second);
	step(author, CREATE_CONTEXT, second);
	step(author, LOAD, second)->who = SELF;
	step(author, LOAD, first)->who = SELF;
	step(author, CREATE_EVTSETS, first);
	step(author, DELETE_EVTSETS, first);
	step(author, CREATE_CONTEXT, second);
}

/* A target that has ended and is not buried yet. */
static void tell_death(struct author *author)
{
	unsigned int slot = any_slot(author), target = below(author, TARGETS);
	struct operation *operation;

	step(author, OPEN, slot);
	step(author, CREATE_CONTEXT, slot);
	operation = step(author, SPAWN, slot);
	operation->value = target;
	operation->count = 9;
	step(author, SLEEP, slot);
	operation = step(author, LOAD, slot);
	operation->who = TARGET;
	operation->value = target;
	step(author, CLOSE, slot);
}

/* Nothing to read, without waiting and with. */
static void tell_waiting(struct author *author)
{
	unsigned int slot = any_slot(author);

	step(author, OPEN, slot)->flags = O_RDWR | O_NONBLOCK;
	step(author, READ, slot);
	step(author, FLAGS, slot)->flags = percent(author, 50) ? 0 : O_ASYNC;
	step(author, READ, slot);
	step(author, READV, slot);
	step(author, LSEEK, slot);
	step(author, WRITE, slot);
}

/* Calls on a descriptor that is closed. */
static void tell_closed(struct author *author)
{
	unsigned int slot = any_slot(author), n;

	add_filled(author, CLOSE, slot);
	for (n = 0; n < 6; n++)
		add_filled(author, below(author, SETTING), slot);
}

/* Vectors too long for a page while arg_mem_max allows them. */
static void tell_long_vectors(struct author *author)
{
	static const uint8_t calls[] = { WRITE_PMCS, WRITE_PMDS, CREATE_EVTSETS,
					 GETINFO_EVTSETS, DELETE_EVTSETS };
	unsigned int slot = any_slot(author), n;

	step(author, OPEN, slot);
	step(author, CREATE_CONTEXT, slot);
	for (n = 0; n < 6; n++) {
		enum call call = ONE_OF(author, calls);
		struct operation *operation = step(author, call, slot);

		operation->count = percent(author, 50)
					   ? INT_MAX / (int)element_size(call) - 1
					   : 1 + (int)below(author, 2000);
	}
}

static void tell_settings(struct author *author)
{
	struct operation *operation = add_filled(author, SETTING, 0);

	/* Mostly what a setting can be, and not for long. */
	if (percent(author, 70))
		operation->flags = below(author, 6);
	step(author, SLEEP, 0);
	if (percent(author, 50)) {
		operation = add(author, SETTING, 0);
		operation->flags = 0; /* task_group -1 */
	}
	if (percent(author, 40))
		add(author, FILE_TABLE, 0);
	if (percent(author, 40)) {
		add_filled(author, DEVICE_MODE, 0);
		step(author, SLEEP, 0);
		add(author, DEVICE_MODE, 0)->flags = 0666;
	}
}

static void tell_processors(struct author *author)
{
	add(author, PROCESSOR, 0)->value = 0;
	step(author, SLEEP, 0);
	add(author, PROCESSOR, 0)->value = 1;
	step(author, SLEEP, 0);
}

/* Without a PMU and with one that comes and goes. */
static void tell_modules(struct author *author)
{
	unsigned int slot = SHARED_SLOTS, n;

	for (n = 0; n < SLOTS; n++)
		add(author, CLOSE, n);
	add(author, MODULE, 0)->value = percent(author, 70) ? 4 : 0;
	if (percent(author, 30))
		add(author, MODULE, 0)->value = 2;
	add(author, OPEN, slot)->flags = O_RDWR;
	step(author, INFO, slot);
	step(author, CREATE_CONTEXT, slot);
	add(author, CLOSE, slot);
	add(author, MODULE, 0)->value = 1 | 2;
	add(author, MODULE, 0)->value = 1 | 4;
	/* The first context of all needs more memory than those after it. */
	add(author, OPEN, slot)->flags = O_RDWR;
	add(author, CREATE_CONTEXT, slot)->fail =
		percent(author, 60) ? 1 + below(author, 8) : FAIL_ALL;
	step(author, CREATE_CONTEXT, slot);
	add(author, CLOSE, slot);
	step(author, SLEEP, slot);
}

/* Formats that go and come while contexts are made with them, here and elsewhere. */
static void tell_formats(struct author *author)
{
	unsigned int slot = SHARED_SLOTS, turns = 1 + below(author, 3), format;
	struct operation *operation;

	author->samples = true;
	while (turns--) {
		format = 1 + below(author, FORMATS);
		operation = add(author, MODULE, 0);
		operation->count = format;
		operation->value = percent(author, 40);
		step(author, OPEN, slot);
		step(author, CREATE_CONTEXT, slot)->element[0].number = 1 + format;
		if (percent(author, 50))
			add(author, MODULE, 0)->count = format; /* in use */
		step(author, CLOSE, slot);
	}
	author->samples = false;
}

static void tell_story(struct author *author)
{
	unsigned int kind = below(author, 100);

	if (author->theme == THEME_LIMITS && percent(author, 25))
		tell_long_vectors(author);
	else if (kind < 15)
		tell_monitoring(author, any_slot(author), false);
	else if (kind < 30)
		tell_monitoring(author, any_slot(author), true);
	else if (kind < 42)
		tell_sampling(author);
	else if (kind < 52)
		tell_sets(author);
	else if (kind < 55)
		tell_conflict(author);
	else if (kind < 60)
		tell_death(author);
	else if (kind < 65)
		tell_waiting(author);
	else if (kind < 68)
		tell_closed(author);
	else
		add_any(author, any_slot(author));
}

/* What is there before the others begin. */
static void write_founder(struct author *author)
{
	unsigned int slot;

	if (author->theme == THEME_MODULES)
		return;
	if (author->theme == THEME_LIMITS) {
		struct operation *limit = add(author, SETTING, 0);

		limit->count = 2; /* arg_mem_max */
		limit->flags = percent(author, 50) ? 4 : 5;
		if (percent(author, 40))
			add(author, SETTING, 0)->flags = 3; /* task_group 12345 */
	}
	for (slot = 0; slot < SHARED_SLOTS; slot++) {
		add(author, OPEN, slot)->flags = open_flags(author);
		if (percent(author, 70))
			add(author, CREATE_CONTEXT, slot);
	}
	for (slot = 0; slot < TARGETS / 2; slot++) {
		struct operation *operation = add_filled(author, SPAWN, 0);

		operation->value = slot;
	}
}

static void write_canary(struct author *author)
{
	while (author->count < author->limit) {
		add_filled(author, CANARY, 0);
		add_filled(author, percent(author, 50) ? SLEEP : AFFINITY, 0);
	}
}

static void write_disturber(struct author *author)
{
	while (author->count < author->limit) {
		if (author->theme == THEME_MODULES) {
			tell_modules(author);
			tell_formats(author);
		} else if (author->theme == THEME_USUAL && percent(author, 30)) {
			tell_formats(author);
		} else if (author->theme == THEME_PROCESSORS) {
			tell_processors(author);
		} else {
			tell_settings(author);
		}
	}
}

static void write_caller(struct author *author)
{
	while (author->count < author->limit)
		tell_story(author);
}

/* ---- rounds ------------------------------------------------------------------------- */

static enum theme choose_theme(struct random *random)
{
	unsigned int kind = random_below(random, 100);

	if (kind < 30)
		return THEME_LIMITS;
	if (kind < 38)
		return THEME_PROCESSORS;
	if (kind < 50)
		return THEME_MODULES;
	return THEME_USUAL;
}

static struct operation operations[WORKERS][MOST_OPERATIONS];
static struct plan the_plan;

static void write_worker(unsigned int number, struct random *random, enum pmu pmu,
			 enum theme theme, unsigned int process, unsigned int limit,
			 uid_t user, void (*write)(struct author *author))
{
	struct author author = {
		.random = { random_next(random) },
		.pmu = pmu,
		.theme = theme,
		.operations = operations[number],
		.limit = limit,
	};

	write(&author);
	the_plan.workers[number] =
		(struct worker){ process, user, author.count, operations[number] };
}

/*
 * Worker 0 founds, 1 is the canary, 2 disturbs; each of the others is a thread or
 * a process of its own, root or a user.  While modules come and go there is one
 * more at most: contexts keep them from going.
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
	write_worker(0, &random, pmu, theme, 0, 64, 0, write_founder);
	write_worker(1, &random, pmu, theme, 1,
		     theme == THEME_MODULES ? 2 : 2 + random_below(&random, 8), 0,
		     write_canary);
	/* A story about modules is a long one. */
	write_worker(2, &random, pmu, theme, 2,
		     (theme == THEME_MODULES ? 24 : 4) + random_below(&random, 16), 0,
		     write_disturber);
	for (n = 3; n < the_plan.count; n++) {
		unsigned int process = random_percent(&random, 50)
					       ? 0
					       : 3 + random_below(&random, WORKERS - 3);
		uid_t user = random_percent(&random, 35) ? USER_ID : 0;

		write_worker(n, &random, pmu, theme, process,
			     64 + random_below(&random, MOST_OPERATIONS - 64), user,
			     write_caller);
	}
	return &the_plan;
}
