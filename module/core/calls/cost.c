// SPDX-License-Identifier: GPL-2.0-only
/* The statistics of a context or of a CPU show what monitoring costs and what it misses. */
#include <linux/cpumask.h>
#include <linux/nospec.h>

#include "attachment/permission.h"
#include "base/error.h"
#include "counting/remote.h"
#include "counting/statistics.h"
#include "copies.h"
#include "cost.h"
#include "flags.h"

static int check_cpu(struct pfm_context *context, u32 number)
{
	if (number >= nr_cpu_ids || !cpu_possible(number))
		return pfm_fail(context, -EINVAL, PFM_REASON_NO_CPU, number);
	return 0;
}

/*
 * The caller needs the permission to monitor CPUs, because the number of thread switches shows
 * what other users do.
 */
static int cpu_statistics(struct pfm_context *context, struct pfm_statistics *statistics)
{
	int error = pfm_may_monitor_cpus(context) ?: check_cpu(context, statistics->cpu);

	if (!error)
		pfm_statistics_of_cpu(array_index_nospec(statistics->cpu, nr_cpu_ids),
				      statistics);
	return error;
}

struct sum {
	struct pfm_context_statistics counts;
	u64 foreign_runs;
};

static void add_here(struct pfm_context *context, void *argument)
{
	struct sum *sum = argument;

	pfm_statistics_add(&sum->counts, &context->statistics);
	if (context->attachment.task && context->state != PFM_STATE_UNLOADED)
		sum->counts.switches += pfm_switches_of(context->attachment.task);
	sum->foreign_runs += context->foreign_runs;
}

static void add_copy(struct pfm_context *copy, void *argument)
{
	if (pfm_copies_begin_read(copy))
		add_here(copy, argument);
}

static void add_ended(struct pfm_copies *copies, void *argument)
{
	struct sum *sum = argument;

	lockdep_assert_held(&copies->lock);
	pfm_statistics_add(&sum->counts, &copies->statistics);
	sum->foreign_runs += copies->foreign_runs;
}

static void context_statistics(struct pfm_context *context,
			       struct pfm_statistics *statistics)
{
	struct pfm_copies *copies = context->copies;
	struct sum sum = {};

	pfm_context_call(context, add_here, &sum);
	if (copies) {
		pfm_copies_read(copies, add_copy, add_ended, &sum);
		pfm_copies_statistics(copies, statistics);
	}
#define FILL(name) statistics->name = sum.counts.name;
	PFM_CONTEXT_STATISTICS(FILL)
#undef FILL
	statistics->foreign_runs = sum.foreign_runs;
}

int pfm_cost_statistics(struct pfm_context *context, struct pfm_statistics *statistics)
{
	if (statistics->flags & ~PFM_STATISTICS_FLAGS)
		return pfm_fail(context, -EINVAL, PFM_REASON_FLAGS,
				statistics->flags & ~PFM_STATISTICS_FLAGS);
	if (statistics->flags & PFM_STATISTICS_CPU)
		return cpu_statistics(context, statistics);
	if (statistics->cpu)
		return pfm_fail(context, -EINVAL, PFM_REASON_RESERVED, statistics->cpu);
	if (!context->pmu)
		return pfm_fail(context, -EINVAL, PFM_REASON_NO_CONTEXT, 0);
	context_statistics(context, statistics);
	return 0;
}
