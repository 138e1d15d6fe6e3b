// SPDX-License-Identifier: GPL-2.0-only
/* Measure the cost of a switch from one event set to the next. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/errors.h"
#include "../event/device_errors.h"
#include "../run/wait.h"
#include "scale.h"
#include "switch_cost.h"

/*
 * The loop of run_loop() takes LOOP_NS to 2 * LOOP_NS. This is long enough for twenty turns of
 * event sets, of TURN_NS each, but short enough that few timer ticks interrupt the loop.
 */
#define LOOP_NS	 2000000
#define TURN_NS	 100000

/* Number of trials. The shortest trial is used, because it was disturbed least. */
#define ATTEMPTS 5

static uint64_t run_loop(uint64_t turns)
{
	uint64_t begin = nanoseconds_now();

	for (volatile uint64_t i = 0; i < turns; i++)
		;
	return nanoseconds_now() - begin;
}

static uint64_t shortest_loop(uint64_t turns)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < ATTEMPTS; i++) {
		uint64_t time = run_loop(turns);

		least = time < least ? time : least;
	}
	return least;
}

/* Returns the number of iterations with which the loop lasts at least LOOP_NS. */
static uint64_t find_turns(void)
{
	uint64_t turns = 1000;

	while (shortest_loop(turns) < LOOP_NS)
		turns *= 2;
	return turns;
}

/**
 * struct trial - a run of the loop while sets are switched
 * @time: its duration in ns
 * @switches: number of set switches
 * @values: counts of the events
 * @times: for each event set, the CPU time in ns during which it was active
 */
struct trial {
	uint64_t time;
	uint64_t switches;
	uint64_t *values;
	uint64_t *times;
};

#define UNMEASURED 1

/*
 * Returns 0, or -1 after reporting an error. Returns UNMEASURED if pfmon itself is monitored, or if
 * contexts on CPUs hold the counters.
 */
static int try_loop(struct session *session, const struct event_list *events,
		    uint64_t turns, struct trial *trial)
{
	struct set_activity *activities = calloc(events->set_count, sizeof(*activities));
	int result = -1, error;

	if (!activities)
		return fail("no memory");
	error = session_try_attach(session, gettid());
	if (error == EBUSY || error == EEXIST)
		result = UNMEASURED;
	else if (error > 0)
		fail_load(session->fd, gettid(), error);
	if (error || session_start(session))
		goto out;
	trial->time = run_loop(turns);
	if (session_detach(session) ||
	    session_read(session, events, trial->values, trial->times) ||
	    session_read_activities(session, activities))
		goto out;
	trial->switches = 0;
	for (size_t i = 0; i < events->set_count; i++)
		trial->switches += activities[i].runs;
	result = 0;
out:
	free(activities);
	return result;
}

/*
 * If event @index is counted only at kernel level, returns the number of occurrences during a
 * switch. For other events, returns 0.
 */
static double at_switch(const struct event_list *events, size_t index,
			const struct trial *trial)
{
	const struct event *event = &events->events[index];
	uint64_t all = 0;

	if (event->set == EVERY_SET || event->state != EVENT_COUNTED ||
	    event->modes != MODE_KERNEL || !trial->times[event->set])
		return 0;
	for (size_t i = 0; i < events->set_count; i++)
		all += trial->times[i];
	return (double)scale(trial->values[index], trial->times[event->set], all) /
	       (double)trial->switches;
}

/*
 * Measure how long the loop takes without set switches, then with set switches. Of the trials with
 * set switches, use the one with the shortest time.
 */
static int measure(struct switch_cost *cost, struct session *session,
		   const struct event_list *events, struct trial *trial)
{
	uint64_t turns = find_turns(), alone = shortest_loop(turns), least = UINT64_MAX;

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		int result = try_loop(session, events, turns, trial);

		if (result)
			return result == UNMEASURED ? 0 : -1;
		if (!trial->switches || trial->time >= least)
			continue;
		least = trial->time;
		cost->time = trial->time > alone ? (double)(trial->time - alone) /
							   (double)trial->switches
						 : 0;
		for (size_t i = 0; i < events->count; i++)
			cost->kernel[i] = at_switch(events, i, trial);
	}
	return 0;
}

/*
 * Copy the events and their sets. In the copy, each turn of a set lasts at most TURN_NS, unless the
 * kernel lengthens the turns (min_switch_timeout).
 */
static int copy_sets(struct event_list *copy, const struct event_list *events)
{
	*copy = *events;
	copy->sets = calloc(events->set_count, sizeof(*copy->sets));
	if (!copy->sets)
		return fail("no memory");
	for (size_t i = 0; i < events->set_count; i++) {
		copy->sets[i] = events->sets[i];
		if (copy->sets[i].timeout > TURN_NS)
			copy->sets[i].timeout = TURN_NS;
	}
	return 0;
}

static int measure_with(struct switch_cost *cost, struct session *session,
			const struct event_list *events)
{
	struct trial trial = {
		.values = calloc(events->count, sizeof(uint64_t)),
		.times = calloc(events->set_count, sizeof(uint64_t)),
	};
	int result = -1;

	if (!trial.values || !trial.times)
		fail("no memory");
	else if (!session_program(session, events))
		result = measure(cost, session, events, &trial);
	free(trial.values);
	free(trial.times);
	return result;
}

int switch_cost_measure(struct switch_cost *cost, const struct machine *machine,
			const struct event_list *events)
{
	struct session session = { .fd = -1 };
	struct event_list copy;
	int result = -1;

	*cost = (struct switch_cost){ .kernel = calloc(events->count + 1,
						       sizeof(*cost->kernel)) };
	if (!cost->kernel)
		return fail("no memory");
	/* Measuring needs a context on a thread, which cannot use a PMU that CPUs share. */
	if (machine->scope[0])
		return 0;
	if (copy_sets(&copy, events))
		return -1;
	if (!session_open(&session, machine->info.pmu_name, 0)) {
		session.machine = *machine;
		result = measure_with(cost, &session, &copy);
	}
	session_close(&session);
	free(copy.sets);
	return result;
}

double switch_cost_part(const struct switch_cost *cost, const struct event_list *events,
			size_t event, double value, double switches, double time)
{
	double part = time > 0 ? switches * cost->time / time : 0;

	if (events->events[event].set == EVERY_SET || value <= 0)
		return 0;
	if (cost->kernel[event] * switches / value > part)
		part = cost->kernel[event] * switches / value;
	return part;
}

void switch_cost_free(struct switch_cost *cost)
{
	free(cost->kernel);
	cost->kernel = NULL;
}
