// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU registry: one PMU at a time.  A context holds its module; the hardware is
 * claimed when the context is loaded (claim.c).
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "claim.h"
#include "interface.h"
#include "pmu.h"
#include "switch.h"
#include "sysfs.h"
#include "virtual.h"

static DEFINE_MUTEX(registry); /* protects what follows */
static struct pfm_pmu *registered;

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

static void set_implemented(u64 *map, const struct pfm_register *registers,
			    unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++)
		if (registers[n].name)
			map[n / 64] |= BIT_ULL(n % 64);
}

/* A PMC that drives counters can be had with any of them. */
void pfm_pmu_available(const struct pfm_pmu *pmu, u64 *pmcs, u64 *pmds)
{
	unsigned int n;

	set_implemented(pmds, pmu->pmds, pmu->pmd_count);
	pfm_claims_subtract_held(pmu, pmds);
	pmds[PFM_VIRTUAL_PMD_BASE / 64] = pfm_virtual_pmds(pmu);
	for (n = 0; n < pmu->pmc_count; n++)
		if (pmu->pmcs[n].name &&
		    (!pmu->pmcs[n].counters || pmu->pmcs[n].counters & pmds[0]))
			pmcs[n / 64] |= BIT_ULL(n % 64);
}

static bool pmc_is_consistent(const struct pfm_pmu *pmu, const struct pfm_register *pmc)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, pmc->counters)
		if (n >= pmu->pmd_count || !(pmu->pmds[n].type & PFM_REG_COUNTER))
			return false;
	if (pmc->user_set & pmc->user_clear ||
	    (pmc->user_set | pmc->user_clear) & pmc->reserved)
		return false;
	return !(pmc->type & ~(PFM_REG_NO_EMUL64 | PFM_REG_NO_LEVELS));
}

/* Counters that can be kept from counting at kernel level, or need not be. */
static u64 restricted_counters(const struct pfm_pmu *pmu)
{
	const struct pfm_register *pmc;
	u64 counters = 0;

	for (pmc = pmu->pmcs; pmc < pmu->pmcs + pmu->pmc_count; pmc++)
		if (pmc->name &&
		    (pmc->user_set || pmc->user_clear || pmc->type & PFM_REG_NO_LEVELS))
			counters |= pmc->counters;
	return counters;
}

static bool pmd_is_consistent(const struct pfm_pmu *pmu, const struct pfm_register *pmd,
			      unsigned int n)
{
	if (pmd->width < 1 || pmd->width > 64)
		return false;
	if (pmd->type == PFM_REG_SAMPLED)
		return pmu->operations->sample;
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
	for (n = 0; n < pmu->pmd_count; n++) {
		const struct pfm_register *pmd = &pmu->pmds[n];

		if (!pmd->name)
			continue;
		if (!pmd_is_consistent(pmu, pmd, n))
			return false;
		if (pmd->type & PFM_REG_COUNTER &&
		    !(restricted_counters(pmu) & BIT_ULL(n)))
			return false;
	}
	return true;
}

/* A PMU that some CPU does not have makes it worth looking at each switch. */
static void note_cpus(struct pfm_pmu *pmu)
{
	if (cpumask_empty(&pmu->cpus))
		cpumask_copy(&pmu->cpus, cpu_possible_mask);
	pmu->is_partial = !cpumask_equal(&pmu->cpus, cpu_possible_mask);
	if (pmu->is_partial)
		static_branch_inc(&pfm_cpus_differ);
}

static void forget_cpus(const struct pfm_pmu *pmu)
{
	if (pmu->is_partial)
		static_branch_dec(&pfm_cpus_differ);
}

static int add(struct pfm_pmu *pmu)
{
	int error = pfm_claims_add(pmu);

	if (error)
		return error;
	error = pfm_sysfs_add_pmu(pmu);
	if (error) {
		pfm_claims_remove(pmu);
		return error;
	}
	note_cpus(pmu);
	registered = pmu;
	pr_info("perfmon: %s (%s)\n", pmu->model, pmu->name);
	return 0;
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
	error = registered ? -EBUSY : add(pmu);
	mutex_unlock(&registry);
	return error;
}
EXPORT_SYMBOL_GPL(__pfm_pmu_register);

void pfm_pmu_unregister(struct pfm_pmu *pmu)
{
	mutex_lock(&registry);
	registered = NULL;
	pfm_sysfs_remove_pmu();
	forget_cpus(pmu);
	pfm_claims_remove(pmu);
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

struct pfm_pmu *pfm_pmu_get(struct pfm_context *context)
{
	struct pfm_pmu *pmu;
	int error = load_best(context);

	if (error)
		return ERR_PTR(error);
	mutex_lock(&registry);
	pmu = registered;
	if (!pmu || !try_module_get(pmu->owner)) {
		pfm_fail(context, -ENOSYS, PFM_REASON_NO_PMU, 0);
		pmu = ERR_PTR(-ENOSYS);
	}
	mutex_unlock(&registry);
	return pmu;
}

void pfm_pmu_put(const struct pfm_pmu *pmu)
{
	module_put(pmu->owner);
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
		set_implemented(info->implemented_pmcs, pmu->pmcs, pmu->pmc_count);
		set_implemented(info->implemented_pmds, pmu->pmds, pmu->pmd_count);
		pfm_pmu_available(pmu, info->available_pmcs, info->available_pmds);
		for (n = 0; n < pmu->pmd_count; n++)
			if (pmu->pmds[n].type & PFM_REG_COUNTER)
				info->counter_pmds[n / 64] |= BIT_ULL(n % 64);
	}
	mutex_unlock(&registry);
	return 0;
}
