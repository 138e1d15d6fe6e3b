/* SPDX-License-Identifier: GPL-2.0-only */
/* Assign PMDs to events. */
#ifndef PFMON_ASSIGNMENT_H
#define PFMON_ASSIGNMENT_H

#include "events.h"

/*
 * Give each event its PMDs. Earlier events have priority. With @is_lenient, an event that cannot be
 * counted together with the earlier events of its set becomes EVENT_NOT_COUNTED, and an event whose
 * virtual PMDs are missing becomes EVENT_NOT_SUPPORTED. Without @is_lenient, the function reports
 * such an event and returns -1.
 */
int events_assign(struct event_list *list, const struct machine *machine,
		  bool is_lenient);

/*
 * Store in @left the number of events that cannot get a counter in the set with index @set. Returns
 * 0, or -1 after reporting that there is no memory.
 */
int events_left_out(const struct event_list *list, const struct machine *machine,
		    size_t set, size_t *left);

#endif
