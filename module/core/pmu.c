// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU registry: one PMU at a time, its hardware claimed while a context
 * exists.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "attach.h"
#include "interface.h"
#include "pmu.h"
#include "switch.h"
#include "sysfs.h"
#include "virtual.h"

static DEFINE_MUTEX(registry); /* protects all of the following */
static struct pfm_pmu *registered;
static unsigned int users; /* contexts */
static char holder[sizeof_field(struct pfm_error, holder)];

/* PMUs that this architecture may have, best first. */
static const char *const candidates[] = {
#if defined(CONFIG_ARM64)
	"perfmon_armv8",
#elif defined(CONFIG_PPC64)
	"perfmon_power",
#elif defined(CONFIG_X86)
	"perfmon_intel",
	"perfmon_amd",
#endif
	"perfmon_soft",
};

void pfm_pmu_blame(const char *who)
{
	strscpy(holder, who, sizeof(holder));
}
EXPORT_SYMBOL_GPL(pfm_pmu_blame);

static void set_available(u64 *map, const struct pfm_register *registers,
			  unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++)
		if (registers[n].name)
			map[n / 64] |= BIT_ULL(n % 64);
}

/* Before claim(): all there is; claim() takes away. */
static void reset_available(struct pfm_pmu *pmu)
{
	memset(pmu->available_pmcs, 0, sizeof(pmu->available_pmcs));
	memset(pmu->available_pmds, 0, sizeof(pmu->available_pmds));
	set_available(pmu->available_pmcs, pmu->pmcs, pmu->pmc_count);
	set_available(pmu->available_pmds, pmu->pmds, pmu->pmd_count);
	pmu->available_pmds[PFM_VIRTUAL_PMD_BASE / 64] = pfm_virtual_pmds(pmu);
	cpumask_copy(&pmu->cpus, cpu_possible_mask);
}

static int claim(struct pfm_pmu *pmu)
{
	int error;

	lockdep_assert_held(&registry);
	holder[0] = '\0';
	reset_available(pmu);
	cpus_read_lock();
	error = pmu->operations->claim ? pmu->operations->claim() : 0;
	cpus_read_unlock();
	return error;
}

static void release(struct pfm_pmu *pmu)
{
	lockdep_assert_held(&registry);
	cpus_read_lock();
	if (pmu->operations->release)
		pmu->operations->release();
	cpus_read_unlock();
	reset_available(pmu);
}

/*
 * Whether the hardware can be had at all.  Who has it now will leave it one day, so
 * that is for contexts to be told, and no reason to go without this PMU for good.
 */
static int try_claim(struct pfm_pmu *pmu)
{
	int error = claim(pmu);

	if (!error)
		release(pmu);
	else
		reset_available(pmu);
	return error == -EBUSY ? 0 : error;
}

static bool pmc_is_consistent(const struct pfm_pmu *pmu, const struct pfm_register *pmc)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, pmc->counters)
		if (n >= pmu->pmd_count || !(pmu->pmds[n].type & PFM_REG_COUNTER))
			return false;
	return !(pmc->type & ~PFM_REG_NO_EMUL64);
}

static bool pmd_is_consistent(const struct pfm_register *pmd, unsigned int n)
{
	if (pmd->width < 1 || pmd->width > 64)
		return false;
	if (n < PFM_MAX_COUNTERS)
		return !(pmd->type & ~(PFM_REG_COUNTER | PFM_REG_READ_ONLY));
	return pmd->type == PFM_REG_READ_ONLY;
}

static bool is_consistent(const struct pfm_pmu *pmu)
{
	const struct pfm_pmu_operations *operations = pmu->operations;
	unsigned int n;

	if (!pmu->name || !pmu->model || !operations || !operations->write_pmcs ||
	    !operations->write_pmds || !operations->start || !operations->stop ||
	    !operations->read || !operations->acknowledge)
		return false;
	if (!operations->claim != !operations->release)
		return false;
	if (pmu->pmc_count > PFM_MAX_HARDWARE || pmu->pmd_count > PFM_MAX_HARDWARE ||
	    pmu->virtual_count > PFM_MAX_PMU_VIRTUAL)
		return false;
	for (n = 0; n < pmu->virtual_count; n++)
		if (!pmu->virtuals[n].name || !pmu->virtuals[n].read)
			return false;
	for (n = 0; n < pmu->pmc_count; n++)
		if (pmu->pmcs[n].name && !pmc_is_consistent(pmu, &pmu->pmcs[n]))
			return false;
	for (n = 0; n < pmu->pmd_count; n++)
		if (pmu->pmds[n].name && !pmd_is_consistent(&pmu->pmds[n], n))
			return false;
	return true;
}

