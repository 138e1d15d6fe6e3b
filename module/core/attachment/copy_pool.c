// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of copies.  A copy whose thread has ended is kept as an idle copy for a later fork.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/limits.h"
#include "copies.h"
#include "copy_pool.h"

void pfm_copy_free(struct pfm_context *copy)
{
	struct pfm_set *set, *next;

	list_for_each_entry_safe(set, next, &copy->sets, node)
		kfree(set);
	kfree(copy);
}

/* Called by RCU when no CPU looks at the copy any more. */
static void free_later(struct rcu_head *rcu)
{
	pfm_copy_free(container_of(rcu, struct pfm_context, rcu));
}

void pfm_copies_exit(void)
{
	rcu_barrier(); /* free_later() is code of this module, so wait for its pending calls */
}

struct pfm_context *pfm_copy_alloc(struct pfm_copies *copies, gfp_t gfp)
{
	const struct pfm_context *parent = copies->parent;
	struct pfm_context *copy = kzalloc(sizeof(*copy), gfp);
	struct pfm_set *set;
	u32 i;

	if (!copy)
		return NULL;
	raw_spin_lock_init(&copy->lock);
	INIT_LIST_HEAD(&copy->sets);
	copy->copies = copies;
	copy->pmu = parent->pmu;
	copy->flags = parent->flags;
	copy->user_level = parent->user_level;
	copy->format = parent->format;
	copy->instances = parent->instances;
	copy->state = PFM_STATE_UNLOADED;
	copy->cpu = PFM_NO_CPU;
	for (i = 0; i < copies->set_count; i++) {
		set = kmalloc(copies->set_size, gfp);
		if (!set) {
			pfm_copy_free(copy);
			return NULL;
		}
		list_add_tail(&set->node, &copy->sets);
	}
	return copy;
}

void pfm_copy_put(struct pfm_copies *copies, struct pfm_context *copy)
{
	lockdep_assert_held(&copies->lock);
	list_add(&copy->copy_node, &copies->idle);
	copies->idle_count++;
}

static size_t copy_size(const struct pfm_copies *copies)
{
	return sizeof(struct pfm_context) + copies->set_count * copies->set_size;
}

bool pfm_copy_add(struct pfm_copies *copies, struct pfm_context *copy)
{
	lockdep_assert_held(&copies->lock);
	if (!pfm_charge_copy(copies->parent->user, copy_size(copies), copies->privileged))
		return false;
	pfm_copy_put(copies, copy);
	return true;
}

/*
 * Drop the counts of the copy that has been kept longest.  Return: this copy.  The caller takes it
 * out of the list "kept".
 */
static struct pfm_context *drop_counts(struct pfm_copies *copies)
{
	lockdep_assert_held(&copies->lock);
	copies->kept_count--;
	copies->dropped++;
	return list_first_entry(&copies->kept, struct pfm_context, copy_node);
}

struct pfm_context *pfm_copy_take(struct pfm_copies *copies)
{
	struct pfm_context *copy;

	lockdep_assert_held(&copies->lock);
	if (copies->idle_count) {
		copy = list_first_entry(&copies->idle, struct pfm_context, copy_node);
		copies->idle_count--;
	} else if (copies->kept_count) {
		copy = drop_counts(copies);
	} else {
		return NULL;
	}
	list_del(&copy->copy_node);
	return copy;
}

struct pfm_context *pfm_copy_make_idle(struct pfm_copies *copies,
				       struct pfm_context *copy)
{
	lockdep_assert_held(&copies->lock);
	if (copies->idle_count >= PFM_IDLE_COPIES && !copies->is_walking) {
		list_del(&copy->copy_node);
		pfm_uncharge(copies->parent->user, PFM_MEMORY_SETS, copy_size(copies));
		return copy;
	}
	list_move(&copy->copy_node, &copies->idle);
	copies->idle_count++;
	return NULL;
}

struct pfm_context *pfm_copy_keep(struct pfm_copies *copies, struct pfm_context *copy)
{
	lockdep_assert_held(&copies->lock);
	list_move_tail(&copy->copy_node, &copies->kept);
	copies->kept_count++;
	if (copies->kept_count <= READ_ONCE(pfm_limits.max_copies))
		return NULL;
	return pfm_copy_make_idle(copies, drop_counts(copies));
}

void pfm_copies_forget_counts(struct pfm_copies *copies)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&copies->lock, flags);
	list_splice_init(&copies->kept, &copies->idle);
	copies->idle_count += copies->kept_count;
	copies->kept_count = 0;
	raw_spin_unlock_irqrestore(&copies->lock, flags);
}

void pfm_copy_free_surplus(struct pfm_context *copy)
{
	if (copy)
		call_rcu(&copy->rcu, free_later);
}

void pfm_copies_trim(struct pfm_copies *copies, u32 most)
{
	struct pfm_context *copy;
	unsigned long flags;

	do {
		raw_spin_lock_irqsave(&copies->lock, flags);
		copy = copies->idle_count > most ? pfm_copy_take(copies) : NULL;
		raw_spin_unlock_irqrestore(&copies->lock, flags);
		if (copy)
			pfm_uncharge(copies->parent->user, PFM_MEMORY_SETS,
				     copy_size(copies));
		pfm_copy_free_surplus(copy);
		cond_resched();
	} while (copy);
}
