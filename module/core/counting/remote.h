/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_REMOTE_H
#define PERFMON_CORE_REMOTE_H

#include <linux/smp.h>

#include "context.h"

typedef void (*pfm_context_fn)(struct pfm_context *context, void *argument);

/* Called only by pfm_context_call(). */
void pfm_context_call_elsewhere(struct pfm_context *context, pfm_context_fn function,
				void *argument);

/*
 * The caller holds the context's lock.  Return: true if the registers are in memory or on this CPU.
 */
static inline bool pfm_is_here(const struct pfm_context *context)
{
	lockdep_assert_held(&context->lock);
	return context->cpu == PFM_NO_CPU || context->cpu == smp_processor_id();
}

/**
 * pfm_context_call() - call a function on the CPU that has the registers of a context
 * @context: the context; its mutex is held
 * @function: called with the context's lock held and interrupts off, on the CPU that has the
 *	registers, or on this CPU if the registers are in memory
 * @argument: passed to @function
 *
 * The thread is not stopped.  If it migrates before @function is called, the call is sent to its
 * new CPU.
 */
static __always_inline void pfm_context_call(struct pfm_context *context,
					     pfm_context_fn function, void *argument)
{
	unsigned long flags;
	bool here;

	raw_spin_lock_irqsave(&context->lock, flags);
	here = pfm_is_here(context);
	if (likely(here))
		function(context, argument);
	raw_spin_unlock_irqrestore(&context->lock, flags);
	if (unlikely(!here))
		pfm_context_call_elsewhere(context, function, argument);
}

#endif
