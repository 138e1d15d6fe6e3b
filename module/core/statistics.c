// SPDX-License-Identifier: GPL-2.0-only
/* Statistics of each CPU: in debugfs, folder perfmon, and for PFM_IOC_STATISTICS. */
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
		struct pfm_cpu_statistics *statistics = &per_cpu(pfm_cpu, cpu).statistics;
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
		per_cpu(pfm_cpu, cpu).statistics = (struct pfm_cpu_statistics){};
		per_cpu_ptr(pfm_cpu_bound, cpu)->statistics =
			(struct pfm_cpu_statistics){};
	}
}

/* The CPU may change its counts at the same time: each of them is right, their moments differ. */
static void add_counts(struct pfm_statistics *sum,
		       const struct pfm_cpu_statistics *counts)
{
	sum->interrupts += data_race(counts->ovfl_intr_regular_count);
	sum->spurious += data_race(counts->ovfl_intr_spurious_count);
	sum->timed_interrupts += data_race(counts->ovfl_intr_timed_count);
	sum->timed_ns += data_race(counts->ovfl_intr_timed_ns);
	sum->notifications += data_race(counts->ovfl_notify_count);
	sum->samples += data_race(counts->fmt_handler_calls);
	sum->lost += data_race(counts->fmt_lost_count);
	sum->throttled += data_race(counts->ovfl_throttle_count);
	sum->set_switches += data_race(counts->set_switch_count);
	sum->switches += data_race(counts->ctxswout_count);
	sum->copies += data_race(counts->copy_count);
	sum->not_followed += data_race(counts->not_followed_count);
	sum->foreign_runs += data_race(counts->foreign_cpu_count);
}

void pfm_statistics_of_cpu(unsigned int cpu, struct pfm_statistics *statistics)
{
	add_counts(statistics, &per_cpu(pfm_cpu, cpu).statistics);
	add_counts(statistics, &per_cpu_ptr(pfm_cpu_bound, cpu)->statistics);
}
