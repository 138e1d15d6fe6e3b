// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a context is loaded, claim the hardware and the hooks of the scheduler.  When no loaded
 * context uses them any more, release them.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/error.h"
#include "base/hooks.h"
#include "compat/workqueue.h"
#include "claim.h"
#include "context.h"
#include "holder.h"
#include "session.h"
#include "used_pmds.h"

#define WORDS	       PFM_HARDWARE_BV

/* Minimum time from one release to the next, in jiffies; claim.h says why. */
#define RELEASE_PERIOD HZ

/*
 * There are two kinds of context: contexts on threads, and system-wide contexts.  If the counters
 * of a PMU are independent, both kinds may use the PMU at the same time, with different counters.
 * If they are not, a set takes the whole PMU when its registers are written, so only one kind may
 * use the PMU at a time.  A monitored thread may run on any CPU, so this rule applies to the whole
 * machine, not to each CPU.
 */
enum kind {
	OF_THREADS,
	OF_CPUS,
	KINDS
};

static enum kind kind_of(const struct pfm_context *context)
{
	return pfm_is_bound(context) ? OF_CPUS : OF_THREADS;
}

/* Number of entries in pfm_claims.uses[kind].  If all are in use, fill_place() shares an entry. */
#define USES 16

/**
 * struct pfm_use - a combination of PMDs that one or more loaded contexts use
 * @pmds: the PMDs
 * @contexts: number of loaded contexts that use @pmds.  It can decrease at any time.  When it is 0,
 *	@pmds may be released.
 * @is_held: whether @pmds are claimed; if false, the content of @pmds is not valid
 */
struct pfm_use {
	u64 pmds[WORDS];
	atomic_t contexts;
	bool is_held;
};

/**
 * struct pfm_claims - the claimed registers of a PMU
 * @node: in the list of all PMUs
 * @pmu: the PMU
 * @held: claimed PMDs; includes the PMDs of @uses
 * @uses: for each kind of context, the combinations of PMDs that contexts of this kind use.
 *	Protected by uses_lock; is_held is changed only with both uses_lock and the mutex held.
 *	add_use() ensures that held entries of different kinds never exclude each other, see
 *	excludes()
 *
 * A context finds its PMDs in @uses if other contexts of its kind use exactly these PMDs, or if the
 * entry of these PMDs is idle but has not been dropped yet.  Then the load need not check each PMD,
 * and a load on a thread does not take the mutex "claiming".
 */
struct pfm_claims {
	struct list_head node;
	struct pfm_pmu *pmu;
	u64 held[WORDS];
	struct pfm_use uses[KINDS][USES];
};

static DEFINE_MUTEX(claiming); /* protects the next four variables */
static LIST_HEAD(pmus);
static bool hooks_enabled;
static unsigned long released_at; /* in jiffies; may be read without the mutex */
static struct {
	char holder[sizeof_field(struct pfm_error, holder)];
	unsigned int pmd;
} blamed;

/* Taken with interrupts off; no other lock is taken under it. */
static DEFINE_RAW_SPINLOCK(uses_lock);

void pfm_pmu_blame(const char *holder, unsigned int pmd)
{
	lockdep_assert_held(&claiming);
	strscpy(blamed.holder, holder, sizeof(blamed.holder));
	blamed.pmd = pmd;
}
EXPORT_SYMBOL_GPL(pfm_pmu_blame);

static int claim_fresh(struct pfm_claims *claims, const u64 *fresh)
{
	struct pfm_pmu *pmu = claims->pmu;
	int error;

	pfm_pmu_blame("", PFM_WHOLE_PMU);
	cpus_read_lock();
	error = pmu->operations->claim(pmu, fresh);
	cpus_read_unlock();
	return error;
}

static bool uses_exactly(const struct pfm_use *use, const u64 *pmds)
{
	unsigned int word;

	lockdep_assert_held(&uses_lock);
	for (word = 0; word < WORDS; word++)
		if (use->pmds[word] != pmds[word])
			return false;
	return use->is_held;
}

