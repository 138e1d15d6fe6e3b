// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU registry.  A context gets its PMU when it is created, and holds a reference to the PMU's
 * module.  The hardware is claimed when the context is loaded (claim.c).
 */
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kmod.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "base/error.h"
#include "claims/available.h"
#include "claims/claim.h"
#include "counting/cpu.h"
#include "counting/scope.h"
#include "counting/virtual.h"
#include "interface.h"
#include "machine.h"
#include "pmu.h"
#include "sysfs.h"

static DEFINE_MUTEX(registry); /* protects pmus */
static LIST_HEAD(pmus); /* by rank; the first one without a scope is the default */

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

/*
 * Return: counters that meet one of these conditions:
 * - The counter can exclude the kernel level.
 * - A PMC with PFM_REG_NO_LEVELS drives the counter, so the counter need not exclude the kernel
 *   level.
 * - Several CPUs share the counter, so only users who may count at all levels can use it.
 */
static u64 restricted_counters(const struct pfm_pmu *pmu)
{
	const struct pfm_register *pmc;
	u64 counters = 0;

	if (pmu->scope)
		return ~0ull;
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

/* The name becomes part of a module's name and of a sysfs path. */
static bool is_name(const char *name)
{
	size_t length = strlen(name), i;

	for (i = 0; i < length; i++)
		if (!isalnum(name[i]) && name[i] != '_')
			return false;
	return length > 0 && length < PFM_PMU_NAME_SIZE;
}

static bool is_consistent(const struct pfm_pmu *pmu)
{
	const struct pfm_pmu_operations *operations = pmu->operations;
	unsigned int n;

	if (!pmu->name || !is_name(pmu->name) || !pmu->model || !operations ||
	    !operations->write_pmcs || !operations->write_pmds || !operations->start ||
	    !operations->stop || !operations->read || !operations->acknowledge)
		return false;
	if (!operations->claim != !operations->release ||
	    !operations->owner != !pmu->scope)
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

/* Set is_partial to true if each thread switch must check whether @pmu can count on the CPU. */
static void note_cpus(struct pfm_pmu *pmu)
{
	if (cpumask_empty(&pmu->cpus))
		cpumask_copy(&pmu->cpus, cpu_possible_mask);
	pmu->is_partial = pmu->operations->can_count ||
			  !cpumask_equal(&pmu->cpus, cpu_possible_mask);
	if (pmu->is_partial)
		static_branch_inc(&pfm_cpus_differ);
}

static void forget_cpus(const struct pfm_pmu *pmu)
{
	if (pmu->is_partial)
		static_branch_dec(&pfm_cpus_differ);
}

/*
 * Return: the PMU of that name, or the default PMU if @name is NULL; NULL if there is no such PMU.
 * A PMU that several CPUs share is never the default, because it cannot count for a thread.
 */
static struct pfm_pmu *find(const char *name)
{
	struct pfm_pmu *pmu;

	lockdep_assert_held(&registry);
	list_for_each_entry(pmu, &pmus, node)
		if (name ? !strcmp(pmu->name, name) : !pmu->scope)
			return pmu;
	return NULL;
}

/* Insert @pmu after the PMUs of the same rank. */
static void insert(struct pfm_pmu *pmu)
{
	struct pfm_pmu *other;

	list_for_each_entry(other, &pmus, node)
		if (other->rank > pmu->rank)
			break;
	list_add_tail(&pmu->node, &other->node);
}

/*
 * Insert @pmu into the list, and let pmu_desc in sysfs point to the default PMU.  On failure @pmu
 * is not in the list.
 */
static int add_to_list(struct pfm_pmu *pmu)
{
	int error = 0;

	insert(pmu);
	if (find(NULL) == pmu)
		error = pfm_sysfs_set_default_pmu(pmu);
	if (error) {
		list_del(&pmu->node);
		pfm_sysfs_set_default_pmu(find(NULL));
	}
	return error;
}

static int find_facts(struct pfm_pmu *pmu)
{
	struct pfm_pmu_facts *facts = kzalloc(sizeof(*facts), GFP_KERNEL);
	unsigned int n, counter;
	u64 rest;

	if (!facts)
		return -ENOMEM;
	for (n = 0; n < pmu->pmc_count; n++) {
		facts->defaults[n] = pmu->pmcs[n].default_value;
		pfm_for_each_bit(counter, rest, pmu->pmcs[n].counters)
			facts->drivers[counter][n / 64] |= BIT_ULL(n % 64);
	}
	pmu->facts = facts;
	return 0;
}

static void forget_facts(struct pfm_pmu *pmu)
{
	kfree(pmu->facts);
	pmu->facts = NULL;
}

static int add(struct pfm_pmu *pmu)
{
	int error;

	if (find(pmu->name))
		return -EBUSY;
	error = find_facts(pmu);
	if (error)
		return error;
	error = pfm_scope_add(pmu);
	if (error)
		goto no_scope;
	error = pfm_claims_add(pmu);
	if (error)
		goto no_claims;
	error = pfm_sysfs_add_pmu(pmu);
	if (error)
		goto no_directory;
	note_cpus(pmu);
	error = add_to_list(pmu);
	if (error)
		goto not_in_list;
	pr_info("perfmon: %s (%s)\n", pmu->model, pmu->name);
	return 0;

not_in_list:
	forget_cpus(pmu);
	pfm_sysfs_remove_pmu(pmu);
no_directory:
	pfm_claims_remove(pmu);
no_claims:
	pfm_scope_remove(pmu);
no_scope:
	forget_facts(pmu);
	return error;
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
	error = add(pmu);
	mutex_unlock(&registry);
	return error;
}
EXPORT_SYMBOL_GPL(__pfm_pmu_register);

void pfm_pmu_unregister(struct pfm_pmu *pmu)
{
	mutex_lock(&registry);
	list_del(&pmu->node);
	if (pfm_sysfs_set_default_pmu(find(NULL)))
		pr_warn("perfmon: no memory for the link pmu_desc\n");
	pfm_sysfs_remove_pmu(pmu);
	forget_cpus(pmu);
	pfm_claims_remove(pmu);
	pfm_scope_remove(pmu);
	forget_facts(pmu);
	mutex_unlock(&registry);
}
EXPORT_SYMBOL_GPL(pfm_pmu_unregister);

static struct pfm_pmu *get_registered(const char *name)
{
	struct pfm_pmu *pmu;

	mutex_lock(&registry);
	pmu = find(name);
	if (pmu && !try_module_get(pmu->owner))
		pmu = NULL;
	mutex_unlock(&registry);
	return pmu;
}

static bool is_registered(const char *name)
{
	bool is;

	mutex_lock(&registry);
	is = find(name);
	mutex_unlock(&registry);
	return is;
}

/*
 * Load the module for the processor.  If no PMU is registered afterwards, load the fallback.  But
 * if there was no memory for the first request, do not load the fallback: a later request may load
 * the module for the processor.
 */
static int load_default(void)
{
	int error = request_module("%s", pfm_machine_alias());

	if (error != -ENOMEM && !is_registered(NULL))
		error = request_module(PFM_PMU_ALIAS("fallback"));
	return error;
}

/*
 * Load the module of PMU @name.  If there is no default PMU yet, load the module of the default PMU
 * first, so that @name does not become the default.  The caller must not hold the mutex, because
 * the module takes the mutex when it registers its PMU.
 */
static int load(struct pfm_context *context, const char *name)
{
	int error = is_registered(NULL) ? 0 : load_default();

	if (error != -ENOMEM && name && is_name(name) && !is_registered(name))
		error = request_module("perfmon_%s", name);
	return error == -ENOMEM ? pfm_fail(context, error, PFM_REASON_MEMORY, 0) : 0;
}

struct pfm_pmu *pfm_pmu_get(struct pfm_context *context, const char *name)
{
	struct pfm_pmu *pmu = get_registered(name);
	int error;

	if (pmu)
		return pmu;
	error = load(context, name);
	if (error)
		return ERR_PTR(error);
	pmu = get_registered(name);
	return pmu ?: ERR_PTR(pfm_fail(context, -ENOSYS, PFM_REASON_NO_PMU, 0));
}

void pfm_pmu_put(const struct pfm_pmu *pmu)
{
	module_put(pmu->owner);
}

static void describe(const struct pfm_pmu *pmu, const struct pfm_context *context,
		     struct pfm_info *info)
{
	unsigned int n;

	strscpy(info->pmu_name, pmu->name, sizeof(info->pmu_name));
	strscpy(info->pmu_model, pmu->model, sizeof(info->pmu_model));
	info->pmu_id = pmu->id;
	pfm_implemented(pmu->pmcs, pmu->pmc_count, info->implemented_pmcs);
	pfm_implemented(pmu->pmds, pmu->pmd_count, info->implemented_pmds);
	pfm_available(pmu, context, info->available_pmcs, info->available_pmds);
	for (n = 0; n < pmu->pmd_count; n++)
		if (pmu->pmds[n].type & PFM_REG_COUNTER)
			info->counter_pmds[n / 64] |= BIT_ULL(n % 64);
}

int pfm_pmu_info(struct pfm_context *context, struct pfm_info *info)
{
	const struct pfm_pmu *pmu;
	int error = 0;

	if (!context->pmu && !is_registered(NULL))
		error = load(context, NULL);
	if (error)
		return error;
	mutex_lock(&registry);
	pmu = context->pmu ?: find(NULL);
	info->implemented_pmds[PFM_VIRTUAL_PMD_BASE / 64] = pfm_virtual_pmds(pmu);
	if (pmu)
		describe(pmu, context, info);
	mutex_unlock(&registry);
	return 0;
}
