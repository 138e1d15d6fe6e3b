// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counts of a context together with those of its copies.
 *
 * The more copies are living, the longer a read takes: it reads the copies one after the other,
 * while their threads run.  The counts of each thread are added exactly once, even if the thread
 * ends during the read.
 */
#include "counting/set_clock.h"
#include "copies.h"
#include "sum.h"

struct read_call {
	struct pfm_set *set; /* of the parent */
	struct pfm_snapshot *sum;
	struct pfm_snapshot *copy; /* of the copy that is being read */
};

static void read_copy(struct pfm_context *copy, void *argument)
{
	struct read_call *call = argument;
	struct pfm_snapshot *snapshot = call->copy;
	struct pfm_set *set = pfm_copies_set(copy, call->set->id);
	unsigned int n;
	u64 rest;

	if (!pfm_copies_begin_read(copy))
		return;
	pfm_snapshot_here(copy, set, snapshot);
	pfm_for_each_bit(n, rest, set->summed)
		call->sum->values[n] += snapshot->values[n];
	pfm_for_each_bit(n, rest, set->summed_virtual)
		call->sum->values[PFM_VIRTUAL_PMD_BASE + n] +=
			snapshot->values[PFM_VIRTUAL_PMD_BASE + n];
}

static void read_sum(struct pfm_copies *copies, void *argument)
{
	struct read_call *call = argument;
	const struct pfm_sum *sum = call->set->sum;
	unsigned int n;
	u64 rest;

	lockdep_assert_held(&copies->lock);
	pfm_for_each_bit(n, rest, call->set->registers.counters)
		call->sum->values[n] += sum->pmds[n];
	pfm_for_each_bit(n, rest, call->set->used_virtual)
		call->sum->values[PFM_VIRTUAL_PMD_BASE + n] += sum->virtual_value[n];
}

void pfm_sum_add(struct pfm_context *context, struct pfm_set *set,
		 struct pfm_snapshot *snapshot)
{
	struct pfm_copies *copies = context->copies;
	struct read_call call = {
		.set = set,
		.sum = snapshot,
		.copy = copies->snapshot,
	};

	pfm_copies_read(copies, read_copy, read_sum, &call);
}

struct activity_call {
	struct pfm_set *set;
	struct pfm_set_activity activity;
};

static void read_activity(struct pfm_context *copy, void *argument)
{
	struct activity_call *call = argument;
	struct pfm_set *set = pfm_copies_set(copy, call->set->id);

	if (!pfm_copies_begin_read(copy))
		return;
	call->activity.runs += set->runs;
	call->activity.duration += pfm_set_duration(copy, set);
}

static void read_sum_of_activities(struct pfm_copies *copies, void *argument)
{
	struct activity_call *call = argument;

	lockdep_assert_held(&copies->lock);
	call->activity.runs += call->set->sum->runs;
	call->activity.duration += call->set->sum->duration;
}

struct pfm_set_activity pfm_sum_activity(struct pfm_context *context, struct pfm_set *set)
{
	struct activity_call call = { .set = set };

	if (context->copies)
		pfm_copies_read(context->copies, read_activity, read_sum_of_activities,
				&call);
	return call.activity;
}
