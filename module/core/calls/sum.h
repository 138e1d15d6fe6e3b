/* SPDX-License-Identifier: GPL-2.0-only */
/* The counts of a context together with those of its copies. */
#ifndef PERFMON_SUM_H
#define PERFMON_SUM_H

#include "counting/snapshot.h"

struct pfm_set_activity {
	u64 runs;
	u64 duration; /* ns */
};

/*
 * Add the counts of all copies, even of ended copies, to the counts of @set in @snapshot.  The
 * caller holds the context's mutex.
 */
void pfm_sum_add(struct pfm_context *context, struct pfm_set *set,
		 struct pfm_snapshot *snapshot);

/*
 * The caller holds the context's mutex.  Each copy has a set with the same number as @set.  Return:
 * the sum of the runs, and the sum of the durations, of these sets.  Both sums include the sets of
 * ended copies, but not @set itself.
 */
struct pfm_set_activity pfm_sum_activity(struct pfm_context *context,
					 struct pfm_set *set);

static __always_inline struct pfm_set *pfm_sum_snapshot(struct pfm_context *context,
							struct pfm_snapshot *snapshot)
{
	struct pfm_set *set = pfm_snapshot(context, snapshot);

	if (unlikely(context->copies))
		pfm_sum_add(context, set, snapshot);
	return set;
}

static __always_inline void pfm_sum_snapshot_set(struct pfm_context *context,
						 struct pfm_set *set,
						 struct pfm_snapshot *snapshot)
{
	pfm_snapshot_set(context, set, snapshot);
	if (unlikely(context->copies))
		pfm_sum_add(context, set, snapshot);
}

#endif
