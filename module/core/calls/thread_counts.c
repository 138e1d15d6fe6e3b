// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counts of one of the threads that a context monitors.
 *
 * With PFM_FL_KEEP_COUNTS a copy does not become idle when its thread ends.  The copy is kept until
 * a call has read its counts, or until a fork needs its memory.  While a call reads the copy, the
 * copy is in no list.
 */
#include <linux/slab.h>

#include "attachment/copy_pool.h"
#include "base/error.h"
#include "counting/snapshot.h"
#include "copies.h"
#include "registers.h"
#include "thread_counts.h"

/* ---- begin and end ------------------------------------------------------------------------ */

static struct pfm_context *take_first(struct pfm_copies *copies)
{
	struct pfm_context *copy;
	unsigned long flags;

	raw_spin_lock_irqsave(&copies->lock, flags);
	copy = list_first_entry_or_null(&copies->kept, struct pfm_context, copy_node);
	if (copy) {
		list_del_init(&copy->copy_node);
		copies->kept_count--;
	}
	raw_spin_unlock_irqrestore(&copies->lock, flags);
	return copy;
}

/*
 * Store in @counts the ids and the name of the thread of @source.  If the thread has ended, its
 * name is in the attachment.  If it has not ended, its name may still change, so the name is read
 * from the thread.
 */
static void identify(struct pfm_thread_counts *counts, struct pfm_context *source)
{
	const struct pfm_attachment *attachment = &source->attachment;
	unsigned long flags;

	raw_spin_lock_irqsave(&source->lock, flags);
	counts->tid = attachment->tid;
	counts->tgid = attachment->tgid;
	strscpy_pad(counts->name,
		    attachment->task ? attachment->task->comm : attachment->name,
		    sizeof(counts->name));
	raw_spin_unlock_irqrestore(&source->lock, flags);
}

static bool has_counts(const struct pfm_context *context, u32 which)
{
	return which == PFM_THREAD_OWN ? !(context->flags & PFM_FL_SYSTEM_WIDE)
				       : context->flags & PFM_FL_KEEP_COUNTS;
}

/* If the context can have copies, it already has memory for a snapshot: allocate nothing. */
static struct pfm_snapshot *get_snapshot(const struct pfm_context *context)
{
	if (context->copies)
		return context->copies->snapshot;
	return kmalloc(sizeof(struct pfm_snapshot), GFP_KERNEL_ACCOUNT);
}

static void put_snapshot(const struct pfm_context *context, struct pfm_snapshot *snapshot)
{
	if (!context->copies)
		kfree(snapshot);
}

int pfm_thread_counts_begin(struct pfm_context *context,
			    struct pfm_thread_reading *reading)
{
	const u32 which = reading->counts.which;

	static_assert(PFM_THREAD_NAME_SIZE == TASK_COMM_LEN);
	if (which != PFM_THREAD_OWN && which != PFM_THREAD_ENDED)
		return pfm_fail(context, -EINVAL, PFM_REASON_RESERVED, which);
	if (!has_counts(context, which))
		return pfm_fail(context, -EINVAL, PFM_REASON_KEEPS_NO_COUNTS, 0);
	reading->snapshot = get_snapshot(context);
	if (!reading->snapshot)
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	reading->source = which == PFM_THREAD_OWN ? context : take_first(context->copies);
	if (!reading->source)
		return pfm_fail(context, -ENOENT, PFM_REASON_NO_COUNTS, 0);
	identify(&reading->counts, reading->source);
	return 0;
}

void pfm_thread_counts_end(struct pfm_context *context,
			   const struct pfm_thread_reading *reading, bool is_read)
{
	struct pfm_copies *copies = context->copies;
	struct pfm_context *copy = reading->source, *surplus = NULL;
	unsigned long flags;

	put_snapshot(context, reading->snapshot);
	if (copy == context)
		return;
	raw_spin_lock_irqsave(&copies->lock, flags);
	if (is_read) {
		surplus = pfm_copy_make_idle(copies, copy);
	} else {
		list_add(&copy->copy_node, &copies->kept);
		copies->kept_count++;
	}
	raw_spin_unlock_irqrestore(&copies->lock, flags);
	pfm_copy_free_surplus(surplus);
	/* If forks make no copies any more, idle copies are not needed. */
	if (!READ_ONCE(copies->is_open))
		pfm_copies_trim(copies, 0);
}

/* ---- values ------------------------------------------------------------------------------- */

static struct pfm_set *find_set(struct pfm_context *source, u16 id)
{
	return pfm_is_copy(source) ? pfm_copies_set(source, id)
				   : pfm_set_find(source, id);
}

/* Store in @snapshot those values of a copy that were added to the parent's sums. */
static void take_copy(const struct pfm_set *set, struct pfm_snapshot *snapshot)
{
	unsigned int n;
	u64 rest;

	memset(snapshot->values, 0, sizeof(snapshot->values));
	pfm_for_each_bit(n, rest, set->summed)
		snapshot->values[n] = set->registers.pmds[n];
	pfm_for_each_bit(n, rest, set->summed_virtual)
		snapshot->values[PFM_VIRTUAL_PMD_BASE + n] = set->virtual_value[n];
}

static void take(struct pfm_context *source, struct pfm_set *set,
		 struct pfm_snapshot *snapshot)
{
	if (pfm_is_copy(source))
		take_copy(set, snapshot);
	else
		pfm_snapshot_set(source, set, snapshot);
}

/* Adjacent elements of the same set are read at the same moment. */
int pfm_thread_counts_read(struct pfm_context *context,
			   const struct pfm_thread_reading *reading,
			   struct pfarg_pmr *elements, u32 count)
{
	struct pfm_snapshot *snapshot = reading->snapshot;
	struct pfm_set *set = NULL;
	u32 i;

	for (i = 0; i < count; i++) {
		struct pfarg_pmr *element = &elements[i];

		if (element->reg_flags)
			return pfm_fail_at(context, i, -EINVAL, PFM_REASON_FLAGS,
					   element->reg_flags);
		if (!set || set->id != element->reg_set) {
			set = find_set(reading->source, element->reg_set);
			if (set)
				take(reading->source, set, snapshot);
		}
		if (!set || !pfm_pmd_used(set, element->reg_num))
			return pfm_unreadable(context, i, element->reg_set,
					      element->reg_num);
		element->reg_value = pfm_snapshot_value(snapshot, element->reg_num);
	}
	return 0;
}