/* Add 1 to @contexts of the entry whose PMDs are exactly @pmds.  Return: the entry; NULL: none. */
static struct pfm_use *join(struct pfm_use *uses, const u64 *pmds)
{
	struct pfm_use *use, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&uses_lock, flags);
	for (use = uses; use < uses + USES; use++) {
		if (uses_exactly(use, pmds)) {
			atomic_inc(&use->contexts);
			found = use;
			break;
		}
	}
	raw_spin_unlock_irqrestore(&uses_lock, flags);
	return found;
}

/*
 * Return: whether @use, an entry of one kind, keeps contexts of the other kind from using @pmds.
 * If so, set *@pmd to a PMD that is both in @use and in @pmds, or to PFM_WHOLE_PMU if @pmu is not
 * independent.
 */
static bool excludes(const struct pfm_pmu *pmu, const struct pfm_use *use,
		     const u64 *pmds, unsigned int *pmd)
{
	unsigned int word;

	lockdep_assert_held(&uses_lock);
	*pmd = PFM_WHOLE_PMU;
	if (!use->is_held || !pmu->independent)
		return use->is_held;
	for (word = 0; word < WORDS; word++) {
		if (!(use->pmds[word] & pmds[word]))
			continue;
		*pmd = word * 64 + __ffs64(use->pmds[word] & pmds[word]);
		return true;
	}
	return false;
}

/*
 * A context that is not of @kind needs @pmds.  Look for the entries of @kind that exclude this
 * context.  If contexts use one of these entries, return the entry, and set *@pmd as excludes()
 * does.  If no context uses any of these entries, give up all of them and return NULL.  The PMDs of
 * these entries are then idle, and release_idle() will release these PMDs.
 */
static const struct pfm_use *give_up(struct pfm_claims *claims, enum kind kind,
				     const u64 *pmds, unsigned int *pmd)
{
	struct pfm_use *const uses = claims->uses[kind], *use;

	lockdep_assert_held(&claiming);
	for (use = uses; use < uses + USES; use++)
		if (excludes(claims->pmu, use, pmds, pmd) && atomic_read(&use->contexts))
			return use;
	for (use = uses; use < uses + USES; use++)
		if (excludes(claims->pmu, use, pmds, pmd))
			use->is_held = false;
	return NULL;
}

/* Record that @pmd is held by the contexts of @kind that use the entry @use. */
static void blame_contexts(const struct pfm_pmu *pmu, enum kind kind,
			   const struct pfm_use *use, unsigned int pmd)
{
	char holder[sizeof(blamed.holder)];

	pfm_holder_of_use(use, kind == OF_CPUS ? pmu->cpu_data ?: pfm_cpu_bound : NULL,
			  holder, sizeof(holder));
	pfm_pmu_blame(holder, pmd);
}

/*
 * Choose an entry for a new combination: an entry that is not held; if all are held, an entry
 * without contexts; if all have contexts, the last one.
 */
static struct pfm_use *find_place(struct pfm_use *uses)
{
	struct pfm_use *use, *place = &uses[USES - 1];

	lockdep_assert_held(&uses_lock);
	for (use = uses; use < uses + USES; use++) {
		if (!use->is_held)
			return use;
		if (!atomic_read(&use->contexts))
			place = use;
	}
	return place;
}

/*
 * Put @pmds, which are claimed, into an entry.  If the entry has contexts, @pmds are added to its
 * PMDs.  If it has none, @pmds replace its PMDs, which are idle; release_idle() will release the
 * old PMDs.
 */
static struct pfm_use *fill_place(struct pfm_use *uses, const u64 *pmds)
{
	struct pfm_use *use = find_place(uses);
	const bool is_shared = atomic_inc_return(&use->contexts) > 1;
	unsigned int word;

	for (word = 0; word < WORDS; word++)
		use->pmds[word] = pmds[word] | (is_shared ? use->pmds[word] : 0);
	use->is_held = true;
	return use;
}

