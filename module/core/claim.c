// SPDX-License-Identifier: GPL-2.0-only
/* Hardware and hooks are claimed when contexts are loaded, and given back after that. */
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "attach.h"
#include "claim.h"

#define WORDS		 PFM_HARDWARE_BV

/* At most so often something is given back, and so has to be claimed again. */
#define GIVE_BACK_PERIOD HZ

/**
 * struct pfm_claims - what is claimed of a PMU
 * @node: in the list of all PMUs
 * @pmu: the PMU
 * @held: PMDs that are ours; no fewer than those with users
 * @users: loaded contexts that use each PMD.  Counted up under the mutex, down
 *	from wherever a context is unloaded.
 */
struct pfm_claims {
	struct list_head node;
	struct pfm_pmu *pmu;
	u64 held[WORDS];
	atomic_t users[PFM_MAX_HARDWARE];
};

static DEFINE_MUTEX(claiming); /* protects all of the following */
static LIST_HEAD(pmus);
static bool hooks_enabled;
static unsigned long given_back_at; /* jiffies; also read without the mutex */
static struct {
	char holder[sizeof_field(struct pfm_error, holder)];
	unsigned int pmd;
} blamed;

static atomic_t loaded = ATOMIC_INIT(0); /* contexts; as struct pfm_claims.users */

