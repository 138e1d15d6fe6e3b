// SPDX-License-Identifier: GPL-2.0-only
/* PMUs whose registers several CPUs share. */
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "cpu.h"
#include "scope.h"
#include "set_switch.h"
#include "throttle.h"

/*
 * The registry's mutex protects the list.  Readers of statistics walk it under RCU.  A CPU that
 * goes offline walks it with interrupts off, which is an RCU read-side critical section, too.
 */
static LIST_HEAD(scoped);

int pfm_scope_add(struct pfm_pmu *pmu)
{
	if (!pmu->scope)
		return 0;
	pmu->cpu_data = pfm_cpu_alloc();
	if (!pmu->cpu_data)
		return -ENOMEM;
	pfm_set_timer_init(pmu->cpu_data);
	pfm_throttle_init(pmu->cpu_data);
	list_add_rcu(&pmu->scope_node, &scoped);
	return 0;
}

void pfm_scope_remove(struct pfm_pmu *pmu)
{
	if (!pmu->scope)
		return;
	list_del_rcu(&pmu->scope_node);
	synchronize_rcu();
	pfm_throttle_exit(pmu->cpu_data);
	pfm_set_timer_exit(pmu->cpu_data);
	free_percpu(pmu->cpu_data);
	pmu->cpu_data = NULL;
}

int pfm_scope_owner(const struct pfm_pmu *pmu, int number)
{
	return pmu->scope ? pmu->operations->owner(pmu, number) : number;
}

void pfm_scope_for_each(void (*function)(struct pfm_cpu __percpu *cpus, void *argument),
			void *argument)
{
	struct pfm_pmu *pmu;

	rcu_read_lock();
	list_for_each_entry_rcu(pmu, &scoped, scope_node)
		function(pmu->cpu_data, argument);
	rcu_read_unlock();
}

void pfm_scope_for_each_here(void (*function)(struct pfm_cpu *cpu))
{
	struct pfm_pmu *pmu;

	list_for_each_entry_rcu(pmu, &scoped, scope_node, irqs_disabled())
		function(this_cpu_ptr(pmu->cpu_data));
}