/* @pmds are claimed.  Return: the entry that now has @pmds, or an error pointer. */
static struct pfm_use *add_use(struct pfm_claims *claims, enum kind kind, const u64 *pmds)
{
	const struct pfm_use *other;
	struct pfm_use *use = NULL;
	unsigned long flags;
	unsigned int pmd;

	raw_spin_lock_irqsave(&uses_lock, flags);
	other = give_up(claims, !kind, pmds, &pmd);
	if (!other)
		use = fill_place(claims->uses[kind], pmds);
	raw_spin_unlock_irqrestore(&uses_lock, flags);
	if (!other)
		return use;
	blame_contexts(claims->pmu, !kind, other, pmd);
	return ERR_PTR(-EBUSY);
}

/*
 * Claim those of @pmds that are not claimed yet.  Return: the entry that now contains @pmds, or an
 * error pointer.
 */
static struct pfm_use *claim_use(struct pfm_claims *claims, enum kind kind,
				 const u64 *pmds)
{
	u64 fresh[WORDS], any = 0;
	unsigned int word;
	int error = 0;

	lockdep_assert_held(&claiming);
	for (word = 0; word < WORDS; word++) {
		fresh[word] = pmds[word] & ~claims->held[word];
		any |= fresh[word];
	}
	if (any && claims->pmu->operations->claim)
		error = claim_fresh(claims, fresh);
	if (error)
		return ERR_PTR(error);
	for (word = 0; word < WORDS; word++)
		claims->held[word] |= fresh[word];
	return add_use(claims, kind, pmds);
}

/*
 * Drop the entries that have no contexts, and add the PMDs of all other entries to @pmds.  Return:
 * whether any entry remains.
 */
static bool drop_idle(struct pfm_use *uses, u64 *pmds)
{
	struct pfm_use *use;
	unsigned int word;
	bool some = false;

	lockdep_assert_held(&claiming);
	lockdep_assert_held(&uses_lock);
	for (use = uses; use < uses + USES; use++) {
		use->is_held = atomic_read(&use->contexts);
		some |= use->is_held;
		for (word = 0; use->is_held && word < WORDS; word++)
			pmds[word] |= use->pmds[word];
	}
	return some;
}

/* Call drop_idle() for both kinds.  Return: whether an entry for contexts on threads remains. */
static bool drop_idle_uses(struct pfm_claims *claims, u64 *pmds)
{
	unsigned long flags;
	bool has_threads;

	raw_spin_lock_irqsave(&uses_lock, flags);
	drop_idle(claims->uses[OF_CPUS], pmds);
	has_threads = drop_idle(claims->uses[OF_THREADS], pmds);
	raw_spin_unlock_irqrestore(&uses_lock, flags);
	return has_threads;
}

/*
 * Release the PMDs that no context uses any more, and set *@released to true if anything was.
 * Return: whether contexts on threads use the PMU.
 */
static bool release_idle(struct pfm_claims *claims, bool *released)
{
	struct pfm_pmu *pmu = claims->pmu;
	u64 used[WORDS] = {}, idle[WORDS], any = 0;
	bool has_threads = drop_idle_uses(claims, used);
	unsigned int word;

	for (word = 0; word < WORDS; word++) {
		idle[word] = claims->held[word] & ~used[word];
		claims->held[word] &= used[word];
		any |= idle[word];
	}
	if (any && pmu->operations->release) {
		cpus_read_lock();
		pmu->operations->release(pmu, idle);
		cpus_read_unlock();
		*released = true;
	}
	return has_threads;
}

static void release_all_idle(struct work_struct *work)
{
	bool has_threads = false, released = false;
	struct pfm_claims *claims;

	mutex_lock(&claiming);
	list_for_each_entry(claims, &pmus, node)
		has_threads |= release_idle(claims, &released);
	if (hooks_enabled && !has_threads) {
		pfm_hooks_disable();
		hooks_enabled = false;
		released = true;
	}
	if (released)
		WRITE_ONCE(released_at, jiffies);
	mutex_unlock(&claiming);
}

