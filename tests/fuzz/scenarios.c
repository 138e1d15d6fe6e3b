/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds scenarios: calls in a sensible order, with random calls in between. Scenarios reach states
 * that random calls alone would rarely reach.
 */
#include <fcntl.h>
#include <limits.h>

#include "builder.h"

struct choice {
	uint8_t call;
	uint16_t weight;
};

static enum call choose(struct builder *builder, const struct choice *choices,
			size_t count)
{
	unsigned int all = 0, chosen;
	size_t n;

	for (n = 0; n < count; n++)
		all += choices[n].weight;
	chosen = below(builder, all);
	for (n = 0; chosen >= choices[n].weight; n++)
		chosen -= choices[n].weight;
	return choices[n].call;
}

/*
 * Adds a random call. Some calls, such as a sleep or a new process, take much longer than others,
 * so they are added rarely.
 */
static void add_any(struct builder *builder, unsigned int slot)
{
	static const struct choice usual[] = {
		{ CREATE_CONTEXT, 50 },
		{ WRITE_PMCS, 50 },
		{ WRITE_PMDS, 50 },
		{ READ_PMDS, 50 },
		{ LOAD, 60 },
		{ START, 50 },
		{ STOP, 40 },
		{ RESTART, 30 },
		{ RESTART_CPU, 15 },
		{ CREATE_EVTSETS, 40 },
		{ GETINFO_EVTSETS, 40 },
		{ DELETE_EVTSETS, 40 },
		{ UNLOAD, 40 },
		{ INFO, 30 },
		{ LAST_ERROR, 30 },
		{ STATUS, 40 },
		{ STATISTICS, 40 },
		{ READ_VALUES, 50 },
		{ READ_THREAD, 15 },
		{ OPEN, 60 },
		{ OTHER_IOCTL, 30 },
		{ READ, 40 },
		{ READV, 20 },
		{ WRITE, 20 },
		{ LSEEK, 10 },
		{ MMAP, 20 },
		{ POLL, 20 },
		{ SELECT, 15 },
		{ OPEN_OTHER, 5 },
		{ REOPEN, 10 },
		{ CLOSE, 30 },
		{ DUP, 20 },
		{ FLAGS, 30 },
		{ OWNER, 20 },
		{ SIGNAL, 10 },
		{ UNMAP, 10 },
		{ REMAP, 10 },
		{ SCAN, 20 },
		{ SPAWN, 2 },
		{ KILL, 30 },
		{ REAP, 3 },
		{ FORK, 3 },
		{ AFFINITY, 10 },
		{ PRIORITY, 5 },
		{ YIELD, 20 },
		{ SLEEP, 3 },
		{ WORK, 30 },
		{ LOOK, 10 },
		{ SETTING, 10 },
	};

	enum call call = choose(builder, usual, COUNT(usual));

	add_filled(builder, call, slot);
	/* Without a context, most of the later calls would fail for this reason only. */
	if (call == OPEN && percent(builder, 80))
		add_filled(builder, CREATE_CONTEXT, slot);
}

/*
 * Adds a step of a scenario. Sometimes leaves out the step, and sometimes adds a random call before
 * the step.
 */
static struct operation *step(struct builder *builder, enum call call, unsigned int slot)
{
	static struct operation left_out;

	if (percent(builder, 10))
		add_any(builder, percent(builder, 70) ? slot : any_slot(builder));
	if (percent(builder, 5))
		return &left_out;
	return add_filled(builder, call, slot);
}

/*
 * @target: true loads the context on a thread of a target. False loads it, in most cases, on the
 * worker itself. The worker can have only one context, so in most cases the one that was loaded
 * last is unloaded first.
 */
static void load(struct builder *builder, unsigned int slot, bool target)
{
	struct operation *operation;

	if (!target && builder->loaded != slot && percent(builder, 90))
		add(builder, UNLOAD, builder->loaded);
	operation = step(builder, LOAD, slot);
	if (target) {
		operation->who = percent(builder, 40) ? TARGET_THREAD : TARGET;
		operation->value = below(builder, operation->who == TARGET
							  ? TARGETS
							  : TARGETS * TARGET_THREADS);
	} else if (percent(builder, 80)) {
		operation->who = SELF;
		builder->loaded = slot;
	}
}

