/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a measurement: from names on the command line to registers. */
#ifndef PFMON_EVENTS_H
#define PFMON_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "software.h"

enum event_state {
	EVENT_COUNTED,
	EVENT_NOT_SUPPORTED, /* the PMU does not have it */
	EVENT_NOT_COUNTED, /* no counter was left, or it clashes with another */
};

/**
 * struct event - an event to count
 * @name: as it was asked for
 * @state: whether it is counted
 * @role: what it means
 * @is_time: the count is nanoseconds
 * @needs_counter: it takes a counter of the PMU; else it is virtual PMDs
 * @modes: MODE_*
 * @code: its code on the PMU, if it needs a counter
 * @pmds: the PMDs whose sum it is
 * @pmd_count: how many; 0 until assigned
 */
struct event {
	char *name;
	enum event_state state;
	enum event_role role;
	bool is_time;
	bool needs_counter;
	unsigned int modes;
	uint64_t code;
	uint16_t pmds[MAX_PMDS_PER_EVENT];
	unsigned int pmd_count;
};

struct event_list {
	struct event *events;
	size_t count;
};

/*
 * Add the events of @text, names separated by commas.  Says what is wrong and
 * returns -1, or 0.
 */
int events_parse(struct event_list *list, const char *text,
		 const struct machine *machine);

/*
 * Add what is counted when nothing is asked for; what the machine does not have
 * becomes EVENT_NOT_SUPPORTED.
 */
int events_default(struct event_list *list, const struct machine *machine);

/*
 * Add what is sampled when nothing is asked for: cycles, of the kernel only if
 * @has_kernel, or CPU time.  Says what is wrong and returns -1, or 0.
 */
int events_default_sampled(struct event_list *list, const struct machine *machine,
			   bool has_kernel);

/*
 * Only counters of the PMU overflow: an event without one becomes the software PMU's of
 * the same name if that is the machine's.  Else says so and returns -1, or 0.
 */
int events_take_counters(struct event_list *list, const struct machine *machine);

/*
 * Give each event its PMDs.  If they cannot all be counted at once: with
 * @is_lenient the last ones that do not fit become EVENT_NOT_COUNTED, else it is said
 * and -1 returned.
 */
int events_assign(struct event_list *list, const struct machine *machine,
		  bool is_lenient);

/* Has the CPU libpfm4's event @name? */
bool events_have(const struct machine *machine, const char *name);

void events_free(struct event_list *list);

#endif
