// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armv8, for tests: gives access to the data of perf's driver for the PMU. Parameters of this
 * module show how many counters the driver marks as used. Other parameters change which CPUs the
 * driver supports, and put another function in the place of the driver's interrupt handler.
 */
#include <asm/sysreg.h>
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "pmu/perf_pmus.h"

#define EVENT_CPU_CYCLES 0x11
#define USERENR_CR	 BIT(2) /* the cycle counter may be read */
#define USERENR_ER	 BIT(3) /* event counters may be read */

static struct arm_pmu *arm_pmu;

/* Shows how many counters are marked as used but have no event, on all CPUs together. */
static int get_holes(char *text, const struct kernel_param *unused)
{
	unsigned int holes = 0, cpu, n;

	for_each_possible_cpu(cpu) {
		const struct pmu_hw_events *notes = per_cpu_ptr(arm_pmu->hw_events, cpu);

		for_each_set_bit(n, notes->used_mask, ARMPMU_MAX_HWEVENTS)
			holes += !READ_ONCE(notes->events[n]);
	}
	return sprintf(text, "%u\n", holes);
}

static const struct kernel_param_ops holes_ops = { .get = get_holes };
module_param_cb(holes, &holes_ops, NULL, 0400);

/* Shows how many counters are marked as used, on all CPUs together. */
static int get_used(char *text, const struct kernel_param *unused)
{
	unsigned int used = 0, cpu;

	for_each_possible_cpu(cpu)
		used += bitmap_weight(per_cpu_ptr(arm_pmu->hw_events, cpu)->used_mask,
				      ARMPMU_MAX_HWEVENTS);
	return sprintf(text, "%u\n", used);
}

static const struct kernel_param_ops used_ops = { .get = get_used };
module_param_cb(used, &used_ops, NULL, 0400);

/*
 * Adds CPU 1 to the CPUs that the driver supports, or removes it. This imitates a machine with
 * ACPI, where the driver supports a CPU only after this CPU has been online.
 */
static int set_knows_cpu_1(const char *text, const struct kernel_param *unused)
{
	bool knows;
	int error = kstrtobool(text, &knows);

	if (!error)
		assign_bit(1, cpumask_bits(&arm_pmu->supported_cpus), knows);
	return error;
}

static const struct kernel_param_ops knows_ops = { .set = set_knows_cpu_1 };
module_param_cb(knows_cpu_1, &knows_ops, NULL, 0200);

/*
 * Lets programs read the counters of this CPU at user level. perf leaves a CPU in this state when
 * the last event with user access has been closed.
 */
static int open_user_access(const char *text, const struct kernel_param *unused)
{
	write_sysreg(USERENR_ER | USERENR_CR, pmuserenr_el0);
	return 0;
}

static const struct kernel_param_ops user_access_ops = { .set = open_user_access };
module_param_cb(user_access, &user_access_ops, NULL, 0200);

/* ---- replace the handler, as another module could do -------------------------------------- */

static irqreturn_t (*handler)(struct arm_pmu *pmu);
static atomic_t interrupts = ATOMIC_INIT(0);

static irqreturn_t count_interrupts(struct arm_pmu *pmu)
{
	atomic_inc(&interrupts);
	return handler(pmu);
}

static void interpose(void)
{
	handler = arm_pmu->handle_irq;
	smp_store_release(&arm_pmu->handle_irq, count_interrupts);
}

static void restore(void)
{
	WRITE_ONCE(arm_pmu->handle_irq, handler);
	synchronize_rcu(); /* waits until no CPU runs our handler, which never sleeps */
	handler = NULL;
}

static int set_interposed(const char *text, const struct kernel_param *unused)
{
	bool is_wanted;
	int error = kstrtobool(text, &is_wanted);

	if (error || is_wanted == !!handler)
		return error;
	if (is_wanted)
		interpose();
	else
		restore();
	return 0;
}

static const struct kernel_param_ops interposed_ops = { .set = set_interposed };
module_param_cb(interposed, &interposed_ops, NULL, 0200);

static int get_interrupts(char *text, const struct kernel_param *unused)
{
	return sprintf(text, "%d\n", atomic_read(&interrupts));
}

static const struct kernel_param_ops interrupts_ops = { .get = get_interrupts };
module_param_cb(interrupts, &interrupts_ops, NULL, 0400);

static int __init arm_perf_init(void)
{
	struct perf_event *event = perf_idle_event(0, PERF_TYPE_RAW, EVENT_CPU_CYCLES);

	if (IS_ERR(event))
		return PTR_ERR(event);
	arm_pmu = to_arm_pmu(event->pmu);
	perf_event_release_kernel(event);
	return 0;
}

static void __exit arm_perf_exit(void)
{
	if (handler)
		restore();
}

module_init(arm_perf_init);
module_exit(arm_perf_exit);

MODULE_DESCRIPTION("perfmon: access to the data of perf's Armv8 driver, for tests");
MODULE_LICENSE("GPL");
