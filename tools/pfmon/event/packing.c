// SPDX-License-Identifier: GPL-2.0-only
/*
 * If there are more events than counters, distribute the events among event sets that take turns.
 * Each event goes into the first set that has a counter for it. This keeps the number of sets
 * small, and puts the events that the user names first into the first set.
 */
#include <stdlib.h>

#include "assignment.h"
#include "../common/array.h"
#include "../common/errors.h"
#include "packing.h"

/* The value of event.set until the event is put into a set. */
#define NO_SET	 (SIZE_MAX - 1)

/* Set ids have 16 bits. */
#define MAX_SETS 65536

static bool wants_set(const struct event *event)
{
	return event->state == EVENT_COUNTED && event->needs_counter;
}

/*
 * Returns the index of the first event after the group that begins with event @first. An event that
 * is not in braces is a group of its own.
 */
static size_t end_of(const struct event_list *list, size_t first)
{
	size_t end = first + 1;

	while (list->events[first].group && end < list->count &&
	       list->events[end].group == list->events[first].group)
		end++;
	return end;
}

static void put(struct event_list *list, size_t first, size_t end, size_t set)
{
	for (size_t i = first; i < end; i++)
		if (wants_set(&list->events[i]))
			list->events[i].set = set;
}

/*
 * Put the events from @first to @end - 1 into @set. Stores in @is_fit whether all events of the set
 * get counters.
 */
static int try(struct event_list *list, const struct machine *machine, size_t first,
	       size_t end, size_t set, bool *is_fit)
{
	size_t left;

	put(list, first, end, set);
	if (events_left_out(list, machine, set, &left))
		return -1;
	*is_fit = !left;
	return 0;
}

static int fail_group(const struct event_list *list, const struct machine *machine,
		      size_t first, size_t end, size_t set)
{
	size_t wanted = 0, left, given;

	for (size_t i = first; i < end; i++)
		wanted += wants_set(&list->events[i]);
	if (events_left_out(list, machine, set, &left))
		return -1;
	given = wanted - left;
	return fail(
		"events in braces are counted at the same time, but %zu of the events "
		"'%s' to '%s' need a counter, and only %zu get%s one: take some events "
		"out of the braces",
		wanted, list->events[first].name, list->events[end - 1].name, given,
		given == 1 ? "s" : "");
}

/* Handle events that do not fit even into an empty set. */
static int leave_out(struct event_list *list, const struct machine *machine, size_t first,
		     size_t end, bool is_lenient)
{
	size_t set = list->events[first].set;

	if (end - first > 1)
		return fail_group(list, machine, first, end, set);
	if (!is_lenient)
		return fail(
			"no counter is available for event '%s': 'pfmon info' shows the "
			"counters",
			list->events[first].name);
	list->events[first].state = EVENT_NOT_COUNTED;
	return 0;
}

static int add_set(struct event_list *list, uint64_t interval)
{
	struct event_set *set;

	if (list->set_count == MAX_SETS)
		return fail("the events need more than %d event sets: leave some out, or "
			    "count them in several runs",
			    MAX_SETS);
	set = array_add(&list->sets, &list->set_count, sizeof(*set));
	if (!set)
		return fail("no memory");
	set->flags = PFM_SETFL_TIME_SWITCH;
	set->timeout = interval;
	return 0;
}

/*
 * Put the events from @first to @end - 1 into the first set that has counters for all of them, or
 * into a new set.
 */
static int pack(struct event_list *list, const struct machine *machine, size_t first,
		size_t end, uint64_t interval, bool is_lenient)
{
	bool is_fit = false;

	for (size_t set = 0; set < list->set_count && !is_fit; set++)
		if (try(list, machine, first, end, set, &is_fit))
			return -1;
	if (is_fit)
		return 0;
	if (try(list, machine, first, end, list->set_count, &is_fit))
		return -1;
	if (!is_fit)
		return leave_out(list, machine, first, end, is_lenient);
	return add_set(list, interval);
}

/* If some events of a group need counters, put the other events of the group into the same set. */
static void join(struct event_list *list, size_t first, size_t end)
{
	size_t set = EVERY_SET;

	for (size_t i = first; i < end; i++)
		if (wants_set(&list->events[i]))
			set = list->events[i].set;
	for (size_t i = first; i < end; i++)
		if (list->events[i].group)
			list->events[i].set = set;
}

static bool wants_sets(const struct event_list *list, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (wants_set(&list->events[i]))
			return true;
	return false;
}

int pack_into_sets(struct event_list *list, const struct machine *machine,
		   uint64_t interval, bool is_lenient)
{
	size_t left, end;

	if (events_left_out(list, machine, 0, &left))
		return -1;
	if (!left)
		return 0;
	put(list, 0, list->count, NO_SET);
	for (size_t first = 0; first < list->count; first = end) {
		end = end_of(list, first);
		if (!wants_sets(list, first, end))
			continue;
		if (pack(list, machine, first, end, interval, is_lenient))
			return -1;
		join(list, first, end);
	}
	/*
	 * If only one set was created, all events that did not fit into it were left out. Then the
	 * context uses only set 0, which every context has, and sets do not take turns.
	 */
	if (list->set_count == 1)
		list->set_count = 0;
	return 0;
}
