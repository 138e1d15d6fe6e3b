// SPDX-License-Identifier: GPL-2.0-only
/* Call functions on the CPU that has the registers of a context. */
#include <linux/sched.h>
#include <linux/smp.h>

#include "remote.h"

struct call {
	struct pfm_context *context;
	pfm_context_fn function;
	void *argument;
	bool done;
};

/*
 * Runs with interrupts off.  If the registers are on another CPU by now, call->done stays false.
 */
static void call_from_interrupt(void *argument)
{
	struct call *call = argument;

	raw_spin_lock(&call->context->lock);
	if (pfm_is_here(call->context)) {
		call->function(call->context, call->argument);
		call->done = true;
	}
	raw_spin_unlock(&call->context->lock);
}

void pfm_context_call_elsewhere(struct pfm_context *context, pfm_context_fn function,
				void *argument)
{
	struct call call = {
		.context = context,
		.function = function,
		.argument = argument,
	};

	while (!call.done) {
		int cpu = READ_ONCE(context->cpu);

		if (cpu == PFM_NO_CPU)
			cpu = raw_smp_processor_id();
		/*
		 * If the CPU has gone offline, this call fails.  The threads of that CPU have
		 * migrated, so the next attempt goes to another CPU.
		 */
		smp_call_function_single(cpu, call_from_interrupt, &call, true);
		cond_resched();
	}
}