/* Sometimes adds a new target. This is rare, because a new process takes as long as 20 calls. */
static void maybe_spawn(struct builder *builder, unsigned int slot)
{
	if (percent(builder, 5))
		step(builder, SPAWN, slot);
}

/* Monitors a thread, from open to close. */
static void add_monitoring(struct builder *builder, unsigned int slot, bool target)
{
	enum call reading = percent(builder, 50) ? READ_PMDS : READ_VALUES;
	unsigned int turns = 1 + below(builder, 3);

	if (percent(builder, 80)) {
		step(builder, OPEN, slot);
		step(builder, CREATE_CONTEXT, slot);
	}
	step(builder, WRITE_PMCS, slot);
	step(builder, WRITE_PMDS, slot);
	load(builder, slot, target);
	while (turns--) {
		step(builder, START, slot);
		step(builder, percent(builder, 60) ? WORK : YIELD, slot);
		step(builder, reading, slot);
		if (percent(builder, 40))
			step(builder, STOP, slot);
		if (percent(builder, 30))
			step(builder, STATUS, slot);
	}
	if (target && percent(builder, 50)) {
		step(builder, KILL, slot);
		step(builder, percent(builder, 50) ? POLL : READ, slot);
		maybe_spawn(builder, slot);
	}
	if (percent(builder, 60))
		step(builder, UNLOAD, slot);
	step(builder, reading, slot);
	if (percent(builder, 60))
		step(builder, CLOSE, slot);
}

/* Adds, in random order, calls that end sampling. */
static void end_sampling(struct builder *builder, unsigned int slot)
{
	static const uint8_t ends[] = { CLOSE, UNMAP, UNLOAD, STOP, REMAP, KILL };
	unsigned int n;

	if (percent(builder, 5))
		step(builder, FORK, slot);
	for (n = 1 + below(builder, 4); n > 0; n--) {
		step(builder, ONE_OF(builder, ends), slot);
		step(builder, percent(builder, 50) ? SCAN : READ_PMDS, slot);
	}
}

/*
 * Loads the context on the worker itself or on a target, and starts monitoring. Sometimes
 * adds a new target first.
 */
static void start_monitoring(struct builder *builder, unsigned int slot, bool target)
{
	if (target)
		maybe_spawn(builder, slot);
	load(builder, slot, target);
	step(builder, START, slot);
}

/*
 * Gives @create a flag that requests copies. In most cases each CPU gets a small buffer, which
 * fills quickly. A larger buffer would never be full when the scenario hands it back.
 */
static void inherit(struct builder *builder, struct operation *create)
{
	create->flags = percent(builder, 70) ? PFM_FL_INHERIT_ALL
					     : PFM_FL_INHERIT_THREADS;
	if (percent(builder, 50))
		create->flags |= PFM_FL_KEEP_COUNTS;
	if (create->elements && percent(builder, 80)) {
		create->element[0].number = 1; /* format "default" */
		/* On Intel, the largest possible sample has about 1000 bytes. */
		create->element[0].value = builder->pmu == PMU_INTEL ? 2048 : 1024;
		create->element[0].flags = create->element[0].set = 0;
	}
}

/* Hands back the buffers of both CPUs. Sometimes adds a call that may fail while copies exist. */
static void use_copies(struct builder *builder, unsigned int slot)
{
	static const uint8_t calls[] = { WRITE_PMCS,	  WRITE_PMDS, CREATE_EVTSETS,
					 DELETE_EVTSETS,  LOAD,	      STATISTICS,
					 GETINFO_EVTSETS, STOP,	      START };

	add_filled(builder, RESTART_CPU, slot)->count = 0;
	add_filled(builder, RESTART_CPU, slot)->count = 1;
	if (percent(builder, 30))
		step(builder, READ_THREAD, slot);
	if (percent(builder, 5))
		step(builder, FORK, slot);
	if (percent(builder, 20))
		step(builder, ONE_OF(builder, calls), slot);
}

/*
 * Samples the worker or a target with notifications, and reads messages. Some targets block after
 * each notification, until the restart.
 */
