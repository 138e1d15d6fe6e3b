// SPDX-License-Identifier: GPL-2.0-only
/* Attach contexts to CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "cpus.h"

static bool is_shared(const struct group *group)
{
	return group->first->machine.scope[0];
}

static int add(struct id_list *cpus, int cpu)
{
	int *id = array_add(&cpus->ids, &cpus->count, sizeof(*id));

	if (!id)
		return fail("no memory");
	*id = cpu;
	return 0;
}

/* Append the CPUs of the text @list, or those that are online if it is NULL. */
static int add_list(struct id_list *cpus, const char *list)
{
	struct pfm_cpu_context *found = calloc(PFM_CPU_MOST + 1, sizeof(*found));
	int count = found ? pfm_cpus_parse(list, found, PFM_CPU_MOST + 1) : -1;
	int result = count < 0 ? fail("cannot find the CPUs: %s", strerror(errno)) : 0;

	for (int i = 0; !result && i < count; i++)
		result = add(cpus, found[i].cpu);
	free(found);
	return result;
}

/* Of the whole machine only the owners matter.  To be freed by the caller in any case. */
static int list_wanted(const struct targets *targets, const struct group *group,
		       struct id_list *wanted)
{
	char *owners = NULL;
	int result = 0;

	if (!targets->is_whole_machine) {
		for (size_t i = 0; !result && i < targets->cpus.count; i++)
			result = add(wanted, targets->cpus.ids[i]);
		return result;
	}
	if (is_shared(group))
		owners = scope_owners(group->first->machine.info.pmu_name);
	if (is_shared(group) && !owners)
		return fail("cannot read which CPUs own registers of PMU %s",
			    group->first->machine.info.pmu_name);
	result = add_list(wanted, owners);
	free(owners);
	return result;
}

/* The user named @cpu, and might look for its counts alone. */
static void say_owner(const struct group *group, int cpu)
{
	const struct session *session = group_session(group, group->attached - 1);

	if (session->cpu != cpu)
		warn_user(
			"CPU %d owns the %s registers of CPU %d: counts are those of all "
			"CPUs that share them",
			session->cpu, session->machine.scope, cpu);
}

static int attach_cpu(struct group *group, int cpu)
{
	int error = group_attach_cpu(group, cpu);

	if (!error)
		say_owner(group, cpu);
	if (error <= 0)
		return error;
	/* A CPU of the list shares registers with an earlier one. */
	if (is_shared(group) && group_has_thread(group, error))
		return 0;
	return group_fail_attach_cpu(group, cpu, error);
}

int cpus_attach(const struct targets *targets, struct group *group)
{
	struct id_list wanted = { 0 };
	int result = list_wanted(targets, group, &wanted);

	for (size_t i = 0; !result && i < wanted.count; i++)
		result = attach_cpu(group, wanted.ids[i]);
	free(wanted.ids);
	return result;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int cpus_list(const struct group *group, struct id_list *cpus)
{
	cpus->count = 0;
	for (size_t i = 0; i < group->attached; i++)
		if (add(cpus, group_session(group, i)->cpu))
			return -1;
	if (cpus->count)
		qsort(cpus->ids, cpus->count, sizeof(*cpus->ids), compare);
	return 0;
}
