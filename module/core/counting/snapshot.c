// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots: the rarer cases, for which snapshot.h has no inline code. */
#include "remote.h"
#include "snapshot.h"
#include "virtual.h"

/*
 * A counter may wrap during a read, before or after its value is read.  So read again until two
 * successive reads return the same wrapped counters: then these counters wrapped before the last
 * read began.  The interrupts for these wraps have not come yet, so add 2^width to the value of
 * each wrapped counter.
 * @seen: the wrapped counters that the first read returned.
 */
void pfm_snapshot_wrapped(struct pfm_context *context, struct pfm_set *set, u64 *values,
			  u64 seen)
{
	const struct pfm_pmu *pmu = context->pmu;
	u64 rest, wrapped;
	unsigned int n;

	do {
		wrapped = seen;
		seen = pmu->operations->read(&set->registers, values);
	} while (seen != wrapped);
	pfm_for_each_bit(n, rest, wrapped & set->registers.interrupting)
		if (pmu->pmds[n].width < 64)
			values[n] += 1ull << pmu->pmds[n].width;
}

/* Copy the values of registers that are in memory. */
void pfm_snapshot_copy(const struct pfm_registers *registers, u64 *values)
{
	unsigned int word, n;
	u64 rest;

	for (word = 0; word < ARRAY_SIZE(registers->used_pmds); word++)
		pfm_for_each_bit(n, rest, registers->used_pmds[word])
			values[word * 64 + n] = registers->pmds[word * 64 + n];
}

void pfm_snapshot_virtual(struct pfm_context *context, struct pfm_set *set, u64 *values)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, set->used_virtual)
		values[PFM_VIRTUAL_PMD_BASE + n] =
			pfm_virtual_read(context, set, PFM_VIRTUAL_PMD_BASE + n);
}

static void take_active(struct pfm_context *context, void *argument)
{
	struct pfm_snapshot *snapshot = argument;

	do
		snapshot->set = pfm_snapshot_try(context, NULL, snapshot->values);
	while (!snapshot->set);
}

void pfm_snapshot_here(struct pfm_context *context, struct pfm_set *set,
		       struct pfm_snapshot *snapshot)
{
	while (!pfm_snapshot_try(context, set, snapshot->values))
		;
}

static void take_set(struct pfm_context *context, void *argument)
{
	struct pfm_snapshot *snapshot = argument;

	pfm_snapshot_here(context, snapshot->set, snapshot);
}

/*
 * Read the active set.  Called when the thread does not run, when it runs on another CPU, or when
 * an overflow came during the first try.
 */
struct pfm_set *pfm_snapshot_slowly(struct pfm_context *context,
				    struct pfm_snapshot *snapshot)
{
	pfm_context_call(context, take_active, snapshot);
	return snapshot->set;
}

void pfm_snapshot_set(struct pfm_context *context, struct pfm_set *set,
		      struct pfm_snapshot *snapshot)
{
	snapshot->set = set;
	pfm_context_call(context, take_set, snapshot);
}
