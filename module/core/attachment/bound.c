// SPDX-License-Identifier: GPL-2.0-only
/*
 * System-wide contexts, which are bound to a CPU.
 *
 * The user loads such a context on a CPU; the call may be made on any CPU.  Until the unload, the
 * context's registers are on the CPU that the context is bound to, and context->cpu does not
 * change.  So pfm_context_call() always finds the registers.  Thread switches do not affect the
 * context: the hooks of the scheduler ignore it.
 *
 * A CPU has at most one such context.  pfm_cpu_bound->context points to it; only that CPU
 * changes this pointer.  When the CPU goes offline, the context is unloaded there, and the user
 * gets a message.  The user can still read the values, and load the context again.
 *
 * A PMU may have registers that several CPUs share (scope.c).  A context of such a PMU is bound to
 * the CPU that owns the registers.  The context is stored in pmu->cpu_data of that CPU, not in
 * pfm_cpu_bound.  So a context for the CPU's own PMU can be loaded there at the same time.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/smp.h>

#include "base/error.h"
#include "claims/claim.h"
#include "claims/holder.h"
#include "counting/remote.h"
#include "counting/scope.h"
#include "counting/switch.h"
#include "bound.h"
#include "load.h"
#include "permission.h"

static atomic_t loaded;
static enum cpuhp_state hotplug_state;

unsigned int pfm_bound_count(void)
{
	return atomic_read(&loaded);
}

/*
 * Stop the context and remove it from this CPU.  Called with interrupts off and the context
 * lock held.  From now on, a context on a thread may use the registers, so the core forgets what
 * the registers contain.
 */
static void leave_here(struct pfm_context *context)
{
	pfm_switch_end(context);
	pfm_unclaim(context, NULL);
	pfm_registers_lost();
	pfm_load_end(context);
	atomic_dec(&loaded);
	/* This store comes last: see pfm_is_unloaded(). */
	smp_store_release(&context->state, PFM_STATE_UNLOADED);
}

struct bind_call {
	struct pfm_context *context;
	struct pfm_set *set;
	bool is_taken;
	struct pid *holder; /* if is_taken: the process that loaded the other context */
};

/*
 * Load the context on this CPU, unless another context is loaded here.  Called in an interrupt or
 * with interrupts off.
 */
static void bind_here(void *argument)
{
	struct bind_call *call = argument;
	struct pfm_context *context = call->context;
	struct pfm_cpu *cpu = this_cpu_ptr(context->cpus);

	call->is_taken = cpu->context;
	if (call->is_taken) {
		call->holder = get_pid(cpu->context->loader);
		return;
	}
	raw_spin_lock(&context->lock);
	pfm_registers_lost(); /* contexts on threads may have used the registers */
	pfm_cpu_forget(cpu);
	WRITE_ONCE(cpu->context, context); /* see pfm_holder_of_use() */
	WRITE_ONCE(context->cpu, smp_processor_id());
	atomic_inc(&loaded);
	pfm_load_begin(context, call->set);
	raw_spin_unlock(&context->lock);
}

/* Fail because process @holder has loaded a context on the CPU.  Drop the reference to @holder. */
static int taken(struct pfm_context *context, struct pid *holder)
{
	u32 number = pfm_holder_number(holder);

	put_pid(holder);
	return pfm_fail(context, -EEXIST, PFM_REASON_CPU_TAKEN, number);
}

/*
 * Load the context on CPU @number.  cpus_read_lock() blocks CPU hotplug, so the CPU cannot go
 * offline between the check and the load.
 */
static int bind(struct pfm_context *context, unsigned int number, struct pfm_set *set)
{
	struct bind_call call = { .context = context, .set = set };
	int owner, error;

	cpus_read_lock();
	owner = pfm_scope_owner(context->pmu, number);
	if (owner == number)
		error = smp_call_function_single(number, bind_here, &call, true);
	else
		error = -ENXIO; /* the owner has changed since find_owner() */
	cpus_read_unlock();
	if (owner == -ENOMEM)
		return pfm_fail(context, owner, PFM_REASON_MEMORY, 0);
	if (error)
		return pfm_fail(context, -ENODEV, PFM_REASON_CPU_OFFLINE, number);
	if (call.is_taken)
		return taken(context, call.holder);
	return 0;
}

