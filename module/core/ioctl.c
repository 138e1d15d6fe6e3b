// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls: one table, and all copying from and to user space.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "attach.h"
#include "compat/uaccess.h"
#include "context.h"
#include "ioctl.h"
#include "limits.h"
#include "pmu.h"
#include "registers.h"
#include "restart.h"
#include "sets.h"

static int copy_in(struct pfm_context *context, void *to, const void __user *from,
		   size_t size)
{
	if (unlikely(copy_from_user(to, from, size)))
		return pfm_fail(context, -EFAULT, PFM_REASON_FAULT, (uintptr_t)from);
	return 0;
}

static int copy_out(struct pfm_context *context, void __user *to, const void *from,
		    size_t size)
{
	if (unlikely(copy_to_user(to, from, size)))
		return pfm_fail(context, -EFAULT, PFM_REASON_FAULT, (uintptr_t)to);
	return 0;
}

/* A name that is too long is that of no format. */
static int copy_name(struct pfm_context *context, char *name, u64 address)
{
	long length =
		strncpy_from_user(name, u64_to_user_ptr(address), PFM_FORMAT_NAME_SIZE);

	if (length < 0)
		return pfm_fail(context, -EFAULT, PFM_REASON_FAULT, address);
	if (length == PFM_FORMAT_NAME_SIZE)
		return pfm_fail(context, -EINVAL, PFM_REASON_NO_FORMAT, 0);
	return 0;
}

/* No format takes more than a page. */
static int copy_format_argument(struct pfm_context *context,
				const struct pfm_create *create)
{
	if (create->format_size > PAGE_SIZE)
		return pfm_fail(context, -EINVAL, PFM_REASON_FORMAT_SIZE,
				create->format_size);
	if (!create->format_argument)
		return 0;
	return copy_in(context, context->arguments,
		       u64_to_user_ptr(create->format_argument), create->format_size);
}

static int ioctl_create_context(struct pfm_context *context, void __user *argument)
{
	char name[PFM_FORMAT_NAME_SIZE];
	struct pfm_create create;
	int error;

	error = copy_in(context, &create, argument, sizeof(create));
	if (!error && create.format_name)
		error = copy_name(context, name, create.format_name)
				?: copy_format_argument(context, &create);
	return error
		       ?: pfm_context_create(context, &create,
					     create.format_name ? name : NULL);
}

static int ioctl_load(struct pfm_context *context, void __user *argument)
{
	struct pfarg_load load;

	return copy_in(context, &load, argument, sizeof(load))
		       ?: pfm_load(context, &load);
}

static int ioctl_unload(struct pfm_context *context, void __user *argument)
{
	pfm_unload(context);
	return 0;
}

static int ioctl_start(struct pfm_context *context, void __user *argument)
{
	struct pfarg_start start;

	if (!argument)
		return pfm_start(context, NULL);
	return copy_in(context, &start, argument, sizeof(start))
		       ?: pfm_start(context, &start);
}

static int ioctl_stop(struct pfm_context *context, void __user *argument)
{
	return pfm_stop(context);
}

static int ioctl_restart(struct pfm_context *context, void __user *argument)
{
	return pfm_restart(context);
}

static int ioctl_info(struct pfm_context *context, void __user *argument)
{
	struct pfm_info info = {
		.version = PFM_VERSION,
		.features = PFM_FEATURE_PER_THREAD | PFM_FEATURE_EMUL64 |
			    PFM_FEATURE_VIRTUAL | PFM_FEATURE_SAMPLING | PFM_FEATURE_SETS,
		.arg_mem_max = READ_ONCE(pfm_limits.arg_mem_max),
		.message_queue_depth = PFM_QUEUE_DEPTH,
		.max_sets = READ_ONCE(pfm_limits.max_sets),
	};

	return pfm_pmu_info(context, &info)
		       ?: copy_out(context, argument, &info, sizeof(info));
}

static int ioctl_last_error(struct pfm_context *context, void __user *argument)
{
	/* A bad address is no reason to forget the failure that is asked for. */
	return copy_to_user(argument, &context->error, sizeof(context->error)) ? -EFAULT
									       : 0;
}

static int ioctl_status(struct pfm_context *context, void __user *argument)
{
	struct pfm_status status;

	pfm_context_status(context, &status);
	return copy_out(context, argument, &status, sizeof(status));
}

static __always_inline bool vector_copy(struct pfm_vector *vector,
					const struct pfm_vector __user *argument)
{
	if (!user_read_access_begin(argument, sizeof(*argument)))
		return false;
	unsafe_get_user(vector->address, &argument->address, fault);
	unsafe_get_user(vector->count, &argument->count, fault);
	unsafe_get_user(vector->reserved, &argument->reserved, fault);
	user_read_access_end();
	return true;

fault:
	user_read_access_end();
	return false;
}

