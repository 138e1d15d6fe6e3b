// SPDX-License-Identifier: GPL-2.0-only
/*
 * From codes of events to PMDs.  Two events can be counted at once if each has a
 * counter of its own and they agree on the PMCs that they share.
 */
#include <stdlib.h>

#include "agree.h"
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

/* Say why the first event that is left out is, and of how many. */
static int fail_left_out(const struct event_list *list, const struct verdict *verdicts,
			 size_t wanted, size_t left)
{
	const struct verdict *verdict = verdicts;
	const struct event *first = NULL;

	for (size_t i = 0; i < list->count; i++) {
		if (!wants_counter(&list->events[i]))
			continue;
		if (verdict->pmd == NO_COUNTER) {
			first = &list->events[i];
			break;
		}
		verdict++;
	}
	if (verdict->rival)
		return fail("events '%s' and '%s' cannot be counted at once: they need "
			    "different bits in PMC %u, which they share; leave "
			    "one out, or count them in several runs",
			    verdict->rival->name, first->name, verdict->pmc);
	if (wanted == 1)
		return fail("no counter is free for event '%s': 'pfmon info' shows "
			    "the counters",
			    first->name);
	return fail("%zu events need a counter and %zu find one: leave out '%s'%s, "
		    "or count them in several runs",
		    wanted, wanted - left, first->name, left > 1 ? " and others" : "");
}

/* Write down in the events what was assigned. */
static void take(struct event_list *list, const struct verdict *verdicts)
{
	for (size_t i = 0; i < list->count; i++) {
		struct event *event = &list->events[i];

		if (!wants_counter(event))
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

int events_assign(struct event_list *list, const struct machine *machine, bool is_lenient)
{
	size_t wanted = counters_wanted(list), next = 0, left = 0;
	const struct event **events;
	struct verdict *verdicts;
	int result;

	result = check_virtual(list, machine, is_lenient);
	if (result || !wanted)
		return result;
	events = calloc(wanted, sizeof(*events));
	verdicts = calloc(wanted, sizeof(*verdicts));
	if (!events || !verdicts) {
		result = fail("no memory");
		goto out;
	}
	for (size_t i = 0; i < list->count; i++)
		if (wants_counter(&list->events[i]))
			events[next++] = &list->events[i];
	if (agree(events, wanted, machine, verdicts)) {
		result = fail("no memory");
		goto out;
	}
	for (size_t i = 0; i < wanted; i++)
		left += verdicts[i].pmd == NO_COUNTER;
	if (left && !is_lenient)
		result = fail_left_out(list, verdicts, wanted, left);
	else
		take(list, verdicts);
out:
	free(events);
	free(verdicts);
	return result;
}
