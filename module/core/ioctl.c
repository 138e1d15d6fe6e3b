// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of calls, and all copying from and to user space.
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
#include "control.h"
#include "error.h"
#include "flags.h"
#include "ioctl.h"
#include "limits.h"
#include "pmu.h"
#include "registers.h"
#include "sets.h"

/*
 * The caller's structure; its size is part of the ioctl command.  The structure may be of a
 * later version than the one known here, see "How it grows" in perfmon_ioctl.h.  It is not
 * shorter than the first version: dispatch() has checked that.
 */
struct argument {
	void __user *address;
	size_t size;
};

static int fault(struct pfm_context *context, const void __user *address)
{
	return pfm_fail(context, -EFAULT, PFM_REASON_FAULT, (uintptr_t)address);
}

/* Copy in a structure of another version. */
static noinline int copy_in_other(struct pfm_context *context, void *to, size_t known,
				  struct argument from)
{
	int error = copy_struct_from_user(to, known, from.address, from.size);

	if (error == -E2BIG)
		return pfm_fail(context, error, PFM_REASON_TAIL, known);
	return error ? fault(context, from.address) : 0;
}

/* If @known is a constant at compile time, copy_from_user() skips its check of the size. */
static __always_inline int copy_in(struct pfm_context *context, void *to, size_t known,
				   struct argument from)
{
	if (unlikely(from.size != known))
		return copy_in_other(context, to, known, from);
	return unlikely(copy_from_user(to, from.address, known))
		       ? fault(context, from.address)
		       : 0;
}

/* Copy out a structure, of any version.  Return: false on a fault. */
static bool give(struct argument to, const void *from, size_t known)
{
	size_t size = min(to.size, known);

	return !copy_to_user(to.address, from, size) &&
	       !clear_user(to.address + size, to.size - size);
}

static int copy_out(struct pfm_context *context, struct argument to, const void *from,
		    size_t known)
{
	return give(to, from, known) ? 0 : fault(context, to.address);
}

static int must_be_zero(struct pfm_context *context, u64 reserved)
{
	return likely(!reserved)
		       ? 0
		       : pfm_fail(context, -EINVAL, PFM_REASON_RESERVED, reserved);
}

/*
 * No PMU or format has a name of @size bytes or more.  For such a name the result is @error, and
 * the reason is @too_long.
 */
static int copy_name(struct pfm_context *context, char *name, size_t size, u64 address,
		     int error, enum pfm_reason too_long)
{
	long length = strncpy_from_user(name, u64_to_user_ptr(address), size);

	if (length < 0)
		return pfm_fail(context, -EFAULT, PFM_REASON_FAULT, address);
	return length == size ? pfm_fail(context, error, too_long, 0) : 0;
}

static int copy_pmu_name(struct pfm_context *context, char *name, u64 address)
{
	return address ? copy_name(context, name, PFM_PMU_NAME_SIZE, address, -ENOSYS,
				   PFM_REASON_NO_PMU)
		       : 0;
}

/* No format accepts an argument of more than PFM_ARGUMENTS_SIZE bytes. */
static int copy_format_argument(struct pfm_context *context,
				const struct pfm_create *create)
{
	void __user *address = u64_to_user_ptr(create->format_argument);

	if (create->format_size > PFM_ARGUMENTS_SIZE)
		return pfm_fail(context, -EINVAL, PFM_REASON_FORMAT_SIZE,
				create->format_size);
	if (!create->format_argument)
		return 0;
	return copy_from_user(context->arguments, address, create->format_size)
		       ? fault(context, address)
		       : 0;
}

static int copy_format(struct pfm_context *context, const struct pfm_create *create,
		       char *name)
{
	if (create->format_name)
		return copy_name(context, name, PFM_FORMAT_NAME_SIZE, create->format_name,
				 -EINVAL, PFM_REASON_NO_FORMAT)
			       ?: copy_format_argument(context, create);
	if (create->format_argument || create->format_size)
		return pfm_fail(context, -EINVAL, PFM_REASON_FORMAT_NAME, 0);
	return 0;
}

static int ioctl_create_context(struct pfm_context *context, struct argument argument)
{
	char format[PFM_FORMAT_NAME_SIZE], pmu[PFM_PMU_NAME_SIZE];
	struct pfm_create create;

	return copy_in(context, &create, sizeof(create), argument)
		       ?: copy_pmu_name(context, pmu, create.pmu_name)
		       ?: copy_format(context, &create, format)
		       ?: pfm_context_create(context, &create,
					     create.format_name ? format : NULL,
					     create.pmu_name ? pmu : NULL);
}

static int ioctl_load(struct pfm_context *context, struct argument argument)
{
	struct pfarg_load load;

	return copy_in(context, &load, sizeof(load), argument)
		       ?: must_be_zero(context, load.load_reserved1 |
							load.load_reserved2[0] |
							load.load_reserved2[1] |
							load.load_reserved2[2])
		       ?: pfm_load(context, &load);
}

