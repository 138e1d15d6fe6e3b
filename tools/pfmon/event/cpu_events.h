/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events that the kernel lists for the CPU in
 * /sys/bus/event_source/devices/.../events.  On Arm these are the events that the CPU
 * implements.
 */
#ifndef PFMON_CPU_EVENTS_H
#define PFMON_CPU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_event {
	char *name;
	uint64_t code;
};

/* Is there such a list? */
bool cpu_events_known(void);

/* Is there an event with that code? */
bool cpu_events_have(uint64_t code);

/* Returns the event of that name (in any case), or NULL. */
const struct cpu_event *cpu_events_find(const char *name);

/* The list, sorted by name. */
const struct cpu_event *cpu_events_list(size_t *count);

#endif
