/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a measurement: their names on the command line, their codes, event sets and PMDs.
 */
#ifndef PFMON_EVENTS_H
#define PFMON_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "software.h"

enum event_state {
	EVENT_COUNTED,
	EVENT_NOT_SUPPORTED, /* the machine does not have the event */
	EVENT_NOT_COUNTED, /* no counter was left, or the event conflicts with another event */
};

/* The value of event.set if the event needs no counter and is counted in every set. */
#define EVERY_SET SIZE_MAX

/**
 * struct event - an event to count
 * @name: name as the user gave it; pfmon adds ":u" if it cannot count the kernel level
 * @state: whether the event is counted
 * @role: how the comment column of pfmon stat uses the count
 * @is_time: the event counts nanoseconds
 * @needs_counter: true if the event takes a counter of the PMU; false if virtual PMDs count the
 *	event
 * @modes: levels at which the event is counted: MODE_USER, MODE_KERNEL or both
 * @is_precise: each sample shows the instruction that caused the event
 * @code: code of the event on the PMU, if @needs_counter
 * @extra: value of the second PMC, which refines what the event counts; 0 if the event has no
 *	second PMC
 * @group: 1 for events in the first pair of braces, 2 for the second, and so on; 0: the event is
 *	not in braces
 * @set: index of the event's set, or EVERY_SET
 * @switch_after: if it is not 0, the set's turn ends when the event has occurred this many times,
 *	and the count is not shown. If it is 0, the event does not end the turn, and the count is
 *	shown
 * @pmds: the PMDs whose sum is the count
 * @pmd_count: number of @pmds; 0 until the event gets its PMDs
 */
struct event {
	char *name;
	enum event_state state;
	enum event_role role;
	bool is_time;
	bool needs_counter;
	unsigned int modes;
	bool is_precise;
	uint64_t code;
	uint64_t extra;
	unsigned int group;
	size_t set;
	uint64_t switch_after;
	uint16_t pmds[MAX_PMDS_PER_EVENT];
	unsigned int pmd_count;
};

/**
 * struct event_set - events that are counted at the same time; the sets take turns
 * @name: name of the set in a file of sets; NULL if pfmon created the set
 * @position: file and line that define the set, for messages; NULL if pfmon created the set
 * @flags: PFM_SETFL_*
 * @timeout: length of a turn in ns, if @flags has PFM_SETFL_TIME_SWITCH
 */
struct event_set {
	char *name;
	char *position;
	uint32_t flags;
	uint64_t timeout;
};

/**
 * struct event_list - the events of a measurement
 * @events: the events
 * @count: number of @events
 * @group_count: number of pairs of braces
 * @sets: event sets, in the order of their turns
 * @set_count: number of @sets; 0: the context has only set 0, so all events are counted at the same
 *	time
 */
struct event_list {
	struct event *events;
	size_t count;
	unsigned int group_count;
	struct event_set *sets;
	size_t set_count;
};

/*
 * Add the events of @text, which are separated by commas. Events in braces, as in {A,B}, stay in
 * one set. Returns 0, or -1 after reporting an error.
 */
int events_parse(struct event_list *list, const char *text,
		 const struct machine *machine);

/*
 * Add the events that are counted by default. Events that the machine does not have become
 * EVENT_NOT_SUPPORTED.
 */
int events_default(struct event_list *list, const struct machine *machine);

/*
 * Add the event that is sampled by default: cycles, or CPU time if cycles cannot be counted.
 * Without @has_kernel, cycles are counted at user level only. Returns 0, or -1 after reporting an
 * error.
 */
int events_default_sampled(struct event_list *list, const struct machine *machine,
			   bool has_kernel);

/*
 * Make all events use counters. The caller needs this if the events are sampled or end a turn,
 * because only counters overflow. On the software PMU, an event NAME that takes no counter is
 * replaced by the event soft::NAME, which takes one. Returns 0, or -1 after reporting that the PMU
 * has no event soft::NAME.
 */
int events_take_counters(struct event_list *list, const struct machine *machine);

/* Returns the number of sets of a context with these events. Each context has at least one set. */
static inline size_t events_set_count(const struct event_list *list)
{
	return list->set_count ? list->set_count : 1;
}

/* Returns the modes of @event, as pmu.encode() expects them. */
static inline unsigned int event_modes(const struct event *event)
{
	return event->modes | (event->is_precise ? MODE_PRECISE : 0);
}

/* Returns whether @event is counted in the set with index @set. */
static inline bool event_in_set(const struct event *event, size_t set)
{
	return event->state == EVENT_COUNTED &&
	       (event->set == set || event->set == EVERY_SET);
}

/*
 * Returns true if there are several sets and the turn of each set ends after a certain time. Then
 * each set counts during only a part of the time.
 */
bool events_take_turns(const struct event_list *list);

/* Returns whether the sets come from a file. */
static inline bool events_have_named_sets(const struct event_list *list)
{
	return list->set_count && list->sets[0].name;
}

/*
 * Returns whether the machine can count libpfm4's event @name. If so, stores the event's code in
 * @code, and the value of its second PMC in @extra. @extra is 0 if the event needs no second PMC.
 */
bool events_have(const struct machine *machine, const char *name, uint64_t *code,
		 uint64_t *extra);

void events_free(struct event_list *list);

#endif