static int ioctl_unload(struct pfm_context *context, struct argument argument)
{
	pfm_unload(context);
	return 0;
}

static int ioctl_start(struct pfm_context *context, struct argument argument)
{
	struct pfarg_start start;

	if (!argument.address)
		return pfm_start(context, NULL);
	return copy_in(context, &start, sizeof(start), argument)
		       ?: must_be_zero(context, start.start_reserved1 |
							start.start_reserved2 |
							start.reserved3[0] |
							start.reserved3[1] |
							start.reserved3[2])
		       ?: pfm_start(context, &start);
}

static int ioctl_stop(struct pfm_context *context, struct argument argument)
{
	return pfm_stop(context);
}

static int ioctl_restart(struct pfm_context *context, struct argument argument)
{
	return pfm_restart(context);
}

static int ioctl_info(struct pfm_context *context, struct argument argument)
{
	const u64 features = PFM_FEATURE_PER_THREAD | PFM_FEATURE_EMUL64 |
			     PFM_FEATURE_VIRTUAL | PFM_FEATURE_SAMPLING |
			     PFM_FEATURE_SETS;
	struct pfm_info info = {
		.version = PFM_VERSION,
		.interface_version = PFM_INTERFACE_VERSION,
		.features = features,
		.features_low = lower_32_bits(features),
		.context_flags = PFM_CONTEXT_FLAGS,
		.pmc_flags = PFM_PMC_FLAGS,
		.pmd_flags = PFM_PMD_FLAGS,
		.pmr_flags = PFM_PMR_FLAGS,
		.set_flags = PFM_SET_FLAGS,
		.arg_mem_max = READ_ONCE(pfm_limits.arg_mem_max),
		.message_queue_depth = PFM_QUEUE_DEPTH,
		.max_sets = READ_ONCE(pfm_limits.max_sets),
	};

	return pfm_pmu_info(context, &info)
		       ?: copy_out(context, argument, &info, sizeof(info));
}

static int ioctl_last_error(struct pfm_context *context, struct argument argument)
{
	/* If the address is bad, the recorded failure is kept. */
	return give(argument, &context->error, sizeof(context->error)) ? 0 : -EFAULT;
}

static int ioctl_status(struct pfm_context *context, struct argument argument)
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
	unsafe_get_user(vector->element_size, &argument->element_size, fault);
	user_read_access_end();
	return true;

fault:
	user_read_access_end();
	return false;
}

/* Elements of a later version: the unknown bytes of each must be zero. */
static noinline int check_tails(struct pfm_context *context,
				const struct pfm_vector *vector, size_t known)
{
	const char __user *tail = u64_to_user_ptr(vector->address);
	s32 i;
	int is_zero;

	tail += known;
	for (i = 0; i < vector->count; i++, tail += vector->element_size) {
		is_zero = check_zeroed_user(tail, vector->element_size - known);
		if (is_zero < 0)
			return fault(context, tail);
		if (!is_zero)
			return pfm_fail_at(context, i, -E2BIG, PFM_REASON_TAIL, known);
		cond_resched();
	}
	return 0;
}

/* Checks in the order of docs/interface.md 1.5.  @known: size of an element in this version. */
static __always_inline int vector_get(struct pfm_context *context,
				      struct pfm_vector *vector, struct argument argument,
				      size_t known)
{
	if (unlikely(argument.size != sizeof(*vector))) {
		int error = copy_in(context, vector, sizeof(*vector), argument);

		if (error)
			return error;
	} else if (unlikely(!vector_copy(vector, argument.address))) {
		return fault(context, argument.address);
	}
	if (vector->count < 0 || vector->count >= INT_MAX / known)
		return pfm_fail(context, -EINVAL, PFM_REASON_COUNT, vector->count);
	if (likely(!vector->element_size))
		vector->element_size = known;
	else if (vector->element_size < known)
		return pfm_fail(context, -EINVAL, PFM_REASON_SIZE, vector->element_size);
	if ((u64)vector->count * vector->element_size > READ_ONCE(pfm_limits.arg_mem_max))
		return pfm_fail(context, -E2BIG, PFM_REASON_TOO_LONG,
				(u64)vector->count * vector->element_size);
	if (unlikely(vector->element_size != known))
		return check_tails(context, vector, known);
	return 0;
}

/*
 * Reading is a hot path: only the few words of each element that matter are copied.
 * A pfarg_pmd begins like a pfarg_pmr.
 */
static_assert(offsetof(struct pfarg_pmd, reg_num) == offsetof(struct pfarg_pmr, reg_num));
static_assert(offsetof(struct pfarg_pmd, reg_set) == offsetof(struct pfarg_pmr, reg_set));
static_assert(offsetof(struct pfarg_pmd, reg_value) ==
	      offsetof(struct pfarg_pmr, reg_value));

