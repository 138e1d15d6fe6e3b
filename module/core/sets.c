// SPDX-License-Identifier: GPL-2.0-only
/* Event sets: an ordered list in each context; set 0 is always there. */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "context.h"
#include "flags.h"
#include "limits.h"
#include "pmu.h"
#include "registers.h"
#include "set_switch.h"
#include "sets.h"
#include "switch.h"
#include "virtual.h"

static size_t set_size(const struct pfm_context *context)
{
	struct pfm_set *set;

	return struct_size(set, attributes,
			   context->pmu->pmd_count +
				   hweight64(pfm_virtual_pmds(context->pmu)));
}

static void free_set(struct pfm_context *context, struct pfm_set *set)
{
	kvfree(set);
	pfm_uncharge(context->user, PFM_MEMORY_SETS, set_size(context));
}

/* Zeroed, its place in the limits taken. */
static int alloc_set(struct pfm_context *context, struct pfm_set **allocated)
{
	size_t size = set_size(context);
	int error;

	if (context->set_count >= READ_ONCE(pfm_limits.max_sets))
		return pfm_fail(context, -ENOMEM, PFM_REASON_SET_LIMIT,
				context->set_count);
	error = pfm_charge(context, PFM_MEMORY_SETS, size);
	if (error)
		return error;
	*allocated = kvzalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (*allocated)
		return 0;
	pfm_uncharge(context->user, PFM_MEMORY_SETS, size);
	return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, size);
}

/* Before the first of those with higher numbers. */
static void insert(struct pfm_context *context, struct pfm_set *set)
{
	unsigned long id = set->id + 1;
	struct pfm_set *next = xa_find(&context->set_index, &id, ULONG_MAX, XA_PRESENT);

	list_add_tail(&set->node, next ? &next->node : &context->sets);
	context->set_count++;
}

static void delete_set(struct pfm_context *context, struct pfm_set *set)
{
	xa_erase(&context->set_index, set->id);
	list_del(&set->node);
	context->set_count--;
	context->sets_deleted = true;
	free_set(context, set);
}

void pfm_sets_free(struct pfm_context *context)
{
	struct pfm_set *set, *next;

	list_for_each_entry_safe(set, next, &context->sets, node) {
		delete_set(context, set);
		cond_resched();
	}
}

/*
 * A timeout as the timer can have it: not less than the administrator allows, rounded up,
 * and short enough to be added to a time.
 */
static u64 effective_timeout(u64 timeout)
{
	timeout = max_t(u64, timeout, READ_ONCE(pfm_limits.min_switch_timeout));
	timeout = min_t(u64, timeout, S64_MAX / 2);
	return DIV_ROUND_UP_ULL(timeout, hrtimer_resolution) * hrtimer_resolution;
}

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

/* Its counters switch no more. */
static void forget_triggers(struct pfm_set *set)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, set->triggers) {
		set->attributes[n].switch_count = 0;
		set->attributes[n].switch_remaining = 0;
	}
	set->triggers = 0;
}

/* As it is described, with the defaults of its PMCs, and never active. */
static void set_up(struct pfm_context *context, struct pfm_set *set,
		   struct pfarg_setdesc *description)
{
	const bool is_timed = description->set_flags & PFM_SETFL_TIME_SWITCH;

	pfm_registers_default(context, set);
	if (is_timed)
		description->set_timeout = effective_timeout(description->set_timeout);
	set->flags = description->set_flags;
	set->timeout = is_timed ? description->set_timeout : 0;
	set->unusual &= ~PFM_SET_TIMED;
	if (is_timed)
		set->unusual |= PFM_SET_TIMED;
	set->runs = 0;
	set->duration = 0;
	set->ends_at = set->timeout;
	memset(set->overflowed, 0, sizeof(set->overflowed));
	forget_triggers(set);
	pfm_throttle_forget(set);
}

int pfm_set_create(struct pfm_context *context, struct pfarg_setdesc *description,
		   struct pfm_set **created)
{
	const u16 id = description->set_id;
	struct pfm_set *set;
	int error;

	error = alloc_set(context, &set);
	if (error)
		return error;
	set->id = id;
	set->pmd_count = context->pmu->pmd_count;
	set->unusual = PFM_SET_NO_HARDWARE;
	set_up(context, set, description);
	if (xa_err(xa_store(&context->set_index, id, set, GFP_KERNEL))) {
		free_set(context, set);
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	}
	insert(context, set);
	*created = set;
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
	for (i = 0; i < count; i++) {
		error = check_description(context, &descriptions[i], i);
		if (error)
			return error;
		set = pfm_set_find(context, descriptions[i].set_id);
		if (set)
			set_up(context, set, &descriptions[i]);
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

/* Once more if an overflow was handled meanwhile: by an NMI. */
static void getinfo_here(struct pfm_context *context, void *argument)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);
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
		pfm_pmu_available(context->pmu, pmcs, pmds);
	for (i = 0; i < count; i++) {
		struct info_call call = {
			.set = pfm_set_find(context, infos[i].set_id),
			.info = &infos[i],
		};

		if (!call.set)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_NO_SET,
					   infos[i].set_id);
		pfm_context_call(context, getinfo_here, &call);
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
	struct pfm_set *set;
	u32 i;

	if (!pfm_is_unloaded(context))
		return pfm_fail(context, -EBUSY, PFM_REASON_LOADED, 0);
	for (i = 0; i < count; i++) {
		if (descriptions[i].set_id == 0)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_SET_ZERO, 0);
		set = pfm_set_find(context, descriptions[i].set_id);
		if (!set)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_NO_SET,
					   descriptions[i].set_id);
		if (set == context->active)
			context->active = pfm_set_find(context, 0);
		delete_set(context, set);
		cond_resched();
	}
	return 0;
}
