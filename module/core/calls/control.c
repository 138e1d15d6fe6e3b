// SPDX-License-Identifier: GPL-2.0-only
/* The calls that control a loaded context: start, stop, restart. */
#include <linux/cpu.h>
#include <linux/nospec.h>
#include <linux/smp.h>

#include "base/block.h"
#include "base/error.h"
#include "counting/clock.h"
#include "counting/cpu.h"
#include "counting/instances.h"
#include "counting/outcome.h"
#include "counting/remote.h"
#include "counting/reset.h"
#include "counting/set_switch.h"
#include "counting/switch.h"
#include "control.h"
#include "copies.h"

/* Fail because the context is not loaded.  It may have been unloaded when its thread ended. */
static int unloaded(struct pfm_context *context)
{
	return pfm_fail(context, -EINVAL, PFM_REASON_UNLOADED, 0);
}

struct start_call {
	struct pfm_set *set; /* NULL: the active set */
	bool loaded;
};

static __always_inline void start_here(struct pfm_context *context, void *argument)
{
	struct start_call *call = argument;

	call->loaded = context->state != PFM_STATE_UNLOADED;
	if (!call->loaded)
		return;
	pfm_pause(context); /* so that no overflow masks monitoring during the start */
	if (call->set) {
		pfm_monitoring_end(context);
		context->switch_due = false;
		pfm_set_activate(context, call->set, true);
	}
	context->started = true;
	if (context->state == PFM_STATE_LOADED)
		pfm_monitoring_begin(context);
	pfm_resume(context);
}

static void start_copy(struct pfm_context *copy, void *argument)
{
	const struct start_call *call = argument;
	struct start_call own = {
		.set = call->set ? pfm_copies_set(copy, call->set->id) : NULL,
	};

	start_here(copy, &own);
}

static noinline int start_with_copies(struct pfm_context *context,
				      struct start_call *call)
{
	bool has_copies = pfm_copies_start(context->copies, true);

	pfm_context_call(context, start_here, call);
	if (has_copies)
		pfm_copies_call(context->copies, start_copy, call);
	return call->loaded || has_copies ? 0 : unloaded(context);
}

int pfm_start(struct pfm_context *context, const struct pfarg_start *start)
{
	struct start_call call = {};

	if (start) {
		call.set = pfm_set_find(context, start->start_set);
		if (!call.set)
			return pfm_fail(context, -EINVAL, PFM_REASON_NO_SET,
					start->start_set);
	}
	if (unlikely(context->copies))
		return start_with_copies(context, &call);
	pfm_context_call(context, start_here, &call);
	return call.loaded ? 0 : unloaded(context);
}

static __always_inline void stop_here(struct pfm_context *context, void *argument)
{
	bool *loaded = argument;

	*loaded = context->state != PFM_STATE_UNLOADED;
	pfm_monitoring_end(context);
	context->started = false;
}

static noinline int stop_with_copies(struct pfm_context *context)
{
	bool has_copies = pfm_copies_start(context->copies, false), loaded, ignored;

	pfm_context_call(context, stop_here, &loaded);
	if (has_copies)
		pfm_copies_call(context->copies, stop_here, &ignored);
	return loaded || has_copies ? 0 : unloaded(context);
}

int pfm_stop(struct pfm_context *context)
{
	bool loaded;

	if (unlikely(context->copies))
		return stop_with_copies(context);
	pfm_context_call(context, stop_here, &loaded);
	return loaded ? 0 : unloaded(context);
}

/* ---- restart after a notification ----------------------------------------------------- */

struct restart_call {
	enum pfm_reason refused; /* PFM_REASON_NONE: not refused */
};

/* Return: whether docs/interface.md 1.12 allows a restart now. */
static bool may_restart(const struct pfm_context *context)
{
	const struct pfm_format *format = context->format;

	if (context->instances)
		return false; /* see pfm_restart_cpu() */
	if (context->state == PFM_STATE_LOADED && !(format && format->restart))
		return false;
	return context->credit > 0 || (format && format->flags & PFM_FORMAT_CONTINUOUS);
}

/* Return: PFM_CONTROL_*, or a negative errno. */
static int ask_format(struct pfm_context *context)
{
	const struct pfm_format *format = context->format;

	if (!format || !format->restart)
		return PFM_CONTROL_RESET;
	return format->restart(&context->instance, context->state == PFM_STATE_LOADED);
}

