// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assign PMDs to the events of each set, and report why an event cannot have a PMD. Two events can
 * be counted at the same time if each has a counter of its own, and if the two events do not need
 * different values of the same PMC bit.
 */
#include <stdlib.h>

#include "assignment.h"
#include "../common/errors.h"
#include "constraints.h"
#include "events.h"
#include "holders.h"

static bool wants_counter(const struct event *event, size_t set)
{
	return event->state == EVENT_COUNTED && event->needs_counter && event->set == set;
}

/**
 * struct members - the events of a set that need counters
 * @events: the events
 * @verdicts: for each event, whether it can be counted
 * @count: number of events
 * @left: number of events without a counter
 */
struct members {
	const struct event **events;
	struct verdict *verdicts;
	size_t count;
	size_t left;
};

static void members_free(struct members *members)
{
	free(members->events);
	free(members->verdicts);
}

/* Returns 0, or -1 after reporting an error. The caller calls members_free() in either case. */
static int members_assign(struct members *members, const struct event_list *list,
			  const struct machine *machine, size_t set)
{
	*members = (struct members){
		.events = calloc(list->count + 1, sizeof(*members->events)),
		.verdicts = calloc(list->count + 1, sizeof(*members->verdicts)),
	};
	if (!members->events || !members->verdicts)
		return fail("no memory");
	for (size_t i = 0; i < list->count; i++)
		if (wants_counter(&list->events[i], set))
			members->events[members->count++] = &list->events[i];
	if (members->count && constraints_assign(members->events, members->count, machine,
						 members->verdicts))
		return fail("no memory");
	for (size_t i = 0; i < members->count; i++)
		members->left += members->verdicts[i].pmd == NO_COUNTER;
	return 0;
}

static int fail_missing(const struct event *event, const struct machine *machine)
{
	if (machine->is_system_wide)
		return fail("event '%s' belongs to a thread, not to a CPU: leave out the "
			    "event, or the options -a and -C",
			    event->name);
	return fail("neither perfmon nor its PMU module counts event '%s': 'pfmon list' "
		    "shows the events",
		    event->name);
}

/*
 * Check that perfmon or its PMU module implements each virtual PMD of the events. With @is_lenient,
 * an event that lacks a PMD becomes EVENT_NOT_SUPPORTED.
 */
static int check_virtual(const struct event_list *list, const struct machine *machine,
			 bool is_lenient)
{
	for (size_t i = 0; i < list->count; i++) {
		struct event *event = &list->events[i];

		for (unsigned int j = 0; j < event->pmd_count; j++) {
			if (register_in(machine->info.implemented_pmds, event->pmds[j]))
				continue;
			if (!is_lenient)
				return fail_missing(event, machine);
			event->state = EVENT_NOT_SUPPORTED;
			event->pmd_count = 0;
		}
	}
	return 0;
}

/* Returns whether another user of the PMU, such as perf, holds at least one counter now. */
static bool is_some_held(const struct pfm_info *info)
{
	for (unsigned int i = 0; i < PFM_MAX_HARDWARE / 64; i++)
		if (info->counter_pmds[i] & ~info->available_pmds[i])
			return true;
	return false;
}

/* Report the first event that got no counter, and the reason. */
static int fail_left_out(const struct members *members, const struct machine *machine)
{
	char advice[ADVICE_TEXT] = "";
	const struct verdict *verdict = members->verdicts;
	const size_t given = members->count - members->left;
	const struct event *first;

	while (verdict->pmd != NO_COUNTER)
		verdict++;
	first = members->events[verdict - members->verdicts];
	if (is_some_held(&machine->info))
		holders_advice("/proc", advice);
	if (verdict->rival)
		return fail("events '%s' and '%s' cannot be counted at the same time: "
			    "they need different values of the same bits of PMC %u; "
			    "leave one out, or count them in several runs",
			    verdict->rival->name, first->name, verdict->pmc);
	if (members->count == 1)
		return fail("no counter is available for event '%s': 'pfmon info' shows "
			    "the counters%s",
			    first->name, advice);
	return fail(
		"%zu events need a counter, but only %zu get%s one: leave out '%s'%s, "
		"or count them in several runs%s",
		members->count, given, given == 1 ? "s" : "", first->name,
		members->left > 1 ? " and others" : "", advice);
}

/*
 * Store the PMDs of @verdicts in the events of @set. Events without a PMD become EVENT_NOT_COUNTED.
 */
static void take(struct event_list *list, size_t set, const struct verdict *verdicts)
{
	for (size_t i = 0; i < list->count; i++) {
		struct event *event = &list->events[i];

		if (!wants_counter(event, set))
			continue;
		if (verdicts->pmd == NO_COUNTER) {
			event->state = EVENT_NOT_COUNTED;
		} else {
			event->pmds[0] = (uint16_t)verdicts->pmd;
			event->pmd_count = 1;
		}
		verdicts++;
	}
}

static int assign_set(struct event_list *list, const struct machine *machine, size_t set,
		      bool is_lenient)
{
	struct members members;
	int result;

	fail_at(list->set_count ? list->sets[set].position : NULL);
	result = members_assign(&members, list, machine, set);
	if (!result && members.left && !is_lenient)
		result = fail_left_out(&members, machine);
	else if (!result)
		take(list, set, members.verdicts);
	fail_at(NULL);
	members_free(&members);
	return result;
}

int events_assign(struct event_list *list, const struct machine *machine, bool is_lenient)
{
	int result = check_virtual(list, machine, is_lenient);

	for (size_t set = 0; !result && set < events_set_count(list); set++)
		result = assign_set(list, machine, set, is_lenient);
	return result;
}

int events_left_out(const struct event_list *list, const struct machine *machine,
		    size_t set, size_t *left)
{
	struct members members;
	int result;

	result = members_assign(&members, list, machine, set);
	*left = members.left;
	members_free(&members);
	return result;
}
