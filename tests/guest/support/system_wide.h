/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for tests of system-wide contexts. */
#ifndef SYSTEM_WIDE_H
#define SYSTEM_WIDE_H

/*
 * Creates a system-wide context on @fd. @pmu is the name of its PMU, or NULL for the default PMU.
 * Returns the result of ioctl().
 */
int try_system_wide(int fd, const char *pmu);
/*
 * These functions create a system-wide context; the test fails if they cannot. To load such a
 * context, pass the number of the CPU to load().
 */
int system_wide_context(void);
int system_wide_context_of(const char *pmu);
/*
 * Like use_busy_counters(), but without minor faults: a system-wide context cannot count them.
 */
void use_busy_counters_of_cpu(int fd);

#endif
