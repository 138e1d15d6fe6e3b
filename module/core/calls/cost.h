/* SPDX-License-Identifier: GPL-2.0-only */
/* PFM_IOC_STATISTICS: statistics that show what monitoring costs and what it misses. */
#ifndef PERFMON_COST_H
#define PERFMON_COST_H

#include "context.h"

/*
 * Fill in @statistics.  The caller has set @statistics->flags and @statistics->cpu, and has cleared
 * the other fields.  The caller holds the mutex.  For the statistics of a CPU, pfm_context_create()
 * need not have been called for @context.  Return: 0 or a negative errno.
 */
int pfm_cost_statistics(struct pfm_context *context, struct pfm_statistics *statistics);

#endif
