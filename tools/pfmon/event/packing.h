/* SPDX-License-Identifier: GPL-2.0-only */
/* Share events out among event sets that take turns. */
#ifndef PFMON_PACKING_H
#define PFMON_PACKING_H

#include "events.h"

/*
 * ns of a turn if nothing else is asked for.  The kernel's perf_event turns once a tick:
 * 1 to 10 ms, by how it was configured.  The shorter the turns, the better the estimate,
 * and a switch is cheap here.
 */
#define SET_INTERVAL 1000000

/*
 * If not all events can be counted at once, put them into sets that have turns of
 * @interval ns each: an event in the first set where it finds a counter, those in braces
 * together.  Events without a counter are in each set, unless in braces with one that has.
 * If all can be counted at once nothing is changed.  With @is_lenient an event that finds
 * no counter even alone becomes EVENT_NOT_COUNTED, else it is said and -1 returned.
 */
int pack_into_sets(struct event_list *list, const struct machine *machine,
		   uint64_t interval, bool is_lenient);

#endif
