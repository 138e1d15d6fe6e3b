// SPDX-License-Identifier: GPL-2.0-only
/* Statistics of each CPU, in debugfs, folder perfmon. */
#include <linux/cpumask.h>
#include <linux/debugfs.h>

#include "cpu.h"
#include "statistics.h"

DEFINE_STATIC_KEY_FALSE(pfm_timing);

static struct dentry *root;

/* @data: a field of the statistics of threads.  Contexts on CPUs have statistics of their own. */
static int get(void *data, u64 *value)
{
	/* The distance is the same on all CPUs. */
	const ptrdiff_t bound =
		(void *)per_cpu_ptr(pfm_cpu_bound, 0) - (void *)per_cpu_ptr(&pfm_cpu, 0);

	*value = *(u64 *)data + *(u64 *)(data + bound);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(operations, get, NULL, "%llu\n");

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
	debugfs_create_file_unsafe(#field, 0444, directory, &statistics->field,          \
				   &operations);
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

	for_each_possible_cpu(cpu) {
		per_cpu(pfm_cpu, cpu).statistics = (struct pfm_statistics){};
		per_cpu_ptr(pfm_cpu_bound, cpu)->statistics = (struct pfm_statistics){};
	}
}
