/* SPDX-License-Identifier: GPL-2.0-only */
/* What pfmon stat counts. */
#ifndef PFMON_STAT_EVENTS_H
#define PFMON_STAT_EVENTS_H

#include "../event/events.h"
#include "stat_options.h"

/*
 * Find the events that option -e or --sets gives, or the default events if neither is given. Assign
 * the events to sets and counters. Returns 0, or -1 after reporting an error. The caller calls
 * events_free() in any case.
 */
int stat_events_choose(struct event_list *events, const struct machine *machine,
		       const struct stat_options *options);

#endif
