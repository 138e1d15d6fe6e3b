/* SPDX-License-Identifier: GPL-2.0-only */
/* Find out which events can be counted at the same time, given the PMCs that they share. */
#ifndef PFMON_CONSTRAINTS_H
#define PFMON_CONSTRAINTS_H

#include "matching.h"
#include "events.h"

/**
 * struct verdict - whether an event can be counted
 * @pmd: the counter of the event, or NO_COUNTER
 * @rival: if @pmd is NO_COUNTER, another event that needs a different value of some PMC bit, so
 *	that the two events cannot be counted at the same time. NULL if there is no such event:
 *	either other events use all counters that can count this event, or no counter can count it
 * @pmc: if @rival is not NULL, number of the PMC that contains this bit
 */
struct verdict {
	int pmd;
	const struct event *rival;
	uint16_t pmc;
};

/*
 * Give a counter to as many of the events as possible. If two events need different values of the
 * same PMC bit, at most one of them gets a counter. Earlier events have priority. Stores the result
 * for @events[i] in @verdicts[i]. Returns 0, or -1 if there is no memory.
 */
int constraints_assign(const struct event *const *events, size_t count,
		       const struct machine *machine, struct verdict *verdicts);

/*
 * Store in @bits the PMC bits that let PMD @pmd count @event. Returns the number of PMCs, or 0 if
 * the PMD cannot count the event.
 */
unsigned int event_encode(const struct pmu *pmu, const struct event *event, uint16_t pmd,
			  struct pmc_bits bits[MAX_PMCS_PER_EVENT]);

#endif