/* In the order of docs/interface.md 1.5. */
static __always_inline int vector_get(struct pfm_context *context,
				      struct pfm_vector *vector,
				      const void __user *argument, size_t element_size)
{
	if (unlikely(!vector_copy(vector, argument)))
		return pfm_fail(context, -EFAULT, PFM_REASON_FAULT, (uintptr_t)argument);
	if (vector->count < 0 || vector->count >= INT_MAX / element_size)
		return pfm_fail(context, -EINVAL, PFM_REASON_COUNT, vector->count);
	if (vector->reserved)
		return pfm_fail(context, -EINVAL, PFM_REASON_RESERVED, vector->reserved);
	if (vector->count * element_size > READ_ONCE(pfm_limits.arg_mem_max))
		return pfm_fail(context, -E2BIG, PFM_REASON_TOO_LONG,
				vector->count * element_size);
	return 0;
}

/*
 * Reading is a hot path: no buffer for whole elements, only the few words of
 * each that matter.  A pfarg_pmd begins as a pfarg_pmr does.
 */
static_assert(offsetof(struct pfarg_pmd, reg_num) == offsetof(struct pfarg_pmr, reg_num));
static_assert(offsetof(struct pfarg_pmd, reg_set) == offsetof(struct pfarg_pmr, reg_set));
static_assert(offsetof(struct pfarg_pmd, reg_value) ==
	      offsetof(struct pfarg_pmr, reg_value));

union pmd_name {
	struct {
		u16 pmd;
		u16 set;
	};
	u32 both; /* as they lie in user memory */
};

/*
 * Elements from the bad one on keep what is in them.  Nothing may be called
 * between begin and end of the access.  Neighbours of the same set are of the same
 * moment.
 */
static __always_inline int read_vector(struct pfm_context *context, void __user *argument,
				       size_t element_size)
{
	struct pfm_snapshot *snapshot = context->arguments;
	const struct pfm_pmd_attributes *attributes;
	struct pfarg_pmd __user *pmd;
	struct pfm_vector vector;
	struct pfm_set *set;
	union pmd_name name;
	u16 set_id;
	int i = 0, error;

	error = vector_get(context, &vector, argument, element_size);
	if (unlikely(error || !vector.count))
		return error;
	pfm_snapshot(context, snapshot);
	pmd = u64_to_user_ptr(vector.address);

go_on:
	set = snapshot->set;
	set_id = set->id;
	if (unlikely(!user_access_begin(pmd, (vector.count - i) * element_size)))
		goto no_access;
	for (; i < vector.count; i++) {
		unsafe_get_user(name.both, (const u32 __user *)pmd, fault);
		if (unlikely(name.set != set_id))
			goto other_set;
		if (unlikely(!pfm_pmd_used(set, name.pmd)))
			goto bad;
		unsafe_put_user(snapshot->values[name.pmd], &pmd->reg_value, fault);
		if (element_size == sizeof(*pmd)) {
			attributes = pfm_attributes(set, name.pmd);
			unsafe_put_user(attributes->last_reset, &pmd->reg_last_reset_val,
					fault);
			unsafe_put_user(attributes->switch_remaining,
					&pmd->reg_ovfl_switch_cnt, fault);
		}
		pmd = (void __user *)pmd + element_size;
	}
	user_access_end();
	return 0;

other_set:
	user_access_end();
	set = pfm_set_find(context, name.set);
	if (!set)
		return pfm_unreadable(context, i, name.set, name.pmd);
	pfm_snapshot_set(context, set, snapshot);
	goto go_on;
bad:
	user_access_end();
	return pfm_unreadable(context, i, name.set, name.pmd);
fault:
	user_access_end();
no_access:
	return pfm_fail(context, -EFAULT, PFM_REASON_FAULT, (uintptr_t)pmd);
}

static int ioctl_read_pmds(struct pfm_context *context, void __user *argument)
{
	return read_vector(context, argument, sizeof(struct pfarg_pmd));
}

static int ioctl_read(struct pfm_context *context, void __user *argument)
{
	return read_vector(context, argument, sizeof(struct pfarg_pmr));
}

/* The elements of any other vector, and their copy here. */
struct elements {
	void __user *user;
	void *copy;
	size_t size;
	u32 count;
};