static void go_on(struct pfm_context *context, int control)
{
	const bool unmasks =
		pfm_restart_unmasks(context->state == PFM_STATE_MASKED, control);
	enum pfm_outcome outcome = pfm_outcome_of_restart(context, unmasks, control);
	struct pfm_set *set = context->active;

	set->overflowed[0] = 0;
	if (outcome == PFM_OUTCOME_SWITCH) {
		context->switch_due = false;
		pfm_set_switch(context, true, pfm_clock());
	} else if (outcome == PFM_OUTCOME_RESET) {
		pfm_reset_in_memory(context, set, true);
		this_cpu_inc(pfm_cpu.statistics.reset_pmds_count);
	}
	if (!unmasks)
		return;
	context->state = PFM_STATE_LOADED;
	if (context->started)
		pfm_monitoring_begin(context);
}

static void restart_here(struct pfm_context *context, void *argument)
{
	struct restart_call *call = argument;
	int control;

	if (context->state == PFM_STATE_UNLOADED) {
		call->refused = PFM_REASON_UNLOADED;
		return;
	}
	pfm_pause(context); /* so that no overflow comes during the restart */
	control = may_restart(context) ? ask_format(context) : -EBUSY;
	if (control >= 0) {
		if (context->credit > 0)
			context->credit--;
		go_on(context, control);
		this_cpu_inc(pfm_cpu.statistics.pfm_restart_count);
	} else {
		call->refused = PFM_REASON_NOTHING_TO_RESTART;
	}
	pfm_resume(context);
}

int pfm_restart(struct pfm_context *context)
{
	struct restart_call call = {};

	pfm_context_call(context, restart_here, &call);
	if (call.refused)
		return pfm_fail(context, -EBUSY, call.refused, 0);
	if (context->attachment.block)
		pfm_block_release(context->attachment.block);
	return 0;
}

/* ---- restart of a CPU's buffer --------------------------------------------------------- */

struct restart_cpu_call {
	struct pfm_context *context; /* the parent of all copies */
	struct pfm_cpu_instance *on;
	bool done;
};

/*
 * Called with interrupts off, on the instance's CPU or while that CPU is offline.  No overflow
 * handler uses the instance during this call.
 */
static void hand_back(struct restart_cpu_call *call)
{
	const struct pfm_format *format = call->context->format;
	struct pfm_cpu_instance *on = call->on;
	int control;

	if (!format->restart || !(on->is_full || format->flags & PFM_FORMAT_CONTINUOUS))
		return;
	control = format->restart(&on->instance, !on->is_full);
	call->done = control >= 0;
	if (call->done && pfm_restart_unmasks(on->is_full, control))
		on->is_full = false;
}

/*
 * Called in an interrupt on the instance's CPU.  The context, or a copy of it, may monitor the
 * thread that is running on this CPU.
 */
static void hand_back_here(void *argument)
{
	struct restart_cpu_call *call = argument;
	struct pfm_context *running = this_cpu_ptr(&pfm_cpu)->context;

	if (!running || running->instances != call->context->instances) {
		hand_back(call);
		return;
	}
	raw_spin_lock(&running->lock);
	pfm_pause(running); /* so that no overflow interrupt comes, not even an NMI */
	hand_back(call);
	pfm_resume(running);
	raw_spin_unlock(&running->lock);
}

/*
 * Call hand_back() on @cpu.  If @cpu is offline, call hand_back() on the current CPU.  This is
 * safe, because nothing runs on an offline CPU, and cpus_read_lock() keeps @cpu offline.
 */
static void hand_back_on(unsigned int cpu, struct restart_cpu_call *call)
{
	unsigned long flags;

	cpus_read_lock();
	if (cpu_online(cpu)) {
		smp_call_function_single(cpu, hand_back_here, call, true);
	} else {
		local_irq_save(flags);
		hand_back(call);
		local_irq_restore(flags);
	}
	cpus_read_unlock();
}

int pfm_restart_cpu(struct pfm_context *context, u32 cpu)
{
	struct pfm_instances *instances = context->instances;
	struct restart_cpu_call call = { .context = context };

	if (instances && cpu < instances->count)
		call.on = &instances->cpus[array_index_nospec(cpu, instances->count)];
	if (!call.on || !call.on->is_set_up)
		return pfm_fail(context, -EINVAL, PFM_REASON_NO_BUFFER, cpu);
	hand_back_on(cpu, &call);
	if (!call.done)
		return pfm_fail(context, -EBUSY, PFM_REASON_NOTHING_TO_RESTART, 0);
	this_cpu_inc(pfm_cpu.statistics.pfm_restart_count);
	return 0;
}
