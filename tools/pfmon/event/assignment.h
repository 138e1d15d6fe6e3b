/* SPDX-License-Identifier: GPL-2.0-only */
/* Assignment of PMDs to events. */
#ifndef PFMON_ASSIGNMENT_H
#define PFMON_ASSIGNMENT_H

#include "events.h"

/*
 * Give each event its PMDs.  Earlier events have priority.  With @is_lenient, an event that cannot
 * be counted at once with the earlier events of its set becomes EVENT_NOT_COUNTED.  Without
 * @is_lenient, such an event is an error, which is reported, and -1 is returned.
 */
int events_assign(struct event_list *list, const struct machine *machine,
		  bool is_lenient);

/*
 * Store in @left the number of events of the set with index @set that cannot get a
 * counter.  If there is no memory, reports an error and returns -1, else returns 0.
 */
int events_left_out(const struct event_list *list, const struct machine *machine,
		    size_t set, size_t *left);

#endif
