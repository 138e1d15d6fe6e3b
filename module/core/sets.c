// SPDX-License-Identifier: GPL-2.0-only
/* Event sets: an ordered list in each context; set 0 is always there. */
#include <linux/slab.h>

#include "context.h"
#include "registers.h"
#include "reset.h"
#include "sets.h"
#include "switch.h"
#include "virtual.h"

struct pfm_set *pfm_set_create(struct pfm_context *context, u16 id)
{
	unsigned int pmds = context->pmu->pmd_count;
	struct pfm_set *set;

	set = kvzalloc(struct_size(set, attributes, pmds + hweight64(PFM_VIRTUAL_PMDS)),
		       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!set)
		return NULL;
	set->id = id;
	set->pmd_count = pmds;
	pfm_registers_default(context, set);
	list_add_tail(&set->node, &context->sets);
	return set;
}

void pfm_sets_free(struct pfm_context *context)
{
	struct pfm_set *set, *next;

	list_for_each_entry_safe(set, next, &context->sets, node) {
		list_del(&set->node);
		kvfree(set);
	}
}

/* Context lock held, nothing monitored.  By the user's wish, so resets are long ones. */
void pfm_set_activate(struct pfm_context *context, struct pfm_set *set)
{
	context->active = set;
	set->runs++;
	pfm_reset(context, set, true);
	set->pmd_stamp = 0;
}

static bool is_unloaded(struct pfm_context *context)
{
	return READ_ONCE(context->state) == PFM_STATE_UNLOADED;
}

int pfm_create_evtsets(struct pfm_context *context, struct pfarg_setdesc *descriptions,
		       u32 count)
{
	struct pfm_set *set;
	u32 i;

	if (!is_unloaded(context))
		return pfm_fail(context, -EBUSY, PFM_REASON_LOADED, 0);
	for (i = 0; i < count; i++) {
		u32 flags = descriptions[i].set_flags;

		if ((flags & ~(PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH)) ||
		    flags == (PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH))
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_FLAGS, flags);
		if (flags == PFM_SETFL_TIME_SWITCH && !descriptions[i].set_timeout)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_TIMEOUT, 0);
		set = pfm_set_find(context, descriptions[i].set_id);
		if (!set || flags)
			return pfm_fail_at(context, i, -EOPNOTSUPP,
					   PFM_REASON_UNSUPPORTED,
					   descriptions[i].set_id);
		set->runs = 0;
		set->duration = 0;
		memset(set->overflowed, 0, sizeof(set->overflowed));
		pfm_registers_default(context, set);
	}
	return 0;
}

struct info_call {
	struct pfm_set *set;
	struct pfarg_setinfo *info;
};

/* Once more if an overflow was handled meanwhile: by an NMI. */
static void getinfo_here(struct pfm_context *context, void *argument)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);
	struct info_call *call = argument;
	struct pfarg_setinfo *info = call->info;
	struct pfm_set *set = call->set;
	unsigned long sequence;

	info->set_flags = set->flags;
	info->set_runs = set->runs;
	info->set_timeout = set->timeout;
	do {
		sequence = READ_ONCE(cpu->overflow_sequence);
		info->set_act_duration = pfm_set_duration(context, set);
		memcpy(info->set_ovfl_pmds, set->overflowed, sizeof(info->set_ovfl_pmds));
	} while (sequence != READ_ONCE(cpu->overflow_sequence));
}

int pfm_getinfo_evtsets(struct pfm_context *context, struct pfarg_setinfo *infos,
			u32 count)
{
	const struct pfm_pmu *pmu = context->pmu;
	u32 i;

	for (i = 0; i < count; i++) {
		struct info_call call = {
			.set = pfm_set_find(context, infos[i].set_id),
			.info = &infos[i],
		};

		if (!call.set)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_NO_SET,
					   infos[i].set_id);
		pfm_context_call(context, getinfo_here, &call);
		memcpy(infos[i].set_avail_pmcs, pmu->available_pmcs,
		       sizeof(infos[i].set_avail_pmcs));
		memcpy(infos[i].set_avail_pmds, pmu->available_pmds,
		       sizeof(infos[i].set_avail_pmds));
	}
	return 0;
}

int pfm_delete_evtsets(struct pfm_context *context, struct pfarg_setdesc *descriptions,
		       u32 count)
{
	u32 i;

	if (!is_unloaded(context))
		return pfm_fail(context, -EBUSY, PFM_REASON_LOADED, 0);
	for (i = 0; i < count; i++) {
		if (descriptions[i].set_id == 0)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_SET_ZERO, 0);
		if (!pfm_set_find(context, descriptions[i].set_id))
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_NO_SET,
					   descriptions[i].set_id);
	}
	return 0;
}
