// SPDX-License-Identifier: GPL-2.0-only
/* The calls that create, describe and delete event sets. */
#include <linux/sched.h>
#include <linux/string.h>

#include "base/error.h"
#include "claims/available.h"
#include "counting/cpu.h"
#include "counting/remote.h"
#include "counting/set_clock.h"
#include "copies.h"
#include "flags.h"
#include "sets.h"
#include "sum.h"

static int check_description(struct pfm_context *context,
			     const struct pfarg_setdesc *description, u32 index)
{
	const u32 flags = description->set_flags;

	if ((flags & ~PFM_SET_FLAGS) ||
	    flags == (PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH))
		return pfm_fail_at(context, index, -EINVAL, PFM_REASON_FLAGS, flags);
	if (flags == PFM_SETFL_TIME_SWITCH && !description->set_timeout)
		return pfm_fail_at(context, index, -EINVAL, PFM_REASON_TIMEOUT, 0);
	return 0;
}

int pfm_create_evtsets(struct pfm_context *context, struct pfarg_setdesc *descriptions,
		       u32 count)
{
	struct pfm_set *set;
	int error;
	u32 i;

	if (!pfm_is_unloaded(context))
		return pfm_fail(context, -EBUSY, PFM_REASON_LOADED, 0);
	error = pfm_copies_refuse(context);
	if (error)
		return error;
	for (i = 0; i < count; i++) {
		error = check_description(context, &descriptions[i], i);
		if (error)
			return error;
		set = pfm_set_find(context, descriptions[i].set_id);
		if (set)
			pfm_set_describe(context, set, &descriptions[i]);
		else
			error = pfm_set_create(context, &descriptions[i], &set);
		if (error) {
			context->error.index = i;
			return error;
		}
		cond_resched();
	}
	return 0;
}

struct info_call {
	struct pfm_set *set;
	struct pfarg_setinfo *info;
};

/*
 * Fill in the information about a set.  If an NMI has handled an overflow during the read, read
 * again.
 */
static void getinfo_here(struct pfm_context *context, void *argument)
{
	struct pfm_cpu *cpu = pfm_here(context);
	struct info_call *call = argument;
	struct pfarg_setinfo *info = call->info;
	struct pfm_set *set = call->set;
	unsigned long sequence;

	info->set_flags = set->flags;
	do {
		sequence = READ_ONCE(cpu->overflow_sequence);
		info->set_runs = set->runs;
		info->set_timeout = pfm_set_time_left(context, set);
		info->set_act_duration = pfm_set_duration(context, set);
		if (set->load == context->loads)
			memcpy(info->set_ovfl_pmds, set->overflowed,
			       sizeof(info->set_ovfl_pmds));
		else
			memset(info->set_ovfl_pmds, 0, sizeof(info->set_ovfl_pmds));
	} while (sequence != READ_ONCE(cpu->overflow_sequence));
}

int pfm_getinfo_evtsets(struct pfm_context *context, struct pfarg_setinfo *infos,
			u32 count)
{
	u64 pmcs[PFM_PMC_BV] = {}, pmds[PFM_PMD_BV] = {};
	u32 i;

	if (count)
		pfm_available(context->pmu, context, pmcs, pmds);
	for (i = 0; i < count; i++) {
		struct info_call call = {
			.set = pfm_set_find(context, infos[i].set_id),
			.info = &infos[i],
		};
		struct pfm_set_activity copies;

		if (!call.set)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_NO_SET,
					   infos[i].set_id);
		pfm_context_call(context, getinfo_here, &call);
		copies = pfm_sum_activity(context, call.set);
		infos[i].set_runs += copies.runs;
		infos[i].set_act_duration += copies.duration;
		infos[i].set_reserved1 = 0;
		memset(infos[i].set_reserved3, 0, sizeof(infos[i].set_reserved3));
		memcpy(infos[i].set_avail_pmcs, pmcs, sizeof(pmcs));
		memcpy(infos[i].set_avail_pmds, pmds, sizeof(pmds));
	}
	return 0;
}

int pfm_delete_evtsets(struct pfm_context *context, struct pfarg_setdesc *descriptions,
		       u32 count)
{
	int error = pfm_copies_refuse(context);
	struct pfm_set *set;
	u32 i;

	if (!pfm_is_unloaded(context))
		return pfm_fail(context, -EBUSY, PFM_REASON_LOADED, 0);
	if (error)
		return error;
	for (i = 0; i < count; i++) {
		if (descriptions[i].set_id == 0)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_SET_ZERO, 0);
		set = pfm_set_find(context, descriptions[i].set_id);
		if (!set)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_NO_SET,
					   descriptions[i].set_id);
		if (set == context->active)
			context->active = pfm_set_find(context, 0);
		pfm_set_delete(context, set);
		cond_resched();
	}
	return 0;
}
