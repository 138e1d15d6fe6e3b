/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that every machine has, because virtual PMDs count them. */
#ifndef PFMON_SOFTWARE_H
#define PFMON_SOFTWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu.h"

#define MAX_PMDS_PER_EVENT 2

/**
 * struct software_event - an event that is counted by virtual PMDs
 * @name: name of the event
 * @aliases: up to two other names; the unused elements are NULL
 * @description: one line
 * @role: how the comment column of pfmon stat uses the count
 * @is_time: the event counts nanoseconds
 * @pmds: the PMDs whose values add up to the count
 * @pmd_count: number of @pmds
 */
struct software_event {
	const char *name;
	const char *aliases[2];
	const char *description;
	enum event_role role;
	bool is_time;
	uint16_t pmds[MAX_PMDS_PER_EVENT];
	unsigned int pmd_count;
};

extern const struct software_event software_events[];
extern const size_t software_event_count;

/* Returns the event whose name or alias is @name, or NULL. */
const struct software_event *software_find(const char *name);

#endif
