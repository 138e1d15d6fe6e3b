/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's events about CPUs that come online and go offline. */
#ifndef PFMON_UEVENTS_H
#define PFMON_UEVENTS_H

#include <stdbool.h>

/* Returns a descriptor that is readable when there is an event, or -1. */
int uevents_open(void);

/* Read all events. Returns true if one of them was about a CPU, or if events were lost. */
bool uevents_take(int fd);

#endif
