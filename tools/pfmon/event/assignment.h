/* SPDX-License-Identifier: GPL-2.0-only */
/* Which PMDs count which event. */
#ifndef PFMON_ASSIGNMENT_H
#define PFMON_ASSIGNMENT_H

#include "events.h"

/*
 * Give each event its PMDs.  If those of a set cannot all be counted at once: with
 * @is_lenient the last ones that do not fit become EVENT_NOT_COUNTED, else it is said
 * and -1 returned.
 */
int events_assign(struct event_list *list, const struct machine *machine,
		  bool is_lenient);

/*
 * How many events of the set of index @set would be without a counter, into @left.  Says
 * that there is no memory and returns -1, or 0.
 */
int events_left_out(const struct event_list *list, const struct machine *machine,
		    size_t set, size_t *left);

#endif
