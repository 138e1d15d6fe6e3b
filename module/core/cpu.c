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

static void forget_registers(struct pfm_cpu *cpu)
{
	cpu->pmc_stamp = 0;
	cpu->pmd_stamp = pfm_cpu_take_stamp(cpu);
}

void pfm_registers_lost(void)
{
	WARN_ON_ONCE(!irqs_disabled());
	forget_registers(this_cpu_ptr(&pfm_cpu));
	if (static_branch_unlikely(&pfm_bound_contexts))
		forget_registers(this_cpu_ptr(pfm_cpu_bound));
}
EXPORT_SYMBOL_GPL(pfm_registers_lost);

static void init(struct pfm_cpu *cpu, int number)
{
	cpu->sample.cpu = number;
	cpu->sample.values = cpu->values;
	cpu->next_stamp = number + 1;
	cpu->pmd_stamp = pfm_cpu_take_stamp(cpu);
}

int pfm_cpu_init(void)
{
	int number;

	pfm_cpu_bound = alloc_percpu(struct pfm_cpu);
	if (!pfm_cpu_bound)
		return -ENOMEM;
	for_each_possible_cpu(number) {
		init(per_cpu_ptr(&pfm_cpu, number), number);
		init(per_cpu_ptr(pfm_cpu_bound, number), number);
	}
	return 0;
}

void pfm_cpu_exit(void)
{
	free_percpu(pfm_cpu_bound);
}
