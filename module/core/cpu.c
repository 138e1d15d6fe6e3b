// SPDX-License-Identifier: GPL-2.0-only
/* The core's data for each CPU. */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <perfmon_pmu.h>

#include "cpu.h"

DEFINE_PER_CPU(struct pfm_cpu, pfm_cpu);
DEFINE_STATIC_KEY_FALSE(pfm_cpus_differ);

void pfm_registers_lost(void)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);

	WARN_ON_ONCE(!irqs_disabled());
	cpu->pmc_stamp = 0;
	cpu->pmd_stamp = pfm_cpu_take_stamp(cpu);
}
EXPORT_SYMBOL_GPL(pfm_registers_lost);

void pfm_cpu_init(void)
{
	int number;

	for_each_possible_cpu(number) {
		struct pfm_cpu *cpu = per_cpu_ptr(&pfm_cpu, number);

		cpu->sample.cpu = number;
		cpu->sample.values = cpu->values;
		cpu->next_stamp = number + 1;
		cpu->pmd_stamp = pfm_cpu_take_stamp(cpu);
	}
}
