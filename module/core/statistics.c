// SPDX-License-Identifier: GPL-2.0-only
/* Statistics of each CPU, in debugfs, folder perfmon. */
#include <linux/cpumask.h>
#include <linux/debugfs.h>

#include "cpu.h"
#include "statistics.h"

DEFINE_STATIC_KEY_FALSE(pfm_timing);

static struct dentry *root;

/* Without debugfs there are no statistics. */
void pfm_statistics_init(void)
{
	char name[sizeof("cpu2147483648")];
	int cpu;

	root = debugfs_create_dir("perfmon", NULL);
	for_each_possible_cpu(cpu) {
		struct pfm_statistics *statistics = &per_cpu(pfm_cpu, cpu).statistics;
		struct dentry *directory;

		snprintf(name, sizeof(name), "cpu%d", cpu);
		directory = debugfs_create_dir(name, root);
#define CREATE_FILE(field)                                                               \
	debugfs_create_u64(#field, 0444, directory, &statistics->field);
		PFM_STATISTICS(CREATE_FILE)
#undef CREATE_FILE
	}
}

void pfm_statistics_exit(void)
{
	debugfs_remove_recursive(root);
}

/* The reset may miss a count that its CPU changes at the same moment. */
void pfm_statistics_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(pfm_cpu, cpu).statistics = (struct pfm_statistics){};
}
