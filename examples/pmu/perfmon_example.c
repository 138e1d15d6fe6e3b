// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "example": two counters count the ticks of the CPU's time counter.  PMD n
 * counts if PMC n is 1.  Two virtual PMDs return what the kernel knows about a thread.  See
 * docs/writing-a-pmu-module.md.  No overflow interrupt is needed: at 4 GHz, a 48-bit counter wraps
 * once in 19 hours, and the core reads or stops the counters much more often.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timex.h>
#include "perfmon_pmu.h"

#define MASK pfm_width_mask(48)

/*
 * These variables simulate the hardware.  Operations run with interrupts off and access only data
 * of their own CPU, so no lock is needed.  The first three variables are bitmaps of counters.
 */
static DEFINE_PER_CPU(u64, selected);
static DEFINE_PER_CPU(u64, running);
static DEFINE_PER_CPU(u64, overflows);
static DEFINE_PER_CPU(u64[2], counters);
static DEFINE_PER_CPU(u64, since); /* time of the last start or update of counters[] */

/*
 * Write bit 0 of each PMC; all other bits are reserved.  A PMC that the set does not use has its
 * default value.  This function may write it, because only this module uses the registers.
 */
static void example_write_pmcs(const struct pfm_registers *set,
			       const struct pfm_registers *old)
{
	this_cpu_write(selected, set->pmcs[0] | set->pmcs[1] << 1);
}

static void example_write_pmds(struct pfm_registers *set, u64 pmds)
{
	u64 n, rest;

	pfm_for_each_bit(n, rest, pmds)
		this_cpu_write(counters[n], set->pmds[n] & MASK);
}

static void example_start(struct pfm_registers *set)
{
	this_cpu_write(running, set->counters & this_cpu_read(selected));
	this_cpu_write(since, get_cycles());
}

static u64 example_read(struct pfm_registers *set, u64 *values)
{
	u64 now = get_cycles(), ticks = now - this_cpu_read(since), n, rest;

	this_cpu_write(since, now);
	pfm_for_each_bit(n, rest, this_cpu_read(running)) {
		if (this_cpu_add_return(counters[n], ticks) > MASK)
			this_cpu_or(overflows, BIT_ULL(n));
		this_cpu_and(counters[n], MASK);
	}
	pfm_for_each_bit(n, rest, set->used_pmds[0])
		values[n] = pfm_pmd_merge(set->pmds[n], this_cpu_read(counters[n]), MASK);
	return this_cpu_read(overflows) & set->counters;
}

static u64 example_stop(struct pfm_registers *set)
{
	u64 wrapped = example_read(set, set->pmds);

	this_cpu_write(running, 0);
	return wrapped;
}

static void example_acknowledge(struct pfm_registers *set, u64 which)
{
	this_cpu_and(overflows, ~which);
}

static const struct pfm_pmu_operations example_operations = {
	.write_pmcs = example_write_pmcs,
	.write_pmds = example_write_pmds,
	.start = example_start,
	.stop = example_stop,
	.read = example_read,
	.acknowledge = example_acknowledge,
};

/*
 * The number of ticks reveals no more than the CPU times that /proc shows.  So a context that may
 * count only at user level may use these PMCs, although they cannot exclude the kernel level.
 */
#define TYPE PFM_REG_NO_LEVELS

static const struct pfm_register pmcs[] = {
	{ .name = "SELECT0", .type = TYPE, .reserved = ~1ull, .counters = BIT_ULL(0) },
	{ .name = "SELECT1", .type = TYPE, .reserved = ~1ull, .counters = BIT_ULL(1) },
};
static const struct pfm_register pmds[] = {
	{ .name = "COUNTER0", .type = PFM_REG_COUNTER, .width = 48 },
	{ .name = "COUNTER1", .type = PFM_REG_COUNTER, .width = 48 },
};

/* The core calls these functions to get the values of the virtual PMDs. */
static u64 user_time(const struct task_struct *task)
{
	return READ_ONCE(task->utime);
}

static u64 priority(const struct task_struct *task)
{
	return READ_ONCE(task->prio);
}

static const struct pfm_virtual_pmd virtuals[] = {
	{ .name = "USER_TIME", .read = user_time },
	{ .name = "PRIORITY", .is_state = true, .read = priority },
};

static struct pfm_pmu example_pmu = {
	.interface = PFM_PMU_INTERFACE,
	.name = "example",
	.model = "ticks of the CPU's time counter",
	.rank = PFM_RANK_SOFTWARE,
	.operations = &example_operations,
	.pmcs = pmcs,
	.pmds = pmds,
	.pmc_count = ARRAY_SIZE(pmcs),
	.pmd_count = ARRAY_SIZE(pmds),
	.virtuals = virtuals,
	.virtual_count = ARRAY_SIZE(virtuals),
};
module_driver(example_pmu, pfm_pmu_register, pfm_pmu_unregister);
/* Replace this pattern with that of your processors, such as "arm64:midr41?fd0c*". */
MODULE_ALIAS(PFM_PMU_ALIAS("none:....................."));
MODULE_DESCRIPTION("perfmon: example of a PMU description");
MODULE_LICENSE("GPL");
