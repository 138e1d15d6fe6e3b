// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event sets and their memory.  Each context has a list of sets in the order of their
 * numbers; the list always contains set 0.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/error.h"
#include "base/limits.h"
#include "counting/virtual.h"
#include "context.h"
#include "copies.h"
#include "registers.h"
#include "set.h"

static size_t set_size(const struct pfm_context *context)
{
	struct pfm_set *set;

	return struct_size(set, attributes,
			   context->pmu->pmd_count +
				   hweight64(pfm_virtual_pmds(context->pmu)));
}

/* Return: the total size of a set and its struct pfm_sum, in bytes. */
static size_t whole_size(const struct pfm_context *context)
{
	return set_size(context) + (context->copies ? sizeof(struct pfm_sum) : 0);
}

static void free_set(struct pfm_context *context, struct pfm_set *set)
{
	kfree(set->sum);
	kvfree(set);
	pfm_uncharge(context->user, PFM_MEMORY_SETS, whole_size(context));
}

static struct pfm_set *alloc_zeroed(const struct pfm_context *context)
{
	struct pfm_set *set =
		kvzalloc(set_size(context), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);

	if (!set || !context->copies)
		return set;
	set->sum = kzalloc(sizeof(*set->sum), GFP_KERNEL_ACCOUNT);
	if (set->sum)
		return set;
	kvfree(set);
	return NULL;
}

/* Allocate a zeroed set and charge its memory. */
static int alloc_set(struct pfm_context *context, struct pfm_set **allocated)
{
	size_t size = whole_size(context);
	int error;

	if (context->set_count >= READ_ONCE(pfm_limits.max_sets))
		return pfm_fail(context, -ENOMEM, PFM_REASON_SET_LIMIT,
				context->set_count);
	error = pfm_charge(context, PFM_MEMORY_SETS, size);
	if (error)
		return error;
	*allocated = alloc_zeroed(context);
	if (*allocated)
		return 0;
	pfm_uncharge(context->user, PFM_MEMORY_SETS, size);
	return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, size);
}

/* Insert @set before the sets with higher numbers. */
static void insert(struct pfm_context *context, struct pfm_set *set)
{
	unsigned long id = set->id + 1;
	struct pfm_set *next = xa_find(&context->set_index, &id, ULONG_MAX, XA_PRESENT);

	list_add_tail(&set->node, next ? &next->node : &context->sets);
	context->set_count++;
}

void pfm_set_delete(struct pfm_context *context, struct pfm_set *set)
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
		pfm_set_delete(context, set);
		cond_resched();
	}
}

/*
 * Return: the timeout that the timer uses if the user asks for @timeout.  It is not below the
 * administrator's minimum min_switch_timeout, is rounded up to the timer's resolution, and can be
 * added to a time without overflow.
 */
static u64 effective_timeout(u64 timeout)
{
	timeout = max_t(u64, timeout, READ_ONCE(pfm_limits.min_switch_timeout));
	timeout = min_t(u64, timeout, S64_MAX / 2);
	return DIV_ROUND_UP_ULL(timeout, hrtimer_resolution) * hrtimer_resolution;
}

/* After this call, no counter of @set causes a set switch. */
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

void pfm_set_describe(struct pfm_context *context, struct pfm_set *set,
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
	if (set->sum)
		set->sum->runs = set->sum->duration = 0;
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
	if (context->copies)
		context->copies->set_size = set_size(context);
	set->pmd_count = context->pmu->pmd_count;
	set->unusual = PFM_SET_NO_HARDWARE;
	pfm_set_describe(context, set, description);
	if (xa_err(xa_store(&context->set_index, id, set, GFP_KERNEL))) {
		free_set(context, set);
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	}
	insert(context, set);
	*created = set;
	return 0;
}
