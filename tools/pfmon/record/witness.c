// SPDX-License-Identifier: GPL-2.0-only
/* Find out how many samples the PMU did not deliver. */
#include <stdlib.h>
#include <string.h>

#include "../event/assignment.h"
#include "../common/errors.h"
#include "witness.h"

int witness_add(struct event_list *all, struct event_list *events,
		const struct machine *machine)
{
	size_t count = events->count;

	*all = (struct event_list){ .count = 2 * count };
	all->events = calloc(2 * count + 1, sizeof(*all->events));
	if (!all->events)
		return fail("no memory");
	for (size_t i = 0; i < count; i++) {
		all->events[i] = all->events[count + i] = events->events[i];
		all->events[count + i].name = NULL;
	}
	if (events_assign(all, machine, true))
		return -1;
	for (size_t i = 0; i < count; i++)
		memcpy(events->events[i].pmds, all->events[i].pmds,
		       sizeof(events->events[i].pmds));
	return 0;
}

void witness_free(struct event_list *all)
{
	free(all->events);
	*all = (struct event_list){ 0 };
}

int witness_of(const struct event_list *all, size_t event_count, size_t index)
{
	const struct event *event = &all->events[event_count + index];

	return event->state == EVENT_COUNTED && event->pmd_count ? event->pmds[0] : -1;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

uint64_t witness_compare(struct data_unsampled *record, uint64_t counted,
			 const struct explained *explained)
{
	uint64_t period = explained->period, lost = explained->lost_sum, missing;

	if (explained->samples)
		period = explained->periods / explained->samples;
	if (!lost)
		lost = explained->lost * period;
	missing = difference(counted, explained->periods + explained->rest +
					      explained->dropped + lost);
	record->counted = counted;
	record->events = difference(missing, explained->cut);
	record->samples = period ? record->events / period : 0;
	return missing - record->events;
}