static DECLARE_DELAYED_WORK(releasing, release_all_idle);

/*
 * Queueing the work wakes a thread.  The hooks unload contexts, but must not wake a thread, so
 * an irq_work queues the work.
 */
static void schedule_release(struct irq_work *work)
{
	unsigned long since = jiffies - READ_ONCE(released_at);

	queue_delayed_work(system_dfl_wq, &releasing,
			   since < RELEASE_PERIOD ? RELEASE_PERIOD - since : 0);
}

static DEFINE_IRQ_WORK(something_idle, schedule_release);

/* Request the release of idle PMDs and hooks, unless the work that releases them is pending. */
static void is_idle_now(void)
{
	if (!delayed_work_pending(&releasing))
		irq_work_queue(&something_idle);
}

static int fail_to_claim(struct pfm_context *context, int error)
{
	if (error == -ENOMEM)
		return pfm_fail(context, error, PFM_REASON_MEMORY, 0);
	if (error != -EBUSY)
		return pfm_fail(context, error, PFM_REASON_PMU_REFUSES, 0);
	if (blamed.pmd == PFM_WHOLE_PMU)
		pfm_fail(context, error, PFM_REASON_PMU_HELD, 0);
	else
		pfm_fail(context, error, PFM_REASON_PMD_HELD, blamed.pmd);
	strscpy(context->error.holder, blamed.holder, sizeof(context->error.holder));
	return error;
}

/* Only contexts on threads need the hooks. */
static int claim_hooks(struct pfm_context *context)
{
	int error;

	if (pfm_is_bound(context) || hooks_enabled)
		return 0;
	error = pfm_hooks_enable();
	hooks_enabled = !error;
	if (error)
		pfm_fail(context, error,
			 error == -ENOMEM ? PFM_REASON_MEMORY : PFM_REASON_UNSUPPORTED,
			 0);
	return error;
}

/* The slow part of take().  Another call may have claimed @pmds already, so try join() first. */
static noinline struct pfm_use *take_fresh(struct pfm_context *context, const u64 *pmds)
{
	struct pfm_claims *claims = context->pmu->claims;
	const enum kind kind = kind_of(context);
	struct pfm_use *use;
	int error;

	mutex_lock(&claiming);
	error = claim_hooks(context);
	if (error) {
		mutex_unlock(&claiming);
		return ERR_PTR(error);
	}
	use = join(claims->uses[kind], pmds) ?: claim_use(claims, kind, pmds);
	if (IS_ERR(use)) {
		fail_to_claim(context, PTR_ERR(use));
		is_idle_now(); /* perhaps no context needs the hooks now */
	}
	mutex_unlock(&claiming);
	return use;
}

/*
 * Claim @pmds and the hooks.  As long as contexts on threads have entries, the hooks are enabled.
 * So if join() finds an entry for a context on a thread, nothing else is needed.  Return: the
 * entry, or an error pointer; after an error, context->error has the reason.
 */
static __always_inline struct pfm_use *take(struct pfm_context *context, const u64 *pmds)
{
	if (pfm_is_bound(context))
		return take_fresh(context, pmds);
	return join(context->pmu->claims->uses[OF_THREADS], pmds)
		       ?: take_fresh(context, pmds);
}

/* ---- loaded contexts ---------------------------------------------------------------------- */

/*
 * Subtract 1 from the number of contexts of @use.  May be called with interrupts off and a
 * context's lock held.  If the number becomes 0, @use may be replaced at any time.
 */
static void leave(struct pfm_use *use)
{
	if (atomic_dec_and_test(&use->contexts))
		is_idle_now();
}

