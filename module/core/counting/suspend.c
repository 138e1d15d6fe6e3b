// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend to RAM, and hibernation: all CPUs are offline except the one that suspends the machine.
 * This CPU loses the values of its registers.  The thread that suspends the machine may be
 * monitored, and the CPU may have a system-wide context.
 */
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <perfmon_pmu.h>

#include "context.h"
#include "cpu.h"
#include "switch.h"

static void call(const struct pfm_pmu *pmu, struct pfm_cpu *cpu,
		 void (*function)(struct pfm_context *context))
{
	struct pfm_context *context = cpu->context;

	if (!context || context->pmu != pmu)
		return;
	raw_spin_lock(&context->lock);
	function(context);
	raw_spin_unlock(&context->lock);
}

/* Call @function for each context that uses @pmu and is on this CPU. */
static void call_each(const struct pfm_pmu *pmu,
		      void (*function)(struct pfm_context *context))
{
	WARN_ON_ONCE(!irqs_disabled());
	call(pmu, this_cpu_ptr(&pfm_cpu), function);
	call(pmu, this_cpu_ptr(pfm_cpu_bound), function);
	if (pmu->cpu_data)
		call(pmu, this_cpu_ptr(pmu->cpu_data), function);
}

/*
 * pfm_pause() may find an overflow and queue an irq_work that sends the notification.  The suspend
 * may reset the CPU.  Then the interrupt for this work is lost, and the work stays in the queue.
 * Later work raises no interrupt either, because the kernel raises an interrupt only when it adds
 * work to an empty queue.  So this function runs the work.
 */
void pfm_cpu_pause(const struct pfm_pmu *pmu)
{
	call_each(pmu, pfm_pause);
	irq_work_run();
}
EXPORT_SYMBOL_GPL(pfm_cpu_pause);

void pfm_cpu_resume(const struct pfm_pmu *pmu)
{
	pfm_registers_lost();
	if (pmu->cpu_data)
		pfm_cpu_forget(this_cpu_ptr(pmu->cpu_data));
	call_each(pmu, pfm_resume);
}
EXPORT_SYMBOL_GPL(pfm_cpu_resume);
