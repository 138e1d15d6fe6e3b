/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two that meet in a window, thousands of times.
 *
 * Where the order in which they came can be seen from outside it is counted, and
 * the one side's lead is shortened or lengthened until both orders have happened:
 * a race that nobody ever loses is none.
 */
#ifndef MEETING_H
#define MEETING_H

#include "workers.h"

enum order {
	BEFORE, /* we were first */
	DURING, /* at once, as far as can be seen */
	AFTER,
	ORDERS,
	UNSEEN = ORDERS
};

/**
 * struct meeting - when two meet, and how often in which order
 * @edge: the one that is aimed at: between "before" and "at once", and between
 *	that and "after"
 * @lead: for each, what the other side is given; less than 0: what we take
 * @step: for each, and with its sign, how far it was moved last
 * @orders: how often each was seen
 */
struct meeting {
	unsigned int edge;
	int lead[2];
	int step[2];
	unsigned int orders[ORDERS];
};

/* Turns that we wait, or less than 0: that the other side has to wait. */
int choose_lead(struct meeting *meeting);
/* To where both sides of the edge are seen; faster as long as it is out of sight. */
void note_order(struct meeting *meeting, enum order order);
/*
 * Whether it was seen before and after.  A race goes on until it was: how many
 * iterations that takes depends on the host, and the time limit of the test bounds it.
 */
bool both_have_happened(const struct meeting *meeting);
void print_orders(const struct meeting *meeting, const char *name);

#endif