int __pfm_pmu_register(struct pfm_pmu *pmu, struct module *owner)
{
	int error;

	error = pfm_interface_check("PMU", pmu->interface, PFM_PMU_INTERFACE, owner);
	if (error)
		return error;
	if (!is_consistent(pmu))
		return -EINVAL;
	pmu->owner = owner;
	mutex_lock(&registry);
	error = registered ? -EBUSY : try_claim(pmu);
	if (error)
		goto unlock;
	error = pfm_sysfs_add_pmu(pmu);
	if (error)
		goto unlock;
	registered = pmu;
	pr_info("perfmon: %s (%s)\n", pmu->model, pmu->name);
unlock:
	mutex_unlock(&registry);
	return error;
}
EXPORT_SYMBOL_GPL(__pfm_pmu_register);

void pfm_pmu_unregister(struct pfm_pmu *pmu)
{
	mutex_lock(&registry);
	pfm_sysfs_remove_pmu();
	registered = NULL;
	mutex_unlock(&registry);
}
EXPORT_SYMBOL_GPL(pfm_pmu_unregister);

/*
 * Loads the best PMU that there is.  Registering takes the mutex, so it is not
 * held; who comes second finds one registered.  That the caller lacks memory says
 * nothing about the machine: it must not lead to the next best.
 */
static int load_best(struct pfm_context *context)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(candidates) && !READ_ONCE(registered); i++)
		if (request_module("%s", candidates[i]) == -ENOMEM)
			return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	return 0;
}

/*
 * Hooks stay for a while after the last context: to put them in place patches
 * the kernel's text on all CPUs, which nobody shall make happen at will.
 */
#define HOOKS_LINGER HZ

static bool hooks_enabled;

static void hooks_expire(struct work_struct *work)
{
	mutex_lock(&registry);
	if (hooks_enabled && users == 0) {
		pfm_hooks_disable();
		hooks_enabled = false;
	}
	mutex_unlock(&registry);
}

static DECLARE_DELAYED_WORK(hooks_expiry, hooks_expire);

static int hooks_needed(void)
{
	int error = 0;

	if (!hooks_enabled) {
		error = pfm_hooks_enable();
		hooks_enabled = !error;
	}
	return error;
}

/* At the end of the module: no PMU is registered any more. */
void pfm_pmu_exit(void)
{
	cancel_delayed_work_sync(&hooks_expiry);
	hooks_expire(NULL);
}

/* @reason holds unless it is memory that lacks. */
static void fail_to_begin(struct pfm_context *context, int error, enum pfm_reason reason)
{
	pfm_fail(context, error, error == -ENOMEM ? PFM_REASON_MEMORY : reason, 0);
}

static int begin_use(struct pfm_context *context, struct pfm_pmu *pmu)
{
	int error = claim(pmu);

	if (error) {
		fail_to_begin(context, error, PFM_REASON_PMU_HELD);
		strscpy(context->error.holder, holder, sizeof(context->error.holder));
		return error;
	}
	pfm_switch_use(&pmu->cpus);
	error = hooks_needed();
	if (error) {
		fail_to_begin(context, error, PFM_REASON_UNSUPPORTED);
		release(pmu);
	}
	return error;
}

struct pfm_pmu *pfm_pmu_get(struct pfm_context *context)
{
	struct pfm_pmu *pmu;
	int error = load_best(context);

	if (error)
		return ERR_PTR(error);
	mutex_lock(&registry);
	pmu = registered;
	if (!pmu || !try_module_get(pmu->owner)) {
		error = pfm_fail(context, -ENOSYS, PFM_REASON_NO_PMU, 0);
		goto unlock;
	}
	if (users == 0)
		error = begin_use(context, pmu);
	if (error)
		module_put(pmu->owner);
	else
		users++;
unlock:
	mutex_unlock(&registry);
	return error ? ERR_PTR(error) : pmu;
}

void pfm_pmu_put(void)
{
	mutex_lock(&registry);
	if (--users == 0) {
		release(registered);
		mod_delayed_work(system_wq, &hooks_expiry, HOOKS_LINGER);
	}
	module_put(registered->owner);
	mutex_unlock(&registry);
}

int pfm_pmu_info(struct pfm_context *context, struct pfm_info *info)
{
	int error = load_best(context);
	const struct pfm_pmu *pmu;
	unsigned int n;

	if (error)
		return error;
	mutex_lock(&registry);
	pmu = registered;
	info->implemented_pmds[PFM_VIRTUAL_PMD_BASE / 64] = pfm_virtual_pmds(pmu);
	if (pmu) {
		strscpy(info->pmu_name, pmu->name, sizeof(info->pmu_name));
		strscpy(info->pmu_model, pmu->model, sizeof(info->pmu_model));
		info->pmu_id = pmu->id;
		set_available(info->implemented_pmcs, pmu->pmcs, pmu->pmc_count);
		set_available(info->implemented_pmds, pmu->pmds, pmu->pmd_count);
		memcpy(info->available_pmcs, pmu->available_pmcs,
		       sizeof(info->available_pmcs));
		memcpy(info->available_pmds, pmu->available_pmds,
		       sizeof(info->available_pmds));
		for (n = 0; n < pmu->pmd_count; n++)
			if (pmu->pmds[n].type & PFM_REG_COUNTER)
				info->counter_pmds[n / 64] |= BIT_ULL(n % 64);
	}
	mutex_unlock(&registry);
	return 0;
}
