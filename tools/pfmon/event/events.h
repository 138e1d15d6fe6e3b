/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a measurement: from names on the command line to registers. */
#ifndef PFMON_EVENTS_H
#define PFMON_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "software.h"

enum event_state {
	EVENT_COUNTED,
	EVENT_NOT_SUPPORTED, /* the PMU does not have it */
	EVENT_NOT_COUNTED, /* no counter was left, or it clashes with another */
};

/* The set of an event that takes no counter: it is counted in each. */
#define EVERY_SET SIZE_MAX

/**
 * struct event - an event to count
 * @name: as it was asked for
 * @state: whether it is counted
 * @role: what it means
 * @is_time: the count is nanoseconds
 * @needs_counter: it takes a counter of the PMU; else it is virtual PMDs
 * @modes: MODE_*
 * @code: its code on the PMU, if it needs a counter
 * @group: number of the braces that it is in, from 1; 0: of none
 * @set: the event set that it is counted in, an index, or EVERY_SET
 * @switch_after: the set is over after so many; such an event is counted for that only.
 *	0: it is an event to be shown
 * @pmds: the PMDs whose sum it is
 * @pmd_count: how many; 0 until assigned
 */
struct event {
	char *name;
	enum event_state state;
	enum event_role role;
	bool is_time;
	bool needs_counter;
	unsigned int modes;
	uint64_t code;
	unsigned int group;
	size_t set;
	uint64_t switch_after;
	uint16_t pmds[MAX_PMDS_PER_EVENT];
	unsigned int pmd_count;
};

/**
 * struct event_set - events that are counted at once, in turns with those of other sets
 * @name: what it is called in a file of sets; NULL if pfmon has made it
 * @place: that file and the line in it, for messages; NULL likewise
 * @flags: PFM_SETFL_*
 * @timeout: ns until the next set has its turn, with PFM_SETFL_TIME_SWITCH
 */
struct event_set {
	char *name;
	char *place;
	uint32_t flags;
	uint64_t timeout;
};

/**
 * struct event_list - the events of a measurement
 * @events: the events
 * @count: how many
 * @group_count: pairs of braces so far
 * @sets: event sets, in the order of their turns
 * @set_count: how many; 0: all events are counted at once, in the set that every
 *	context has
 */
struct event_list {
	struct event *events;
	size_t count;
	unsigned int group_count;
	struct event_set *sets;
	size_t set_count;
};

/*
 * Add the events of @text, names separated by commas, {A,B} those that are not to be
 * counted apart.  Says what is wrong and returns -1, or 0.
 */
int events_parse(struct event_list *list, const char *text,
		 const struct machine *machine);

/*
 * Add what is counted when nothing is asked for; what the machine does not have
 * becomes EVENT_NOT_SUPPORTED.
 */
int events_default(struct event_list *list, const struct machine *machine);

/*
 * Add what is sampled when nothing is asked for: cycles, of the kernel only if
 * @has_kernel, or CPU time.  Says what is wrong and returns -1, or 0.
 */
int events_default_sampled(struct event_list *list, const struct machine *machine,
			   bool has_kernel);

/*
 * Only counters of the PMU overflow: an event without one becomes the software PMU's of
 * the same name if that is the machine's.  Else says so and returns -1, or 0.
 */
int events_take_counters(struct event_list *list, const struct machine *machine);

/* The sets that there are, with the one that every context has. */
static inline size_t events_set_count(const struct event_list *list)
{
	return list->set_count ? list->set_count : 1;
}

/* Is @event counted in the set of index @set? */
static inline bool event_in_set(const struct event *event, size_t set)
{
	return event->state == EVENT_COUNTED &&
	       (event->set == set || event->set == EVERY_SET);
}

/* Do several sets take turns by time alone, so that each has its share of it? */
bool events_take_turns(const struct event_list *list);

/* Are the sets those of a file? */
static inline bool events_have_named_sets(const struct event_list *list)
{
	return list->set_count && list->sets[0].name;
}

/* Has the CPU libpfm4's event @name? */
bool events_have(const struct machine *machine, const char *name);

void events_free(struct event_list *list);

#endif
