/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for tests in which two sides race with each other, thousands of times.
 *
 * If a test can see in which order the two sides acted, it counts how often each order occurred.
 * One side gets a lead, which is made longer or shorter until both orders have happened. A race
 * that the same side always wins tests nothing.
 */
#ifndef MEETING_H
#define MEETING_H

#include "workers.h"

enum order {
	BEFORE, /* our side came first */
	DURING, /* at the same time, or in an order that cannot be seen */
	AFTER, /* the other side came first */
	ORDERS,
	UNSEEN = ORDERS
};

/**
 * struct meeting - a race: when each side acts, and how often each order was seen
 * @edge: the edge, 0 or 1, that the last call of choose_lead() tried to hit. An edge is a lead at
 *	which the order changes: at edge 0 from BEFORE to DURING, at edge 1 from DURING to AFTER
 * @lead: for each edge, the lead of the other side. Our side waits for this number of iterations of
 *	a loop. If the number is negative, our side has the lead, and the other side waits
 * @step: the signed number that was last added to @lead; one element for each edge
 * @orders: how often each order was seen
 */
struct meeting {
	unsigned int edge;
	int lead[2];
	int step[2];
	unsigned int orders[ORDERS];
};

/*
 * Switches @meeting to its other edge. Returns how long our side waits in the next meeting, in
 * iterations of a loop. If the number is negative, the other side waits.
 */
int choose_lead(struct meeting *meeting);
/*
 * Counts @order, and moves the lead towards the edge. Each step in the same direction is larger
 * than the one before, up to a limit.
 */
void note_order(struct meeting *meeting, enum order order);
/*
 * Returns whether each side has come first at least once. A race continues until this function
 * returns true. So the number of iterations depends on the host, and only the test's timeout limits
 * it.
 */
bool both_have_happened(const struct meeting *meeting);
void print_orders(const struct meeting *meeting, const char *name);

#endif
