/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about the life of a context: checks of its status. */
#ifndef STATUS_H
#define STATUS_H

#include "guest.h"

/* Returns the value of pmu()->pmds[0]. */
uint64_t busy_count(int fd);
void must_have_status(int fd, unsigned int state, unsigned int flags, pid_t target);
/* The context must be unloaded, and must still have its counts. */
void must_have_ended(int fd, uint64_t at_least_faults);

#endif