int pfm_claim(struct pfm_context *context, struct task_struct *task)
{
	struct pfm_use *use;
	int error;

	if (context->sets_deleted)
		pfm_find_used_pmds(context);
	use = take(context, context->used_pmds);
	if (IS_ERR(use))
		return PTR_ERR(use);
	error = pfm_session_begin(context, task);
	if (error)
		leave(use);
	else
		WRITE_ONCE(context->use, use); /* see pfm_holder_of_use() */
	return error;
}

void pfm_claim_again(struct pfm_context *copy, const struct pfm_context *source)
{
	lockdep_assert_held(&source->lock);
	WRITE_ONCE(copy->use, source->use);
	atomic_inc(&copy->use->contexts);
}

void pfm_unclaim(struct pfm_context *context, struct task_struct *task)
{
	pfm_session_end(context, task);
	leave(context->use);
}

/* If @context is loaded, make it use @use and leave() its old entry.  If not, leave() @use. */
static void exchange(struct pfm_context *context, struct pfm_use *use)
{
	struct pfm_use *left = use;
	unsigned long flags;

	raw_spin_lock_irqsave(&context->lock, flags);
	if (context->state != PFM_STATE_UNLOADED) {
		left = context->use;
		WRITE_ONCE(context->use, use);
	}
	raw_spin_unlock_irqrestore(&context->lock, flags);
	leave(left);
}

int pfm_claim_more(struct pfm_context *context, u32 index, const u64 *pmds)
{
	struct pfm_use *use;
	u64 all[WORDS];
	unsigned int word;

	if (READ_ONCE(context->state) == PFM_STATE_UNLOADED)
		return 0;
	for (word = 0; word < WORDS; word++)
		all[word] = pmds[word] | context->used_pmds[word];
	use = take(context, all);
	if (IS_ERR(use)) {
		context->error.index = index;
		return PTR_ERR(use);
	}
	exchange(context, use);
	return 0;
}

int pfm_claims_add(struct pfm_pmu *pmu)
{
	struct pfm_claims *claims = kzalloc(sizeof(*claims), GFP_KERNEL);

	if (!claims)
		return -ENOMEM;
	claims->pmu = pmu;
	pmu->claims = claims;
	mutex_lock(&claiming);
	list_add(&claims->node, &pmus);
	mutex_unlock(&claiming);
	return 0;
}

void pfm_claims_remove(struct pfm_pmu *pmu)
{
	struct pfm_claims *claims = pmu->claims;
	bool released = false;

	mutex_lock(&claiming);
	list_del(&claims->node);
	release_idle(claims, &released);
	mutex_unlock(&claiming);
	pmu->claims = NULL;
	kfree(claims);
}

/* Add the PMDs that contexts of @kind use to @pmds. */
static void add_used(struct pfm_claims *claims, enum kind kind, u64 *pmds)
{
	const struct pfm_use *use;
	unsigned long flags;
	unsigned int word;

	lockdep_assert_held(&claiming);
	raw_spin_lock_irqsave(&uses_lock, flags);
	for (use = claims->uses[kind]; use < claims->uses[kind] + USES; use++)
		for (word = 0; atomic_read(&use->contexts) && word < WORDS; word++)
			pmds[word] |= use->pmds[word];
	raw_spin_unlock_irqrestore(&uses_lock, flags);
}

void pfm_claims_subtract_held(const struct pfm_pmu *pmu,
			      const struct pfm_context *context, u64 *pmds)
{
	u64 held[WORDS] = {};
	unsigned int word;

	if (!pmu->operations->held_by_others && !pmu->independent)
		return;
	mutex_lock(&claiming);
	if (pmu->operations->held_by_others)
		pmu->operations->held_by_others(pmu, held);
	if (pmu->independent && context->pmu)
		add_used(pmu->claims, !kind_of(context), held);
	mutex_unlock(&claiming);
	for (word = 0; word < WORDS; word++)
		pmds[word] &= ~held[word];
}

/* Called after the last PMU and the last context are gone. */
void pfm_claims_exit(void)
{
	irq_work_sync(&something_idle);
	cancel_delayed_work_sync(&releasing);
	release_all_idle(NULL);
}
