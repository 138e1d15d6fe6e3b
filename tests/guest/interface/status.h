/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of the status of a context, for the suites that load, unload and end contexts. */
#ifndef STATUS_H
#define STATUS_H

#include "guest.h"

/* Returns the value of PMD pmu()->pmds[0] in context @fd. */
uint64_t busy_count(int fd);
void must_have_status(int fd, unsigned int state, unsigned int flags, pid_t target);
/*
 * Checks that the context is unloaded and still has its counts, among them at least
 * @at_least_faults minor page faults.
 */
void must_have_ended(int fd, uint64_t at_least_faults);

#endif
