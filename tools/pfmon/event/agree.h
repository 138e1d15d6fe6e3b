/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events can be counted at once. */
#ifndef PFMON_AGREE_H
#define PFMON_AGREE_H

#include "assign.h"
#include "events.h"

/**
 * struct verdict - what became of an event
 * @pmd: its counter, or NO_COUNTER
 * @rival: without one: the event that needs other bits in a PMC, or NULL if there
 *	is no counter left
 * @pmc: that PMC
 */
struct verdict {
	int pmd;
	const struct event *rival;
	uint16_t pmc;
};

/*
 * Give as many of the @count @events as possible a counter of their own, so that all
 * that have one agree on the PMCs; the earlier ones go first.  Returns -1 if there is
 * no memory.
 */
int agree(const struct event *const *events, size_t count, const struct machine *machine,
	  struct verdict *verdicts);

#endif
