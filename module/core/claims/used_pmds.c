// SPDX-License-Identifier: GPL-2.0-only
/* The PMDs that the sets of a context use: these are the PMDs that the context claims. */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "context.h"
#include "set.h"
#include "used_pmds.h"

/* Add the PMDs of @set to @used.  Sampled PMDs are only in smpl_pmds, not in used_pmds. */
static void add_used_pmds(u64 *used, const struct pfm_set *set)
{
	unsigned int word, n;
	u64 rest;

	for (word = 0; word < PFM_HARDWARE_BV; word++)
		used[word] |= set->registers.used_pmds[word];
	pfm_for_each_bit(n, rest, set->registers.counters)
		for (word = 0; word < PFM_HARDWARE_BV; word++)
			used[word] |= set->attributes[n].smpl_pmds[word];
}

void pfm_find_used_pmds(struct pfm_context *context)
{
	const struct pfm_set *set;

	lockdep_assert_held(&context->mutex);
	memset(context->used_pmds, 0, sizeof(context->used_pmds));
	list_for_each_entry(set, &context->sets, node)
		add_used_pmds(context->used_pmds, set);
	context->sets_deleted = false;
}
