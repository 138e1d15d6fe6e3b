// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arm PMUv3: exclude an interrupt from perf's measurements if only our counters raised it.
 *
 * perf_event measures how long its function handle_irq takes.  It compares the average with the
 * time between two samples at the maximum rate (sysctl kernel.perf_event_max_sample_rate).  If the
 * average exceeds kernel.perf_cpu_time_max_percent percent of this time, perf lowers the maximum
 * rate permanently, for all users.  Our overflows must not lower perf's rate, because the core
 * itself throttles our contexts.  So if only our counters overflowed, their interrupt bypasses the
 * measurement.  To do this, we put our own handler in front of the interrupt handler that the
 * driver has requested.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/percpu.h>

#include "armv8.h"
#include "compat/arm_pmu.h"

/*
 * For each CPU, the struct irqaction whose handler we have replaced.  If the interrupt is a PPI,
 * all CPUs have the same struct irqaction.
 */
static DEFINE_PER_CPU(struct irqaction *, interposed_action);
static irq_handler_t perfs_handler;

/*
 * Called instead of the driver's handler, perhaps in an NMI.  @device points to a pointer to the
 * arm_pmu.
 */
static irqreturn_t dispatch(int irq, void *device)
{
	struct arm_pmu *pmu = *(struct arm_pmu **)device;

	if (pmu && armv8_interrupt_is_ours(pmu))
		return pmu->handle_irq(pmu);
	return perfs_handler(irq, device);
}

static bool is_of(const struct irqaction *action, const struct arm_pmu *pmu,
		  unsigned int cpu)
{
	struct arm_pmu **device = action->percpu_dev_id
					  ? per_cpu_ptr(action->percpu_dev_id, cpu)
					  : action->dev_id;

	return *device == pmu;
}

/*
 * Return: the driver's struct irqaction; NULL if it is not found.  In that case the driver's
 * handler stays in place, so our interrupts do not bypass perf's measurement.
 */
static struct irqaction *find_action(const struct arm_pmu *pmu, unsigned int cpu)
{
	struct irq_data *data = irq_get_irq_data(per_cpu_ptr(pmu->hw_events, cpu)->irq);
	struct irqaction *action;

	if (!data)
		return NULL;
	action = container_of(data, struct irq_desc, irq_data)->action;
	while (action && !is_of(action, pmu, cpu))
		action = action->next;
	return action;
}

/**
 * armv8_interrupt_interpose() - let our interrupts bypass perf's measurement
 * @pmu: the PMU; its handle_irq has already been interposed
 *
 * Process context; hotplug held off.
 */
void armv8_interrupt_interpose(const struct arm_pmu *pmu)
{
	struct irqaction *action;
	unsigned int cpu;

	for_each_cpu_and(cpu, &pmu->supported_cpus, cpu_online_mask) {
		if (per_cpu(interposed_action, cpu))
			continue;
		action = find_action(pmu, cpu);
		if (!action)
			continue;
		if (!perfs_handler)
			perfs_handler = action->handler;
		if (action->handler == perfs_handler)
			smp_store_release(&action->handler, dispatch);
		if (action->handler == dispatch)
			per_cpu(interposed_action, cpu) = action;
	}
}

/**
 * armv8_interrupt_restore() - undo armv8_interrupt_interpose()
 *
 * Process context; hotplug held off.
 *
 * Return: true if all of perf's handlers are restored, false if another module has replaced our
 * handler
 */
bool armv8_interrupt_restore(void)
{
	struct irqaction *action;
	irq_handler_t handler;
	unsigned int cpu;
	bool all = true;

	for_each_possible_cpu(cpu) {
		action = per_cpu(interposed_action, cpu);
		if (!action)
			continue;
		handler = cmpxchg(&action->handler, dispatch, perfs_handler);
		if (handler == dispatch || handler == perfs_handler)
			per_cpu(interposed_action, cpu) = NULL;
		else
			all = false;
	}
	return all;
}