union pmd_name {
	struct {
		u16 pmd;
		u16 set;
		u32 flags;
	};
	u64 all; /* the same bytes as in user memory */
};

/* A program may read into the pfarg_pmd with which it wrote the PMD, so its flags are ignored. */
static __always_inline bool has_flags(union pmd_name name, size_t known)
{
	return known == sizeof(struct pfarg_pmr) && name.flags;
}

/* Whether the set is @set and there are no flags; checked in one comparison, which is cheaper. */
static __always_inline bool is_of_set(union pmd_name name, u16 set, size_t known)
{
	const union pmd_name wanted = { .set = set }, number = { .pmd = U16_MAX };

	if (known != sizeof(struct pfarg_pmr))
		return name.set == set;
	return !((name.all ^ wanted.all) & ~number.all);
}

/*
 * The first bad element and all after it are not changed.  No function may be called
 * between user_access_begin() and user_access_end().  Adjacent elements of the same set
 * are read at the same moment.  @known: bytes of an element that are used; @stride:
 * bytes from one element to the next.
 */
static __always_inline int read_elements(struct pfm_context *context,
					 const struct pfm_vector *vector, size_t known,
					 size_t stride)
{
	struct pfm_snapshot *snapshot = context->arguments;
	const struct pfm_pmd_attributes *attributes;
	struct pfarg_pmd __user *pmd;
	struct pfm_set *set;
	union pmd_name name;
	u16 set_id;
	int i = 0;

	pfm_snapshot(context, snapshot);
	pmd = u64_to_user_ptr(vector->address);

go_on:
	set = snapshot->set;
	set_id = set->id;
	if (unlikely(!user_access_begin(pmd, (vector->count - i) * stride)))
		goto no_access;
	for (; i < vector->count; i++) {
		unsafe_get_user(name.all, (const u64 __user *)pmd, fault);
		if (unlikely(!is_of_set(name, set_id, known)))
			goto other_set;
		if (unlikely(!pfm_pmd_used(set, name.pmd)))
			goto bad;
		unsafe_put_user(pfm_snapshot_value(snapshot, name.pmd), &pmd->reg_value,
				fault);
		if (known == sizeof(*pmd)) {
			attributes = pfm_attributes(set, name.pmd);
			unsafe_put_user(attributes->last_reset, &pmd->reg_last_reset_val,
					fault);
			unsafe_put_user(attributes->switch_remaining,
					&pmd->reg_ovfl_switch_cnt, fault);
		}
		pmd = (void __user *)pmd + stride;
	}
	user_access_end();
	return 0;

other_set:
	user_access_end();
	if (has_flags(name, known))
		return pfm_fail_at(context, i, -EINVAL, PFM_REASON_FLAGS, name.flags);
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
	return fault(context, pmd);
}

/* Read elements of a later version; separate, so that sizes are constants in read_vector(). */
static noinline int read_long_elements(struct pfm_context *context,
				       const struct pfm_vector *vector, size_t known)
{
	if (known == sizeof(struct pfarg_pmr))
		return read_elements(context, vector, sizeof(struct pfarg_pmr),
				     vector->element_size);
	return read_elements(context, vector, sizeof(struct pfarg_pmd),
			     vector->element_size);
}

static __always_inline int read_vector(struct pfm_context *context,
				       struct argument argument, size_t known)
{
	struct pfm_vector vector;
	int error = vector_get(context, &vector, argument, known);

	if (unlikely(error || !vector.count))
		return error;
	if (unlikely(vector.element_size != known))
		return read_long_elements(context, &vector, known);
	return read_elements(context, &vector, known, known);
}

static int ioctl_read_pmds(struct pfm_context *context, struct argument argument)
{
	return read_vector(context, argument, sizeof(struct pfarg_pmd));
}

static int ioctl_read(struct pfm_context *context, struct argument argument)
{
	return read_vector(context, argument, sizeof(struct pfarg_pmr));
}

/* The elements of a vector, for all calls except reads, and the kernel's copy of them. */
struct elements {
	void __user *user;
	size_t stride; /* bytes from one element to the next in user memory */
	void *copy;
	size_t element_size; /* bytes of an element in @copy */
	size_t size; /* bytes of all elements in @copy */
	u32 count;
};

static int elements_copy_in(struct pfm_context *context, const struct elements *elements)
{
	const size_t size = elements->element_size;
	u32 i;

	if (elements->stride == size) {
		if (copy_from_user(elements->copy, elements->user, elements->size))
			return fault(context, elements->user);
		return 0;
	}
	for (i = 0; i < elements->count; i++) {
		void __user *user = elements->user + i * elements->stride;

		if (copy_from_user(elements->copy + i * size, user, size))
			return fault(context, user);
	}
	return 0;
}