static int check_cpu(struct pfm_context *context, u32 number)
{
	if (number >= nr_cpu_ids || !cpu_possible(number))
		return pfm_fail(context, -EINVAL, PFM_REASON_NO_CPU, number);
	if (!cpumask_test_cpu(number, &context->pmu->cpus))
		return pfm_fail(context, -EINVAL, PFM_REASON_FOREIGN_CPU, number);
	return 0;
}

/*
 * If CPU *@number shares the registers of the PMU with other CPUs, replace *@number by the number
 * of the CPU that owns the registers.
 */
static int find_owner(struct pfm_context *context, u32 *number)
{
	int owner;

	cpus_read_lock();
	owner = cpu_online(*number) ? pfm_scope_owner(context->pmu, *number) : -ENXIO;
	cpus_read_unlock();
	if (owner == -ENXIO)
		return pfm_fail(context, -ENODEV, PFM_REASON_CPU_OFFLINE, *number);
	if (owner == -ENOMEM)
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	if (owner < 0)
		return pfm_fail(context, -EINVAL, PFM_REASON_FOREIGN_CPU, *number);
	*number = owner;
	return 0;
}

int pfm_bound_load(struct pfm_context *context, u32 number, struct pfm_set *set)
{
	struct pfm_attachment *attachment = &context->attachment;
	int error = pfm_may_monitor_cpus(context) ?: check_cpu(context, number);
	unsigned long flags;

	if (error)
		return error;
	number = array_index_nospec(number, nr_cpu_ids);
	error = find_owner(context, &number);
	if (error)
		return error;
	attachment->cpu = number;
	attachment->sees_kernel = perfmon_capable() && !context->user_level;
	error = pfm_claim(context, NULL);
	if (error)
		return error;
	error = bind(context, number, set);
	if (error) {
		local_irq_save(flags);
		pfm_unclaim(context, NULL);
		local_irq_restore(flags);
	}
	return error;
}

static void unload_here(struct pfm_context *context, void *unused)
{
	if (context->state != PFM_STATE_UNLOADED)
		leave_here(context);
}

void pfm_bound_unload(struct pfm_context *context)
{
	pfm_context_call(context, unload_here, NULL);
}

/* ---- a CPU goes offline ------------------------------------------------------------------- */

static void leave_and_tell(struct pfm_context *context)
{
	const struct pfarg_ovfl_msg end = { .msg_type = PFM_MSG_END };

	raw_spin_lock(&context->lock);
	leave_here(context);
	pfm_queue_post(&context->queue, &end);
	irq_work_queue(&context->notification);
	raw_spin_unlock(&context->lock);
}

static void end_context(struct pfm_cpu *cpu)
{
	if (cpu->context)
		leave_and_tell(cpu->context);
}

/*
 * If this CPU is going offline, unload the contexts that are bound to it.  PMU modules call this
 * function in their hotplug callbacks.  Such a callback also runs when a PMU module releases the
 * hardware while the CPU is active.  At that time the contexts that are bound to the CPU use only
 * virtual PMDs, so these contexts stay loaded.
 */
void pfm_cpu_goes_offline(void)
{
	unsigned long flags;

	local_irq_save(flags);
	if (!cpu_active(smp_processor_id())) {
		end_context(this_cpu_ptr(pfm_cpu_bound));
		pfm_scope_for_each_here(end_context);
	}
	local_irq_restore(flags);
}
EXPORT_SYMBOL_GPL(pfm_cpu_goes_offline);

static int goes_offline(unsigned int number)
{
	pfm_cpu_goes_offline();
	return 0;
}

int pfm_bound_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perfmon:online", NULL,
					      goes_offline);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

void pfm_bound_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}
