/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_OVERFLOW_H
#define PERFMON_OVERFLOW_H

struct pfm_context;

/* Counters halted and saved: take the overflows that no interrupt brought. */
void pfm_overflow_collect(struct pfm_context *context, u64 overflows);

#endif
