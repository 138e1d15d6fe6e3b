/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cost of a switch from one event set to the next.  During a switch the time of the
 * active set continues, but its counters are stopped, or they count the kernel's work for
 * the switch.  Either way a scaled count becomes wrong, and the increments do not show
 * this error.  So the cost is measured, with a loop in pfmon itself.
 */
#ifndef PFMON_SWITCH_COST_H
#define PFMON_SWITCH_COST_H

#include "../event/events.h"
#include "../run/session.h"

/**
 * struct switch_cost - the cost of a switch
 * @time: ns that a switch takes
 * @kernel: for each event that counts only the kernel, the number of its occurrences at a
 *	switch; 0 for other events
 */
struct switch_cost {
	double time;
	double *kernel;
};

/*
 * Measure the cost with @events, whose counters have been assigned; this takes about 20 ms. Reports
 * an error and returns -1, or returns 0; the caller calls switch_cost_free() in either case.
 */
int switch_cost_measure(struct switch_cost *cost, const struct machine *machine,
			const struct event_list *events);

/*
 * The relative error that @switches in @time ns of CPU time may cause in the scaled count
 * @value of @event.
 */
double switch_cost_part(const struct switch_cost *cost, const struct event_list *events,
			size_t event, double value, double switches, double time);
void switch_cost_free(struct switch_cost *cost);

#endif
