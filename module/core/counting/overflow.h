/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_OVERFLOW_H
#define PERFMON_OVERFLOW_H

struct pfm_context;

/*
 * Handle overflows that have not raised an interrupt yet.  The caller has halted and saved the
 * counters.
 */
void pfm_overflow_collect(struct pfm_context *context, u64 overflows);

#endif
