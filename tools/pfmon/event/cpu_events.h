/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On Arm: the events that the CPU implements, as the kernel lists them in
 * /sys/bus/event_source/devices/.../events. On other architectures the list is empty.
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

/* Returns whether the kernel lists events for the CPU. */
bool cpu_events_known(void);

/* Returns whether the list has an event with @code. */
bool cpu_events_have(uint64_t code);

/* Returns the event whose name is @name, or NULL. Upper and lower case do not matter. */
const struct cpu_event *cpu_events_find(const char *name);

/* Returns the list, sorted by name, and stores its length in @count. */
const struct cpu_event *cpu_events_list(size_t *count);

#endif
