// SPDX-License-Identifier: GPL-2.0-only
/* The context: creation, destruction and status. */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "attachment/attach.h"
#include "attachment/permission.h"
#include "base/error.h"
#include "base/limits.h"
#include "counting/instances.h"
#include "counting/remote.h"
#include "counting/virtual.h"
#include "registry/format.h"
#include "registry/pmu.h"
#include "context.h"
#include "copies.h"
#include "flags.h"
#include "format_setup.h"

/*
 * Wake readers and send SIGIO.  If the thread has to block, arrange that.  Runs as an irq_work, in
 * interrupt context, soon after a notification, or after an unload that has posted a message.
 */
static void notify(struct irq_work *work)
{
	struct pfm_context *context =
		container_of(work, struct pfm_context, notification);

	pfm_queue_wake(&context->queue);
	if (context->flags & PFM_FL_NOTIFY_BLOCK)
		pfm_block_thread(context);
}

struct pfm_context *pfm_context_alloc(void)
{
	struct pfm_context *context;

	context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	if (!context)
		return NULL;
	context->arguments = kzalloc(PFM_ARGUMENTS_SIZE, GFP_KERNEL_ACCOUNT);
	if (!context->arguments) {
		kfree(context);
		return NULL;
	}
	mutex_init(&context->mutex);
	raw_spin_lock_init(&context->lock);
	INIT_LIST_HEAD(&context->sets);
	xa_init_flags(&context->set_index, XA_FLAGS_ACCOUNT);
	pfm_queue_init(&context->queue);
	init_irq_work(&context->notification, notify);
	context->state = PFM_STATE_UNLOADED;
	context->cpu = PFM_NO_CPU;
	context->error.index = PFM_NO_INDEX;
	return context;
}

static int check_flags(struct pfm_context *context, const struct pfm_create *create)
{
	const u32 later = PFM_FL_MAP_SETS;
	const u32 known = PFM_CONTEXT_FLAGS | later;
	u32 flags = create->context.ctx_flags;

	if (flags & ~known)
		return pfm_fail(context, -EINVAL, PFM_REASON_FLAGS, flags & ~known);
	if ((flags & PFM_FL_NOTIFY_BLOCK) && (flags & PFM_FL_SYSTEM_WIDE))
		return pfm_fail(context, -EINVAL, PFM_REASON_FLAGS, flags);
	if (flags & PFM_INHERIT_FLAGS &&
	    flags & (PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE))
		return pfm_fail(context, -EINVAL, PFM_REASON_FLAGS, flags);
	if (flags & PFM_FL_KEEP_COUNTS && !(flags & PFM_INHERIT_FLAGS))
		return pfm_fail(context, -EINVAL, PFM_REASON_FLAGS, flags);
	if (flags & later)
		return pfm_fail(context, -EOPNOTSUPP, PFM_REASON_UNSUPPORTED, flags);
	return 0;
}

static unsigned int count_pmds(const struct pfm_pmu *pmu)
{
	unsigned int count = hweight64(pfm_virtual_pmds(pmu)), n;

	for (n = 0; n < pmu->pmd_count; n++)
		if (pmu->pmds[n].name)
			count++;
	return count;
}

/*
 * Check the size of the format's argument, and clear the fields that the program did not pass.  The
 * argument, if there is one, is in context->arguments.
 */
static int fit_argument(struct pfm_context *context, const struct pfm_create *create,
			const struct pfm_format *format)
{
	const u64 size = create->format_size;
	int error = size == format->argument_size ? 0 : -EINVAL;

	if (create->format_argument)
		error = pfm_format_fit_argument(format, context->arguments, size);
	if (error == -E2BIG)
		return pfm_fail(context, error, PFM_REASON_TAIL, format->argument_size);
	return error ? pfm_fail(context, error, PFM_REASON_FORMAT_SIZE, size) : 0;
}

static int use_format(struct pfm_context *context, const struct pfm_create *create,
		      const char *name)
{
	struct pfm_format_setup setup = {
		.argument = create->format_argument ? context->arguments : NULL,
		.context_flags = create->context.ctx_flags,
		.pmds = count_pmds(context->pmu),
	};
	const struct pfm_format *format = pfm_format_get(name);
	int error;

	if (PTR_ERR(format) == -ENOMEM)
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	if (IS_ERR(format))
		return pfm_fail(context, -EINVAL, PFM_REASON_NO_FORMAT, 0);
	error = fit_argument(context, create, format)
			?: pfm_format_begin(context, format, &setup);
	if (error)
		pfm_format_put(format);
	return error;
}

/*
 * Store the flags and the fields that depend on them.  A system-wide context needs the field
 * "creator", because the thread numbers in its samples are those of the creator's pid namespace.
 */
static void take_flags(struct pfm_context *context, u32 flags)
{
	context->flags = flags;
	if (!(flags & PFM_FL_SYSTEM_WIDE))
		return;
	context->creator = get_pid(task_tgid(current));
	context->cpus = context->pmu->cpu_data ?: pfm_cpu_bound;
	static_branch_inc(&pfm_bound_contexts);
}