static void add_sampling(struct builder *builder)
{
	static const uint8_t waiting[] = { READ, POLL, SELECT, WORK, WORK, WORK };
	unsigned int slot = any_slot(builder), turns = 1 + below(builder, 6);
	bool target = percent(builder, 60), inherits;
	struct operation *operation;

	builder->samples = true;
	step(builder, OPEN, slot);
	operation = step(builder, CREATE_CONTEXT, slot);
	inherits = percent(builder, 40);
	if (inherits)
		inherit(builder, operation);
	else if (target && percent(builder, 40))
		operation->flags |= PFM_FL_NOTIFY_BLOCK;
	step(builder, MMAP, slot);
	step(builder, WRITE_PMCS, slot);
	step(builder, WRITE_PMDS, slot);
	if (percent(builder, 30)) {
		step(builder, FLAGS, slot)->flags = O_ASYNC | O_NONBLOCK;
		step(builder, OWNER, slot);
	}
	start_monitoring(builder, slot, target);
	while (turns--) {
		step(builder, target ? ONE_OF(builder, waiting) : WORK, slot);
		step(builder, SCAN, slot);
		if (inherits)
			use_copies(builder, slot);
		else
			step(builder, RESTART, slot);
		if (percent(builder, 20))
			step(builder, WRITE_PMDS, slot);
		if (percent(builder, 20))
			step(builder, STATUS, slot);
	}
	end_sampling(builder, slot);
	builder->samples = false;
}

/* Counts events of the worker or of a target, and of the threads and children that it creates. */
static void add_copies(struct builder *builder)
{
	static const uint8_t looks[] = { READ_PMDS, READ_VALUES,     STATUS, STATISTICS,
					 WORK,	    GETINFO_EVTSETS, YIELD };
	unsigned int slot = any_slot(builder), turns = 2 + below(builder, 6);
	bool target = percent(builder, 60);
	struct operation *create;

	step(builder, OPEN, slot);
	create = step(builder, CREATE_CONTEXT, slot);
	create->elements = 0;
	inherit(builder, create);
	step(builder, WRITE_PMCS, slot);
	step(builder, WRITE_PMDS, slot);
	start_monitoring(builder, slot, target);
	while (turns--) {
		if (percent(builder, target ? 5 : 15))
			step(builder, FORK, slot);
		step(builder, ONE_OF(builder, looks), slot);
		use_copies(builder, slot);
		if (target && percent(builder, 10))
			step(builder, KILL, slot);
	}
	if (percent(builder, 50))
		step(builder, UNLOAD, slot);
	step(builder, READ_PMDS, slot);
	step(builder, READ_THREAD, slot);
	step(builder, CLOSE, slot);
}

/* Monitors a CPU, with or without sampling. The CPU may go offline while it is monitored. */
static void add_system_wide(struct builder *builder)
{
	static const uint8_t looks[] = { READ_PMDS, READ_VALUES, STATUS,     STATISTICS,
					 SCAN,	    RESTART,	 READ,	     POLL,
					 WORK,	    WORK,	 RESTART_CPU };
	unsigned int slot = any_slot(builder), turns = 2 + below(builder, 8);
	struct operation *operation;

	builder->samples = percent(builder, 50);
	operation = step(builder, OPEN, slot);
	operation->flags |= percent(builder, 70) ? O_NONBLOCK : 0;
	step(builder, CREATE_CONTEXT, slot)->flags = PFM_FL_SYSTEM_WIDE;
	if (builder->samples)
		step(builder, MMAP, slot);
	step(builder, WRITE_PMCS, slot);
	step(builder, WRITE_PMDS, slot);
	step(builder, LOAD, slot)->value = 1 + below(builder, 3);
	step(builder, START, slot);
	while (turns--) {
		step(builder, ONE_OF(builder, looks), slot);
		operation = step(builder, STATISTICS, slot);
		operation->flags = percent(builder, 50) ? PFM_STATISTICS_CPU : 0;
		operation->value = operation->flags ? below(builder, 2) : 0;
		if (percent(builder, 10))
			step(builder, STOP, slot);
		if (percent(builder, 10))
			step(builder, LOAD, slot);
	}
	end_sampling(builder, slot);
	builder->samples = false;
}

