// SPDX-License-Identifier: GPL-2.0-only
/* Statistics of each CPU, for the debugfs folder perfmon and for PFM_IOC_STATISTICS. */
#include <linux/cpumask.h>
#include <linux/debugfs.h>

#include "cpu.h"
#include "scope.h"
#include "statistics.h"

static struct dentry *root;

/*
 * A CPU has several statistics structures: one for its threads, one for its system-wide context,
 * and one for each PMU whose registers it shares with other CPUs.
 *
 * @field: a field of the CPU's statistics in pfm_cpu
 * @sum: the sum of this field over all statistics structures of this CPU
 */
struct field_sum {
	const void *field;
	u64 sum;
};

/*
 * Add the field of @cpus that corresponds to call->field.  Both @cpus and pfm_cpu are per-CPU data,
 * so the distance from pfm_cpu to @cpus in memory is the same on all CPUs.
 */
static void add_field(struct pfm_cpu __percpu *cpus, void *argument)
{
	const ptrdiff_t distance =
		(void *)per_cpu_ptr(cpus, 0) - (void *)per_cpu_ptr(&pfm_cpu, 0);
	struct field_sum *call = argument;

	call->sum += data_race(*(const u64 *)(call->field + distance));
}

/*
 * @data: a field of the CPU's statistics in pfm_cpu.  @value: set to the sum of this field over all
 * statistics structures of this CPU.
 */
static int get(void *data, u64 *value)
{
	struct field_sum call = { .field = data };

	add_field(&pfm_cpu, &call);
	add_field(pfm_cpu_bound, &call);
	pfm_scope_for_each(add_field, &call);
	*value = call.sum;
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(operations, get, NULL, "%llu\n");

/* Without debugfs there are no files, but PFM_IOC_STATISTICS still works. */
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

static void reset(struct pfm_cpu __percpu *cpus, void *unused)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(cpus, cpu)->statistics = (struct pfm_cpu_statistics){};
}

/* If a CPU increments a count during the reset, the count may keep its old value. */
void pfm_statistics_reset(void)
{
	reset(&pfm_cpu, NULL);
	reset(pfm_cpu_bound, NULL);
	pfm_scope_for_each(reset, NULL);
}

/*
 * The CPU may change its counts while they are read.  Each count is right, but the counts are not
 * read at the same moment.
 */
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

struct cpu_sum {
	unsigned int cpu;
	struct pfm_statistics *sum;
};

static void add_cpu(struct pfm_cpu __percpu *cpus, void *argument)
{
	struct cpu_sum *call = argument;

	add_counts(call->sum, &per_cpu_ptr(cpus, call->cpu)->statistics);
}

void pfm_statistics_of_cpu(unsigned int cpu, struct pfm_statistics *statistics)
{
	struct cpu_sum call = { .cpu = cpu, .sum = statistics };

	add_cpu(&pfm_cpu, &call);
	add_cpu(pfm_cpu_bound, &call);
	pfm_scope_for_each(add_cpu, &call);
}
