// SPDX-License-Identifier: GPL-2.0-only
/* Decides when the two sides of a race act, and counts how often each side comes first. */
#include <stdio.h>

#include "meeting.h"

/*
 * The smallest and the largest step by which note_order() changes the lead (meeting.h). All times
 * in this file are numbers of iterations of a loop.
 */
#define LEAST_STEP   64
#define LARGEST_STEP 65536

/*
 * choose_lead() adds a random number to the lead, or subtracts it. This number has fewer than
 * JITTER_WIDTH bits.
 */
#define JITTER_WIDTH 16

int choose_lead(struct meeting *meeting)
{
	int off = random_below(1 << random_below(JITTER_WIDTH));

	meeting->edge = !meeting->edge;
	return meeting->lead[meeting->edge] + (random_below(2) ? off : -off);
}

void note_order(struct meeting *meeting, enum order order)
{
	int *step = &meeting->step[meeting->edge];
	bool early = order == BEFORE || (order == DURING && meeting->edge == 1);

	if (order == UNSEEN)
		return;
	meeting->orders[order]++;
	if (early)
		*step = *step > 0 ? 2 * *step : LEAST_STEP;
	else
		*step = *step < 0 ? 2 * *step : -LEAST_STEP;
	if (abs(*step) > LARGEST_STEP)
		*step /= 2;
	meeting->lead[meeting->edge] += *step;
}

bool both_have_happened(const struct meeting *meeting)
{
	return meeting->orders[BEFORE] && meeting->orders[AFTER];
}

void print_orders(const struct meeting *meeting, const char *name)
{
	const unsigned int *orders = meeting->orders;

	printf("         %s: our call first %u times, both at once %u times, our call last %u times\n",
	       name, orders[BEFORE], orders[DURING], orders[AFTER]);
	fflush(stdout);
}
