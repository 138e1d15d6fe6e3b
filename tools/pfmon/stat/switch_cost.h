/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cost of a switch from one event set to the next. The measured time of the active set includes
 * the time that the kernel needs for the switch. But during the switch, the counters of the set are
 * stopped, or they count what the kernel executes for the switch. In both cases, a scaled count has
 * an error, and the error estimate of scale.h does not include it. So pfmon measures the cost with
 * a loop of its own.
 */
#ifndef PFMON_SWITCH_COST_H
#define PFMON_SWITCH_COST_H

#include "../event/events.h"
#include "../run/session.h"

/**
 * struct switch_cost - the cost of a switch
 * @time: ns that a switch takes
 * @kernel: for each event, the number of occurrences during a switch, if the event is counted only
 *	at kernel level; 0 for other events
 */
struct switch_cost {
	double time;
	double *kernel;
};

/*
 * Measure the cost of a switch between the sets of @events. The caller has assigned counters to the
 * events. The measurement takes about 40 to 80 ms. The cost stays 0 if pfmon itself is monitored,
 * or if contexts on CPUs hold the counters. Returns 0, or -1 after reporting an error. The caller
 * calls switch_cost_free() in either case.
 */
int switch_cost_measure(struct switch_cost *cost, const struct machine *machine,
			const struct event_list *events);

/*
 * Returns the relative error that set switches may cause in @value, the scaled count of @event.
 * @switches is the number of set switches in @time ns of CPU time.
 */
double switch_cost_part(const struct switch_cost *cost, const struct event_list *events,
			size_t event, double value, double switches, double time);
void switch_cost_free(struct switch_cost *cost);

#endif
