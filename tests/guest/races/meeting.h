/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two sides race in a window, thousands of times.
 *
 * Where their order can be seen from outside, it is counted. The lead of one side is made longer
 * or shorter until both orders have happened, because a race that one side always wins tests
 * nothing.
 */
#ifndef MEETING_H
#define MEETING_H

#include "workers.h"

enum order {
	BEFORE, /* our side came first */
	DURING, /* at once, as far as can be seen */
	AFTER,
	ORDERS,
	UNSEEN = ORDERS
};

/**
 * struct meeting - a race: when both sides act, and how often in which order
 * @edge: the edge that is aimed at: between "before" and "at once", or between "at once" and
 * "after"
 * @lead: for each edge, turns that the other side gets first; negative: turns that we get
 * @step: for each edge, how far the lead was moved last, with its sign
 * @orders: how often each order was seen
 */
struct meeting {
	unsigned int edge;
	int lead[2];
	int step[2];
	unsigned int orders[ORDERS];
};

/* Turns that we wait. Negative: the other side has to wait. */
int choose_lead(struct meeting *meeting);
/*
 * Moves the lead towards the edge where both orders are seen. Moves faster as long as only one
 * order is seen.
 */
void note_order(struct meeting *meeting, enum order order);
/*
 * Returns whether both orders were seen. A race goes on until then: the number of iterations
 * depends on the host, and the test's timeout bounds it.
 */
bool both_have_happened(const struct meeting *meeting);
void print_orders(const struct meeting *meeting, const char *name);

#endif
