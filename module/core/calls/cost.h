/* SPDX-License-Identifier: GPL-2.0-only */
/* What monitoring costs, and what it misses: PFM_IOC_STATISTICS. */
#ifndef PERFMON_COST_H
#define PERFMON_COST_H

#include "context.h"

/*
 * Fill in @statistics.  @statistics->flags and @statistics->cpu are set; the other fields are
 * zero.  The caller holds the mutex.  For the statistics of a CPU, the user need not have created
 * @context yet.  Return: 0 or a negative errno.
 */
int pfm_cost_statistics(struct pfm_context *context, struct pfm_statistics *statistics);

#endif
