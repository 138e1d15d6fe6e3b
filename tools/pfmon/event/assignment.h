/* SPDX-License-Identifier: GPL-2.0-only */
/* Assignment of PMDs to events. */
#ifndef PFMON_ASSIGNMENT_H
#define PFMON_ASSIGNMENT_H

#include "events.h"

/*
 * Give each event its PMDs.  If the events of a set cannot all be counted at once, the
 * last ones that do not fit become EVENT_NOT_COUNTED with @is_lenient; without it, the
 * error is reported and -1 returned.
 */
int events_assign(struct event_list *list, const struct machine *machine,
		  bool is_lenient);

/*
 * Store in @left the number of events of the set with index @set that would have no
 * counter.  Without memory, reports that and returns -1, else returns 0.
 */
int events_left_out(const struct event_list *list, const struct machine *machine,
		    size_t set, size_t *left);

#endif