static int elements_get(struct pfm_context *context, struct elements *elements,
			const void __user *argument, size_t element_size)
{
	struct pfm_vector vector;

	int error = vector_get(context, &vector, argument, element_size);

	if (error)
		return error;
	elements->user = u64_to_user_ptr(vector.address);
	elements->count = vector.count;
	elements->size = vector.count * element_size;

	elements->copy = context->arguments;
	if (elements->size > PAGE_SIZE)
		elements->copy =
			kvmalloc(elements->size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!elements->copy)
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, elements->size);
	if (copy_in(context, elements->copy, elements->user, elements->size)) {
		if (elements->size > PAGE_SIZE)
			kvfree(elements->copy);
		return -EFAULT;
	}
	return 0;
}

/* @error is what the call said; the elements go back whatever that is. */
static int elements_put(struct pfm_context *context, struct elements *elements,
			bool copy_back, int error)
{
	if (copy_back &&
	    copy_out(context, elements->user, elements->copy, elements->size))
		error = -EFAULT;
	if (elements->size > PAGE_SIZE)
		kvfree(elements->copy);
	return error;
}

#define VECTOR_CALL(call, type, copy_back)                                               \
	static int ioctl_##call(struct pfm_context *context, void __user *argument)      \
	{                                                                                \
		struct elements elements;                                                \
		int error;                                                               \
                                                                                         \
		error = elements_get(context, &elements, argument, sizeof(type));        \
		if (error)                                                               \
			return error;                                                    \
		error = pfm_##call(context, elements.copy, elements.count);              \
		return elements_put(context, &elements, copy_back, error);               \
	}

VECTOR_CALL(write_pmcs, struct pfarg_pmc, false)
VECTOR_CALL(write_pmds, struct pfarg_pmd, false)
VECTOR_CALL(create_evtsets, struct pfarg_setdesc, true)
VECTOR_CALL(getinfo_evtsets, struct pfarg_setinfo, true)
VECTOR_CALL(delete_evtsets, struct pfarg_setdesc, false)

struct operation {
	unsigned int command;
	bool needs_context;
	int (*call)(struct pfm_context *context, void __user *argument);
};

#define OPERATION(name, call, needs_context)                                             \
	[_IOC_NR(PFM_IOC_##name)] = { PFM_IOC_##name, needs_context, ioctl_##call }

static const struct operation operations[] = {
	OPERATION(CREATE_CONTEXT, create_context, false),
	OPERATION(WRITE_PMCS, write_pmcs, true),
	OPERATION(WRITE_PMDS, write_pmds, true),
	OPERATION(READ_PMDS, read_pmds, true),
	OPERATION(LOAD, load, true),
	OPERATION(START, start, true),
	OPERATION(STOP, stop, true),
	OPERATION(RESTART, restart, true),
	OPERATION(CREATE_EVTSETS, create_evtsets, true),
	OPERATION(GETINFO_EVTSETS, getinfo_evtsets, true),
	OPERATION(DELETE_EVTSETS, delete_evtsets, true),
	OPERATION(UNLOAD, unload, true),
	OPERATION(INFO, info, false),
	OPERATION(LAST_ERROR, last_error, false),
	OPERATION(STATUS, status, true),
	OPERATION(READ, read, true),
};

/* What pfm_fail() could not know. */
static void note_failure(struct pfm_context *context, unsigned int number, int error)
{
	context->error.operation = number;
	context->error.error = -error;
	if (READ_ONCE(pfm_limits.debug) & PFM_DEBUG_CALLS)
		pr_info("perfmon: %s[%d]: call %u: error %d, reason %u, index %d\n",
			current->comm, task_pid_nr(current), number, error,
			context->error.reason, (int)context->error.index);
}

long pfm_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct pfm_context *context = file->private_data;
	const struct operation *operation;
	int error;

	if (_IOC_NR(command) >= ARRAY_SIZE(operations))
		return -ENOTTY;
	operation =
		&operations[array_index_nospec(_IOC_NR(command), ARRAY_SIZE(operations))];
	if (operation->command != command)
		return -ENOTTY;

	/* mutex_lock_killable() would first look whether to reschedule. */
	if (unlikely(!mutex_trylock(&context->mutex)) &&
	    mutex_lock_killable(&context->mutex))
		return -EINTR; /* which nobody sees */
	if (unlikely(operation->needs_context && !context->pmu))
		error = pfm_fail(context, -EINVAL, PFM_REASON_NO_CONTEXT, 0);
	else
		error = operation->call(context, (void __user *)argument);
	if (unlikely(error) && command != PFM_IOC_LAST_ERROR)
		note_failure(context, _IOC_NR(command), error);
	mutex_unlock(&context->mutex);
	return error;
}