static int elements_copy_out(struct pfm_context *context, const struct elements *elements)
{
	const size_t size = elements->element_size;
	u32 i;

	if (elements->stride == size) {
		if (copy_to_user(elements->user, elements->copy, elements->size))
			return fault(context, elements->user);
		return 0;
	}
	for (i = 0; i < elements->count; i++) {
		void __user *user = elements->user + i * elements->stride;

		if (copy_to_user(user, elements->copy + i * size, size))
			return fault(context, user);
	}
	return 0;
}

static void elements_free(const struct elements *elements)
{
	if (elements->size > PFM_ARGUMENTS_SIZE)
		kvfree(elements->copy);
}

static int elements_get(struct pfm_context *context, struct elements *elements,
			struct argument argument, size_t element_size)
{
	struct pfm_vector vector;
	int error = vector_get(context, &vector, argument, element_size);

	if (error)
		return error;
	elements->user = u64_to_user_ptr(vector.address);
	elements->stride = vector.element_size;
	elements->count = vector.count;
	elements->element_size = element_size;
	elements->size = vector.count * element_size;

	elements->copy = context->arguments;
	if (elements->size > PFM_ARGUMENTS_SIZE)
		elements->copy =
			kvmalloc(elements->size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!elements->copy)
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, elements->size);
	error = elements_copy_in(context, elements);
	if (error)
		elements_free(elements);
	return error;
}

/* @error: result of the call.  @copy_back: copy the elements back, even if the call failed. */
static int elements_put(struct pfm_context *context, const struct elements *elements,
			bool copy_back, int error)
{
	if (copy_back && elements_copy_out(context, elements))
		error = -EFAULT;
	elements_free(elements);
	return error;
}

#define VECTOR_CALL(call, type, copy_back)                                               \
	static int ioctl_##call(struct pfm_context *context, struct argument argument)   \
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
	unsigned int size; /* of the first version of its structure; 0: no structure */
	bool needs_context;
	int (*call)(struct pfm_context *context, struct argument argument);
};

#define OPERATION(name, call, needs_context)                                             \
	[_IOC_NR(PFM_IOC_##name)] = { _IOC_SIZE(PFM_IOC_##name), needs_context,          \
				      ioctl_##call }

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

/* Complete the error that pfm_fail() recorded. */
static void note_failure(struct pfm_context *context, unsigned int number, int error)
{
	context->error.operation = number;
	context->error.error = -error;
	if (READ_ONCE(pfm_limits.debug) & PFM_DEBUG_CALLS)
		pr_info("perfmon: %s[%d]: call %u: error %d, reason %u, index %d\n",
			current->comm, task_pid_nr(current), number, error,
			context->error.reason, (int)context->error.index);
}

/* The caller's structure is not of the first version. */
static noinline int check_size(struct pfm_context *context,
			       const struct operation *operation,
			       struct argument argument)
{
	if (argument.size < operation->size)
		return pfm_fail(context, -EINVAL, PFM_REASON_SIZE, argument.size);
	/* If the call has no structure in this version, all bytes are unknown. */
	return operation->size ? 0 : copy_in_other(context, NULL, 0, argument);
}

static __always_inline int dispatch(struct pfm_context *context,
				    const struct operation *operation,
				    struct argument argument)
{
	int error;

	if (unlikely(operation->needs_context && !context->pmu))
		return pfm_fail(context, -EINVAL, PFM_REASON_NO_CONTEXT, 0);
	if (unlikely(argument.size != operation->size)) {
		error = check_size(context, operation, argument);
		if (error)
			return error;
	}
	return operation->call(context, argument);
}

long pfm_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct pfm_context *context = file->private_data;
	unsigned int number = _IOC_NR(command);
	int error;

	/* Commands for other files, such as TCGETS, are not recorded as failed calls. */
	if (_IOC_TYPE(command) != PFM_IOC_TYPE)
		return -ENOTTY;

	/* The trylock is faster: mutex_lock_killable() begins with might_sleep(). */
	if (unlikely(!mutex_trylock(&context->mutex)) &&
	    mutex_lock_killable(&context->mutex))
		return -EINTR; /* the caller never sees this: it is being killed */
	if (likely(number < ARRAY_SIZE(operations)))
		error = dispatch(
			context,
			&operations[array_index_nospec(number, ARRAY_SIZE(operations))],
			(struct argument){ (void __user *)argument, _IOC_SIZE(command) });
	else
		error = pfm_fail(context, -ENOTTY, PFM_REASON_UNSUPPORTED, number);
	if (unlikely(error) && number != _IOC_NR(PFM_IOC_LAST_ERROR))
		note_failure(context, number, error);
	mutex_unlock(&context->mutex);
	return error;
}