/* Uses event sets that are switched by time and by overflows, with or without sampling. */
static void add_event_sets(struct builder *builder)
{
	static const uint8_t looks[] = { READ_PMDS, READ_VALUES, GETINFO_EVTSETS, STATUS,
					 RESTART,   SCAN,	 STATISTICS };
	unsigned int slot = any_slot(builder), turns = 1 + below(builder, 8), n;
	bool target = percent(builder, 50);

	builder->sets = true;
	builder->samples = percent(builder, 30);
	step(builder, OPEN, slot);
	step(builder, CREATE_CONTEXT, slot);
	for (n = 0; n < 3; n++)
		step(builder, CREATE_EVTSETS, slot);
	for (n = 0; n < 4; n++) {
		step(builder, WRITE_PMCS, slot);
		step(builder, WRITE_PMDS, slot);
	}
	start_monitoring(builder, slot, target);
	while (turns--) {
		step(builder, percent(builder, 95) ? WORK : SLEEP, slot);
		step(builder, ONE_OF(builder, looks), slot);
		if (percent(builder, 15))
			step(builder, WRITE_PMDS, slot);
		if (percent(builder, 15))
			step(builder, START, slot);
	}
	if (percent(builder, 40)) {
		step(builder, UNLOAD, slot);
		step(builder, DELETE_EVTSETS, slot);
		step(builder, GETINFO_EVTSETS, slot);
	}
	end_sampling(builder, slot);
	builder->samples = false;
	builder->sets = false;
}

/* Loads two contexts on the same thread, and changes event sets of a loaded context. */
static void add_conflict(struct builder *builder)
{
	unsigned int first = any_slot(builder), second = any_slot(builder);

	step(builder, OPEN, first);
	step(builder, CREATE_CONTEXT, first);
	step(builder, LOAD, first)->who = SELF;
	step(builder, OPEN, second);
	step(builder, CREATE_CONTEXT, second);
	step(builder, LOAD, second)->who = SELF;
	step(builder, LOAD, first)->who = SELF;
	step(builder, CREATE_EVTSETS, first);
	step(builder, DELETE_EVTSETS, first);
	step(builder, CREATE_CONTEXT, second);
}

/* Loads a context on a zombie: a target that has exited and that no process has waited for. */
static void add_zombie_target(struct builder *builder)
{
	unsigned int slot = any_slot(builder), target = below(builder, TARGETS);
	struct operation *operation;

	step(builder, OPEN, slot);
	step(builder, CREATE_CONTEXT, slot);
	operation = step(builder, SPAWN, slot);
	operation->value = target;
	operation->count = 9;
	step(builder, SLEEP, slot);
	operation = step(builder, LOAD, slot);
	operation->who = TARGET;
	operation->value = target;
	step(builder, CLOSE, slot);
}

/* Calls read(2) when there is no message: first non-blocking, then blocking. */
static void add_reading_nothing(struct builder *builder)
{
	unsigned int slot = any_slot(builder);

	step(builder, OPEN, slot)->flags = O_RDWR | O_NONBLOCK;
	if (percent(builder, 70))
		step(builder, CREATE_CONTEXT, slot);
	step(builder, READ, slot);
	step(builder, FLAGS, slot)->flags = percent(builder, 50) ? 0 : O_ASYNC;
	step(builder, READ, slot);
	step(builder, READV, slot);
	step(builder, LSEEK, slot);
	step(builder, WRITE, slot);
}

/* Makes calls on a closed descriptor. */
static void add_closed_descriptor(struct builder *builder)
{
	unsigned int slot = any_slot(builder), n;

	add_filled(builder, CLOSE, slot);
	for (n = 0; n < 6; n++)
		add_filled(builder, below(builder, SETTING), slot);
}

/* Uses long vectors. Only for rounds in which build_setup() has set arg_mem_max. */
static void add_long_vectors(struct builder *builder)
{
	static const uint8_t calls[] = { WRITE_PMCS, WRITE_PMDS, CREATE_EVTSETS,
					 GETINFO_EVTSETS, DELETE_EVTSETS };
	unsigned int slot = any_slot(builder), n;

	step(builder, OPEN, slot);
	step(builder, CREATE_CONTEXT, slot);
	for (n = 0; n < 6; n++) {
		enum call call = ONE_OF(builder, calls);
		struct operation *operation = step(builder, call, slot);

		operation->count = percent(builder, 50)
					   ? INT_MAX / (int)element_size(call) - 1
					   : 1 + (int)below(builder, 2000);
	}
}

