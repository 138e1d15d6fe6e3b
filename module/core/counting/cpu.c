// SPDX-License-Identifier: GPL-2.0-only
/* The core's data for each CPU. */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <perfmon_pmu.h>

#include "cpu.h"

DEFINE_PER_CPU(struct pfm_cpu, pfm_cpu);
struct pfm_cpu __percpu *pfm_cpu_bound;
DEFINE_STATIC_KEY_FALSE(pfm_bound_contexts);
DEFINE_STATIC_KEY_FALSE(pfm_cpus_differ);
DEFINE_STATIC_KEY_FALSE(pfm_timing);

void pfm_cpu_forget(struct pfm_cpu *cpu)
{
	cpu->pmc_stamp = 0;
	cpu->pmd_stamp = pfm_cpu_take_stamp(cpu);
}

void pfm_registers_lost(void)
{
	WARN_ON_ONCE(!irqs_disabled());
	pfm_cpu_forget(this_cpu_ptr(&pfm_cpu));
	if (static_branch_unlikely(&pfm_bound_contexts))
		pfm_cpu_forget(this_cpu_ptr(pfm_cpu_bound));
}
EXPORT_SYMBOL_GPL(pfm_registers_lost);

static void init(struct pfm_cpu *cpu, int number)
{
	cpu->sample.cpu = number;
	cpu->sample.values = cpu->values;
	cpu->next_stamp = number + 1;
	cpu->pmd_stamp = pfm_cpu_take_stamp(cpu);
}

struct pfm_cpu __percpu *pfm_cpu_alloc(void)
{
	struct pfm_cpu __percpu *cpus = alloc_percpu(struct pfm_cpu);
	int number;

	if (!cpus)
		return NULL;
	for_each_possible_cpu(number)
		init(per_cpu_ptr(cpus, number), number);
	return cpus;
}

int pfm_cpu_init(void)
{
	int number;

	pfm_cpu_bound = pfm_cpu_alloc();
	if (!pfm_cpu_bound)
		return -ENOMEM;
	for_each_possible_cpu(number)
		init(per_cpu_ptr(&pfm_cpu, number), number);
	return 0;
}

void pfm_cpu_exit(void)
{
	free_percpu(pfm_cpu_bound);
}
