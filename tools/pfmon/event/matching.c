// SPDX-License-Identifier: GPL-2.0-only
/*
 * Give counters to as many events as possible, with the method of augmenting paths. If all counters
 * that a new event can use already belong to other events, one of the other events must move to a
 * different counter. This move may force further events to move. Events move only if each event
 * that must move gets another counter. So a later event never leaves an earlier event without a
 * counter.
 */
#include <stdbool.h>
#include <string.h>

#include "matching.h"

#define UNUSED ((size_t)-1)

struct matching {
	const struct choice *choices;
	size_t owner[PFM_MAX_HARDWARE];
	bool is_asked[PFM_MAX_HARDWARE];
};

/* Give @event a counter; other events may have to move. Returns false if no counter is left. */
static bool find_counter(struct matching *matching, size_t event)
{
	const struct choice *choice = &matching->choices[event];

	for (unsigned int i = 0; i < choice->count; i++) {
		if (matching->owner[choice->pmds[i]] == UNUSED) {
			matching->owner[choice->pmds[i]] = event;
			return true;
		}
	}
	for (unsigned int i = 0; i < choice->count; i++) {
		uint16_t pmd = choice->pmds[i];

		if (matching->is_asked[pmd])
			continue;
		matching->is_asked[pmd] = true;
		if (find_counter(matching, matching->owner[pmd])) {
			matching->owner[pmd] = event;
			return true;
		}
	}
	return false;
}

size_t matching_find(const struct choice *choices, size_t count, int *assigned)
{
	struct matching matching = { .choices = choices };
	size_t left = 0;

	for (unsigned int pmd = 0; pmd < PFM_MAX_HARDWARE; pmd++)
		matching.owner[pmd] = UNUSED;

	for (size_t event = 0; event < count; event++) {
		memset(matching.is_asked, 0, sizeof(matching.is_asked));
		assigned[event] = NO_COUNTER;
		if (!find_counter(&matching, event))
			left++;
	}

	for (unsigned int pmd = 0; pmd < PFM_MAX_HARDWARE; pmd++)
		if (matching.owner[pmd] != UNUSED)
			assigned[matching.owner[pmd]] = (int)pmd;
	return left;
}