void pfm_pmu_blame(const char *holder, unsigned int pmd)
{
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

/* One more user of each of @pmds. */
static int take(struct pfm_claims *claims, const u64 *pmds)
{
	u64 fresh[WORDS], any = 0, rest;
	unsigned int word, n;
	int error;

	if (!claims->pmu->operations->claim)
		return 0;
	for (word = 0; word < WORDS; word++) {
		fresh[word] = pmds[word] & ~claims->held[word];
		any |= fresh[word];
	}
	if (unlikely(any)) {
		error = claim_fresh(claims, fresh);
		if (error)
			return error;
		for (word = 0; word < WORDS; word++)
			claims->held[word] |= fresh[word];
	}
	for (word = 0; word < WORDS; word++)
		pfm_for_each_bit(n, rest, pmds[word])
			atomic_inc(&claims->users[word * 64 + n]);
	return 0;
}

/* Return: whether one of them has no user any more. */
static bool leave(struct pfm_claims *claims, const u64 *pmds)
{
	bool is_idle = false;
	unsigned int word, n;
	u64 rest;

	if (!claims->pmu->operations->claim)
		return false;
	for (word = 0; word < WORDS; word++)
		pfm_for_each_bit(n, rest, pmds[word])
			is_idle |= atomic_dec_and_test(&claims->users[word * 64 + n]);
	return is_idle;
}

/* Return: whether there was something to give back. */
static bool give_back(struct pfm_claims *claims)
{
	struct pfm_pmu *pmu = claims->pmu;
	u64 idle[WORDS] = {}, any = 0, rest;
	unsigned int word, n;

	for (word = 0; word < WORDS; word++) {
		pfm_for_each_bit(n, rest, claims->held[word])
			if (!atomic_read(&claims->users[word * 64 + n]))
				idle[word] |= BIT_ULL(n);
		claims->held[word] &= ~idle[word];
		any |= idle[word];
	}
	if (!any)
		return false;
	cpus_read_lock();
	pmu->operations->release(pmu, idle);
	cpus_read_unlock();
	return true;
}

static bool disable_hooks(void)
{
	if (!hooks_enabled || atomic_read(&loaded))
		return false;
	pfm_hooks_disable();
	hooks_enabled = false;
	return true;
}

static void give_back_idle(struct work_struct *work)
{
	struct pfm_claims *claims;
	bool was_idle;

	mutex_lock(&claiming);
	was_idle = disable_hooks();
	list_for_each_entry(claims, &pmus, node)
		was_idle |= give_back(claims);
	if (was_idle)
		WRITE_ONCE(given_back_at, jiffies);
	mutex_unlock(&claiming);
}

static DECLARE_DELAYED_WORK(giving_back, give_back_idle);

/* Contexts are unloaded where nobody may be woken. */
static void schedule_giving_back(struct irq_work *work)
{
	unsigned long since = jiffies - READ_ONCE(given_back_at);

	queue_delayed_work(system_unbound_wq, &giving_back,
			   since < GIVE_BACK_PERIOD ? GIVE_BACK_PERIOD - since : 0);
}

static DEFINE_IRQ_WORK(something_idle, schedule_giving_back);

/* What is pending looks at the counts after it has ceased to be. */
static void is_idle_now(void)
{
	if (!delayed_work_pending(&giving_back))
		irq_work_queue(&something_idle);
}

static int enable_hooks(void)
{
	int error = 0;

	if (!hooks_enabled) {
		error = pfm_hooks_enable();
		hooks_enabled = !error;
	}
	return error;
}

static int fail_to_claim(struct pfm_context *context, int error)
{
	if (error == -ENOMEM)
		return pfm_fail(context, error, PFM_REASON_MEMORY, 0);
	if (blamed.pmd == PFM_WHOLE_PMU)
		pfm_fail(context, error, PFM_REASON_PMU_HELD, 0);
	else
		pfm_fail(context, error, PFM_REASON_PMD_HELD, blamed.pmd);
	strscpy(context->error.holder, blamed.holder, sizeof(context->error.holder));
	return error;
}

static int claim_hooks(struct pfm_context *context)
{
	int error = enable_hooks();

	if (error)
		pfm_fail(context, error,
			 error == -ENOMEM ? PFM_REASON_MEMORY : PFM_REASON_UNSUPPORTED,
			 0);
	return error;
}

/* Sets that were deleted used PMDs, which others may use or not. */
static void find_used_pmds(struct pfm_context *context)
{
	const struct pfm_set *set;
	unsigned int word;

	memset(context->used_pmds, 0, sizeof(context->used_pmds));
	list_for_each_entry(set, &context->sets, node)
		for (word = 0; word < WORDS; word++)
			context->used_pmds[word] |= set->registers.used_pmds[word];
	context->sets_deleted = false;
}

int pfm_claim(struct pfm_context *context)
{
	int error;

	if (context->sets_deleted)
		find_used_pmds(context);
	mutex_lock(&claiming);
	error = claim_hooks(context);
	if (error)
		goto unlock;
	error = take(context->pmu->claims, context->used_pmds);
	if (error) {
		fail_to_claim(context, error);
		is_idle_now(); /* the hooks */
		goto unlock;
	}
	atomic_inc(&loaded);
	memcpy(context->claimed, context->used_pmds, sizeof(context->claimed));
unlock:
	mutex_unlock(&claiming);
	return error;
}

/* Unless it has been unloaded meanwhile. */
static bool add_to_claimed(struct pfm_context *context, const u64 *pmds)
{
	unsigned long flags;
	unsigned int word;
	bool is_loaded;

	raw_spin_lock_irqsave(&context->lock, flags);
	is_loaded = context->task;
	for (word = 0; is_loaded && word < WORDS; word++)
		context->claimed[word] |= pmds[word];
	raw_spin_unlock_irqrestore(&context->lock, flags);
	return is_loaded;
}

int pfm_claim_more(struct pfm_context *context, u32 index, const u64 *pmds)
{
	struct pfm_claims *claims = context->pmu->claims;
	u64 more[WORDS];
	unsigned int word;
	int error;

	if (READ_ONCE(context->state) == PFM_STATE_UNLOADED)
		return 0;
	for (word = 0; word < WORDS; word++)
		more[word] = pmds[word] & ~context->used_pmds[word];
	mutex_lock(&claiming);
	error = take(claims, more);
	if (error) {
		fail_to_claim(context, error);
		context->error.index = index;
	}
	mutex_unlock(&claiming);
	if (!error && !add_to_claimed(context, more) && leave(claims, more))
		is_idle_now();
	return error;
}

void pfm_unclaim(struct pfm_context *context)
{
	bool is_idle = leave(context->pmu->claims, context->claimed);

	memset(context->claimed, 0, sizeof(context->claimed));
	if (atomic_dec_and_test(&loaded) || is_idle)
		is_idle_now();
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

	mutex_lock(&claiming);
	list_del(&claims->node);
	give_back(claims);
	mutex_unlock(&claiming);
	pmu->claims = NULL;
	kfree(claims);
}

void pfm_claims_subtract_held(const struct pfm_pmu *pmu, u64 *pmds)
{
	u64 held[WORDS] = {};
	unsigned int word;

	if (!pmu->operations->held_by_others)
		return;
	mutex_lock(&claiming);
	pmu->operations->held_by_others(pmu, held);
	mutex_unlock(&claiming);
	for (word = 0; word < WORDS; word++)
		pmds[word] &= ~held[word];
}

/* There is no PMU any more, and no context. */
void pfm_claims_exit(void)
{
	irq_work_sync(&something_idle);
	cancel_delayed_work_sync(&giving_back);
	give_back_idle(NULL);
}