static void forget_flags(struct pfm_context *context)
{
	if (pfm_is_bound(context))
		static_branch_dec(&pfm_bound_contexts);
	put_pid(context->creator);
	context->creator = NULL;
	context->flags = 0;
}

/*
 * Called when the context is unloaded and no call uses it.  The hooks may still look at it
 * under RCU.
 */
void pfm_context_free(struct pfm_context *context)
{
	/* Nobody posts messages any more.  Wait until the last notification is done. */
	irq_work_sync(&context->notification);
	pfm_format_end(context);
	if (context->pmu) {
		pfm_sets_free(context);
		if (unlikely(context->copies))
			pfm_copies_free(context->copies);
		pfm_user_put(context->user);
		pfm_pmu_put(context->pmu);
		forget_flags(context);
	}
	put_pid(context->loader);
	kfree(context->arguments);
	kfree_rcu(context, rcu);
}

/*
 * The creation has failed: free everything that it allocated, so that the user can try again with
 * this descriptor.
 */
static void undo_create(struct pfm_context *context)
{
	const struct pfm_pmu *pmu = context->pmu;

	pfm_sets_free(context);
	if (context->copies)
		pfm_copies_free(context->copies);
	context->copies = NULL;
	if (context->user)
		pfm_user_put(context->user);
	context->user = NULL;
	context->pmu = NULL;
	forget_flags(context);
	pfm_pmu_put(pmu);
}

/*
 * Fail if the context cannot use @pmu.  Registers that CPUs share are for system-wide contexts
 * only.  Such registers count at all levels.  So a context cannot use them if it may count only at
 * user level.
 */
static int check_scope(struct pfm_context *context, const struct pfm_pmu *pmu, u32 flags)
{
	if (!pmu->scope)
		return 0;
	if (!(flags & PFM_FL_SYSTEM_WIDE))
		return pfm_fail(context, -EINVAL, PFM_REASON_SHARED_PMU, 0);
	if (context->user_level)
		return pfm_fail(context, -EPERM, PFM_REASON_NO_LEVELS, 0);
	return 0;
}

/*
 * @name: name of a format, or NULL for none; the format's argument is in context->arguments.
 * @pmu_name: name of a PMU, or NULL for the default PMU.
 */
int pfm_context_create(struct pfm_context *context, const struct pfm_create *create,
		       const char *name, const char *pmu_name)
{
	struct pfarg_setdesc first_set = {};
	struct pfm_pmu *pmu;
	int error;

	if (context->pmu)
		return pfm_fail(context, -EBUSY, PFM_REASON_HAS_CONTEXT, 0);
	error = check_flags(context, create);
	if (error)
		return error;
	error = pfm_may_create(context);
	if (!error && create->context.ctx_flags & PFM_FL_SYSTEM_WIDE)
		error = pfm_may_monitor_cpus(context);
	if (error)
		return error;
	pmu = pfm_pmu_get(context, pmu_name);
	if (IS_ERR(pmu))
		return PTR_ERR(pmu);
	error = check_scope(context, pmu, create->context.ctx_flags);
	if (error) {
		pfm_pmu_put(pmu);
		return error;
	}

	context->pmu = pmu;
	take_flags(context, create->context.ctx_flags);
	context->user = pfm_user_of_caller();
	if (!context->user)
		error = pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	else
		error = pfm_copies_create(context)
				?: pfm_set_create(context, &first_set, &context->active);
	if (!error && name)
		error = use_format(context, create, name);
	if (error)
		undo_create(context);
	return error;
}

struct status_call {
	struct pfm_status *status;
	struct pid *target;
};

static void status_here(struct pfm_context *context, void *argument)
{
	struct status_call *call = argument;
	struct pfm_status *status = call->status;

	status->state = context->state;
	if (context->started)
		status->flags |= PFM_STATUS_STARTED;
	if (context->user_level)
		status->flags |= PFM_STATUS_USER_LEVEL;
	if (context->foreign_runs)
		status->flags |= PFM_STATUS_FOREIGN_CPU;
	if (context->closed)
		status->flags |= PFM_STATUS_CLOSED;
	status->foreign_runs = context->foreign_runs;
	status->active_set = context->active->id;
	if (pfm_is_bound(context) && status->state != PFM_STATE_UNLOADED)
		status->target = context->cpu;
	if (context->attachment.task)
		call->target = get_pid(task_pid(context->attachment.task));
}

void pfm_context_status(struct pfm_context *context, struct pfm_status *status)
{
	struct status_call call = { .status = status };

	*status = (struct pfm_status){};
	pfm_context_call(context, status_here, &call);
	if (call.target)
		status->target = pid_vnr(call.target);
	put_pid(call.target);
	pfm_copies_status(context, status);
	pfm_instances_status(context, status);
}
