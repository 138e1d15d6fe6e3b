// SPDX-License-Identifier: GPL-2.0-only
/* From codes of events to PMDs. */
#include <stdlib.h>

#include "assign.h"
#include "errors.h"
#include "events.h"

static bool wants_counter(const struct event *event)
{
	return event->state == EVENT_COUNTED && event->needs_counter;
}

static size_t counters_wanted(const struct event_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += wants_counter(&list->events[i]);
	return count;
}

/* A virtual PMD that this module does not have. */
static int check_virtual(const struct event_list *list, const struct machine *machine,
			 bool is_lenient)
{
	for (size_t i = 0; i < list->count; i++) {
		struct event *event = &list->events[i];

		for (unsigned int j = 0; j < event->pmd_count; j++) {
			if (register_in(machine->info.implemented_pmds, event->pmds[j]))
				continue;
			if (!is_lenient)
				return fail("this version of perfmon does not count "
					    "event '%s'",
					    event->name);
			event->state = EVENT_NOT_SUPPORTED;
			event->pmd_count = 0;
		}
	}
	return 0;
}

static int fail_too_many(const struct event_list *list, const int *assigned,
			 size_t wanted, size_t left)
{
	const char *first = NULL;
	size_t next = 0;

	for (size_t i = 0; i < list->count && !first; i++)
		if (wants_counter(&list->events[i]) && assigned[next++] == NO_COUNTER)
			first = list->events[i].name;
	if (wanted == 1)
		return fail("no counter is free for event '%s': 'pfmon info' shows "
			    "the counters",
			    first);
	return fail("%zu events need a counter and %zu find one: leave out '%s'%s, "
		    "or count them in several runs",
		    wanted, wanted - left, first, left > 1 ? " and others" : "");
}

/* Write down in the events what was assigned. */
static void take(struct event_list *list, const int *assigned)
{
	size_t next = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct event *event = &list->events[i];
		int pmd;

		if (!wants_counter(event))
			continue;
		pmd = assigned[next++];
		if (pmd == NO_COUNTER) {
			event->state = EVENT_NOT_COUNTED;
		} else {
			event->pmds[0] = (uint16_t)pmd;
			event->pmd_count = 1;
		}
	}
}

int events_assign(struct event_list *list, const struct machine *machine, bool is_lenient)
{
	size_t wanted = counters_wanted(list), next = 0, left;
	struct choice *choices;
	int *assigned, result;

	result = check_virtual(list, machine, is_lenient);
	if (result || !wanted)
		return result;
	choices = calloc(wanted, sizeof(*choices));
	assigned = calloc(wanted, sizeof(*assigned));
	if (!choices || !assigned) {
		result = fail("no memory");
		goto out;
	}
	for (size_t i = 0; i < list->count; i++) {
		if (!wants_counter(&list->events[i]))
			continue;
		choices[next].count = pmu_counters(machine->pmu, &machine->info,
						   list->events[i].code,
						   choices[next].pmds);
		next++;
	}
	left = assign_counters(choices, wanted, assigned);
	if (left && !is_lenient)
		result = fail_too_many(list, assigned, wanted, left);
	else
		take(list, assigned);
out:
	free(choices);
	free(assigned);
	return result;
}
