/* SPDX-License-Identifier: GPL-2.0-only */
/* Distribute events among event sets that take turns. */
#ifndef PFMON_PACKING_H
#define PFMON_PACKING_H

#include "events.h"

/*
 * Default length of a turn in ns. With the kernel's perf_event, a turn is one tick long: 1 to 10
 * ms, depending on the configuration of the kernel. Shorter turns give better estimates, and
 * perfmon's set switches are cheap.
 */
#define SET_INTERVAL 1000000

/*
 * If not all events can be counted at the same time, put them into sets that have turns of
 * @interval ns each. An event goes into the first set that has a counter for it; events in braces
 * stay together. An event that needs no counter is in each set, unless an event in the same braces
 * needs a counter. If all events can be counted at the same time, nothing is changed.
 *
 * Some events cannot get a counter even in a set of their own. With @is_lenient, such an event
 * becomes EVENT_NOT_COUNTED. Without @is_lenient, the function reports the event and returns -1. If
 * several events in braces cannot all get counters in one set, the function reports this and
 * returns -1, even with @is_lenient.
 */
int pack_into_sets(struct event_list *list, const struct machine *machine,
		   uint64_t interval, bool is_lenient);

#endif