void add_settings(struct builder *builder)
{
	struct operation *operation = add_filled(builder, SETTING, 0);
	unsigned int count;

	/* In most cases the value is valid, and the setting is restored after a short time. */
	if (percent(builder, 70))
		operation->flags = below(builder, 6);
	count = operation->count;
	step(builder, SLEEP, 0);
	if (builder->theme == THEME_USUAL || percent(builder, 50)) {
		operation = add(builder, SETTING, 0);
		operation->count = count;
		operation->flags = SETTING_BEFORE;
	}
	if (percent(builder, 40))
		add(builder, FILE_TABLE, 0);
	if (percent(builder, 40)) {
		add_filled(builder, DEVICE_MODE, 0);
		step(builder, SLEEP, 0);
		add(builder, DEVICE_MODE, 0)->flags = 0666;
	}
}

void add_processors(struct builder *builder)
{
	add(builder, PROCESSOR, 0)->value = 0;
	step(builder, SLEEP, 0);
	add(builder, PROCESSOR, 0)->value = 1;
	step(builder, SLEEP, 0);
}

/* Unloads the PMU's module and sometimes the core, makes calls, and loads both again. */
void add_modules(struct builder *builder)
{
	unsigned int slot = SHARED_SLOTS, n;

	for (n = 0; n < SLOTS; n++)
		add(builder, CLOSE, n);
	add(builder, MODULE, 0)->value = percent(builder, 70) ? 4 : 0;
	if (percent(builder, 30))
		add(builder, MODULE, 0)->value = 2;
	add(builder, OPEN, slot)->flags = O_RDWR;
	step(builder, INFO, slot);
	step(builder, CREATE_CONTEXT, slot);
	add(builder, CLOSE, slot);
	add(builder, MODULE, 0)->value = 1 | 2;
	add(builder, MODULE, 0)->value = 1 | 4;
	/*
	 * The first CREATE_CONTEXT after the module was loaded makes more allocations than later
	 * ones, so more allocations can be made to fail here.
	 */
	add(builder, OPEN, slot)->flags = O_RDWR;
	add(builder, CREATE_CONTEXT, slot)->fail =
		percent(builder, 60) ? 1 + below(builder, 8) : FAIL_ALL;
	step(builder, CREATE_CONTEXT, slot);
	add(builder, CLOSE, slot);
	step(builder, SLEEP, slot);
}

/* Loads and unloads formats, while this worker and others create contexts with them. */
void add_formats(struct builder *builder)
{
	unsigned int slot = SHARED_SLOTS, turns = 1 + below(builder, 3), format;
	struct operation *operation;

	builder->samples = true;
	while (turns--) {
		format = 1 + below(builder, FORMATS);
		operation = add(builder, MODULE, 0);
		operation->count = format;
		operation->value = percent(builder, 40);
		step(builder, OPEN, slot);
		step(builder, CREATE_CONTEXT, slot)->element[0].number = 1 + format;
		if (percent(builder, 50))
			/* Unload the format while the context uses it. */
			add(builder, MODULE, 0)->count = format;
		step(builder, CLOSE, slot);
	}
	builder->samples = false;
}

void add_scenario(struct builder *builder)
{
	unsigned int kind = below(builder, 100);

	if (builder->theme == THEME_LIMITS && percent(builder, 25))
		add_long_vectors(builder);
	else if (builder->theme == THEME_PROCESSORS && percent(builder, 15))
		add_system_wide(builder);
	else if (kind < 15)
		add_monitoring(builder, any_slot(builder), false);
	else if (kind < 30)
		add_monitoring(builder, any_slot(builder), true);
	else if (kind < 42)
		add_sampling(builder);
	else if (kind < 52)
		add_event_sets(builder);
	else if (kind < 55)
		add_conflict(builder);
	else if (kind < 56)
		add_zombie_target(builder);
	else if (kind < 65)
		add_reading_nothing(builder);
	else if (kind < 68)
		add_closed_descriptor(builder);
	else if (kind < 72)
		add_copies(builder);
	else
		add_any(builder, any_slot(builder));
}
