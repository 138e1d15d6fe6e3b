// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of calls, and the copying of most arguments from and to user space.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "attachment/attach.h"
#include "base/error.h"
#include "base/limits.h"
#include "registry/format.h"
#include "registry/pmu.h"
#include "context.h"
#include "control.h"
#include "cost.h"
#include "flags.h"
#include "ioctl.h"
#include "read.h"
#include "registers.h"
#include "sets.h"
#include "thread_counts.h"
#include "vector.h"

/*
 * Copy out a structure of @known bytes.  If the user's structure is shorter, copy only as many
 * bytes as it has; if it is longer, clear the rest of it.  Return: false on a fault.
 */
static bool give(struct pfm_argument to, const void *from, size_t known)
{
	size_t size = min(to.size, known);

	return !copy_to_user(to.address, from, size) &&
	       !clear_user(to.address + size, to.size - size);
}

static int copy_out(struct pfm_context *context, struct pfm_argument to, const void *from,
		    size_t known)
{
	return give(to, from, known) ? 0 : pfm_fault(context, to.address);
}

static int must_be_zero(struct pfm_context *context, u64 reserved)
{
	return likely(!reserved)
		       ? 0
		       : pfm_fail(context, -EINVAL, PFM_REASON_RESERVED, reserved);
}

/*
 * Copy in the name of a PMU or format.  If the name and its zero byte need more than @size bytes,
 * the call fails with @error and the reason @too_long.
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

/* Copy the format's argument to context->arguments, which has PFM_ARGUMENTS_SIZE bytes. */
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
		       ? pfm_fault(context, address)
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

static int ioctl_create_context(struct pfm_context *context, struct pfm_argument argument)
{
	char format[PFM_FORMAT_NAME_SIZE], pmu[PFM_PMU_NAME_SIZE];
	struct pfm_create create;

	return pfm_copy_in(context, &create, sizeof(create), argument)
		       ?: copy_pmu_name(context, pmu, create.pmu_name)
		       ?: copy_format(context, &create, format)
		       ?: pfm_context_create(context, &create,
					     create.format_name ? format : NULL,
					     create.pmu_name ? pmu : NULL);
}

static int ioctl_load(struct pfm_context *context, struct pfm_argument argument)
{
	struct pfarg_load load;

	return pfm_copy_in(context, &load, sizeof(load), argument)
		       ?: must_be_zero(context, load.load_reserved1 |
							load.load_reserved2[0] |
							load.load_reserved2[1] |
							load.load_reserved2[2])
		       ?: pfm_load(context, &load);
}

static int ioctl_unload(struct pfm_context *context, struct pfm_argument argument)
{
	pfm_unload(context);
	return 0;
}

static int ioctl_start(struct pfm_context *context, struct pfm_argument argument)
{
	struct pfarg_start start;

	if (!argument.address)
		return pfm_start(context, NULL);
	return pfm_copy_in(context, &start, sizeof(start), argument)
		       ?: must_be_zero(context, start.start_reserved1 |
							start.start_reserved2 |
							start.reserved3[0] |
							start.reserved3[1] |
							start.reserved3[2])
		       ?: pfm_start(context, &start);
}

static int ioctl_stop(struct pfm_context *context, struct pfm_argument argument)
{
	return pfm_stop(context);
}

static int ioctl_restart(struct pfm_context *context, struct pfm_argument argument)
{
	return pfm_restart(context);
}

static int ioctl_restart_cpu(struct pfm_context *context, struct pfm_argument argument)
{
	struct pfm_restart_cpu restart;

	return pfm_copy_in(context, &restart, sizeof(restart), argument)
		       ?: must_be_zero(context, restart.reserved1 | restart.reserved2[0] |
							restart.reserved2[1] |
							restart.reserved2[2])
		       ?: pfm_restart_cpu(context, restart.cpu);
}

static int ioctl_info(struct pfm_context *context, struct pfm_argument argument)
{
	const u64 features = PFM_FEATURE_PER_THREAD | PFM_FEATURE_EMUL64 |
			     PFM_FEATURE_VIRTUAL | PFM_FEATURE_SAMPLING |
			     PFM_FEATURE_SETS | PFM_FEATURE_SYSTEM_WIDE |
			     PFM_FEATURE_INHERIT;
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
		.statistics_flags = PFM_STATISTICS_FLAGS,
		.arg_mem_max = READ_ONCE(pfm_limits.arg_mem_max),
		.message_queue_depth = PFM_QUEUE_DEPTH,
		.max_sets = READ_ONCE(pfm_limits.max_sets),
	};

	return pfm_pmu_info(context, &info)
		       ?: copy_out(context, argument, &info, sizeof(info));
}

static int ioctl_last_error(struct pfm_context *context, struct pfm_argument argument)
{
	/* If the address is bad, context->error keeps the failure that was recorded before. */
	return give(argument, &context->error, sizeof(context->error)) ? 0 : -EFAULT;
}

static int ioctl_status(struct pfm_context *context, struct pfm_argument argument)
{
	struct pfm_status status;

	pfm_context_status(context, &status);
	return copy_out(context, argument, &status, sizeof(status));
}

static int ioctl_statistics(struct pfm_context *context, struct pfm_argument argument)
{
	struct pfm_statistics asked, statistics;
	int error = pfm_copy_in(context, &asked, sizeof(asked), argument);

	if (error)
		return error;
	/* Only the fields flags and cpu are used.  The other fields may contain anything. */
	statistics = (struct pfm_statistics){ .flags = asked.flags, .cpu = asked.cpu };
	return pfm_cost_statistics(context, &statistics)
		       ?: copy_out(context, argument, &statistics, sizeof(statistics));
}

/*
 * The elements of a vector in user memory, and the kernel's copy of them.  PFM_IOC_READ_PMDS and
 * PFM_IOC_READ do not use this structure.
 */
struct elements {
	void __user *user;
	size_t stride; /* bytes from one element to the next in user memory */
	void *copy;
	size_t element_size; /* size of an element in @copy, in bytes */
	size_t size; /* size of all elements in @copy together, in bytes */
	u32 count;
};

static int elements_copy_in(struct pfm_context *context, const struct elements *elements)
{
	const size_t size = elements->element_size;
	u32 i;

	if (elements->stride == size) {
		if (copy_from_user(elements->copy, elements->user, elements->size))
			return pfm_fault(context, elements->user);
		return 0;
	}
	for (i = 0; i < elements->count; i++) {
		void __user *user = elements->user + i * elements->stride;

		if (copy_from_user(elements->copy + i * size, user, size))
			return pfm_fault(context, user);
	}
	return 0;
}

static int elements_copy_out(struct pfm_context *context, const struct elements *elements)
{
	const size_t size = elements->element_size;
	u32 i;

	if (elements->stride == size) {
		if (copy_to_user(elements->user, elements->copy, elements->size))
			return pfm_fault(context, elements->user);
		return 0;
	}
	for (i = 0; i < elements->count; i++) {
		void __user *user = elements->user + i * elements->stride;

		if (copy_to_user(user, elements->copy + i * size, size))
			return pfm_fault(context, user);
	}
	return 0;
}

static void elements_free(const struct elements *elements)
{
	if (elements->size > PFM_ARGUMENTS_SIZE)
		kvfree(elements->copy);
}

static int elements_get(struct pfm_context *context, struct elements *elements,
			struct pfm_argument argument, size_t element_size)
{
	struct pfm_vector vector;
	int error = pfm_vector_get(context, &vector, argument, element_size);

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

/*
 * End a call that used @elements.  @error: result of the call.  @copy_back: whether to copy the
 * elements back to user memory; this is done even if the call failed.  Return: @error, or -EFAULT
 * if the elements cannot be copied back.
 */
static int elements_put(struct pfm_context *context, const struct elements *elements,
			bool copy_back, int error)
{
	if (copy_back && elements_copy_out(context, elements))
		error = -EFAULT;
	elements_free(elements);
	return error;
}

#define VECTOR_CALL(call, type, copy_back)                                               \
	static int ioctl_##call(struct pfm_context *context,                             \
				struct pfm_argument argument)                            \
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

/* struct pfm_thread_counts begins like struct pfm_vector. */
static_assert(offsetof(struct pfm_thread_counts, address) ==
	      offsetof(struct pfm_vector, address));
static_assert(offsetof(struct pfm_thread_counts, count) ==
	      offsetof(struct pfm_vector, count));
static_assert(offsetof(struct pfm_thread_counts, element_size) ==
	      offsetof(struct pfm_vector, element_size));

static int read_thread(struct pfm_context *context, struct pfm_argument argument,
		       struct pfm_thread_reading *reading,
		       const struct elements *elements)
{
	int error = pfm_thread_counts_begin(context, reading);

	if (error)
		return error;
	error = pfm_thread_counts_read(context, reading, elements->copy, elements->count);
	if (!error && elements_copy_out(context, elements))
		error = -EFAULT;
	error = error
			?: copy_out(context, argument, &reading->counts,
				    sizeof(reading->counts));
	pfm_thread_counts_end(context, reading, !error);
	return error;
}

static int ioctl_read_thread(struct pfm_context *context, struct pfm_argument argument)
{
	const struct pfm_argument vector = { argument.address,
					     sizeof(struct pfm_vector) };
	struct pfm_thread_reading reading;
	struct pfm_thread_counts *counts = &reading.counts;
	struct elements elements;
	int error;

	error = pfm_copy_in(context, counts, sizeof(*counts), argument)
			?: must_be_zero(context, counts->reserved1 |
							 counts->reserved2[0] |
							 counts->reserved2[1])
			?: elements_get(context, &elements, vector,
					sizeof(struct pfarg_pmr));
	if (error)
		return error;
	error = read_thread(context, argument, &reading, &elements);
	elements_free(&elements);
	return error;
}

struct operation {
	/* Size of the call's structure in its first version, in bytes; 0: there is no structure. */
	unsigned int size;
	bool needs_context;
	int (*call)(struct pfm_context *context, struct pfm_argument argument);
};

#define OPERATION(name, call, needs_context)                                             \
	[_IOC_NR(PFM_IOC_##name)] = { _IOC_SIZE(PFM_IOC_##name), needs_context, call }

static const struct operation operations[] = {
	OPERATION(CREATE_CONTEXT, ioctl_create_context, false),
	OPERATION(WRITE_PMCS, ioctl_write_pmcs, true),
	OPERATION(WRITE_PMDS, ioctl_write_pmds, true),
	OPERATION(READ_PMDS, pfm_read_pmds, true),
	OPERATION(LOAD, ioctl_load, true),
	OPERATION(START, ioctl_start, true),
	OPERATION(STOP, ioctl_stop, true),
	OPERATION(RESTART, ioctl_restart, true),
	OPERATION(CREATE_EVTSETS, ioctl_create_evtsets, true),
	OPERATION(GETINFO_EVTSETS, ioctl_getinfo_evtsets, true),
	OPERATION(DELETE_EVTSETS, ioctl_delete_evtsets, true),
	OPERATION(UNLOAD, ioctl_unload, true),
	OPERATION(INFO, ioctl_info, false),
	OPERATION(LAST_ERROR, ioctl_last_error, false),
	OPERATION(STATUS, ioctl_status, true),
	OPERATION(READ, pfm_read, true),
	OPERATION(STATISTICS, ioctl_statistics, false),
	OPERATION(RESTART_CPU, ioctl_restart_cpu, true),
	OPERATION(READ_THREAD, ioctl_read_thread, true),
};

/* Complete the error that pfm_fail() recorded. */
static void note_failure(struct pfm_context *context, unsigned int number, int error)
{
	lockdep_assert_held(&context->mutex);
	context->error.operation = number;
	context->error.error = -error;
	if (READ_ONCE(pfm_limits.debug) & PFM_DEBUG_CALLS)
		pr_info("perfmon: %s[%d]: call %u: error %d, reason %u, index %d\n",
			current->comm, task_pid_nr(current), number, error,
			context->error.reason, (int)context->error.index);
}

/* Called if the user's structure does not have the size of the first version. */
static noinline int check_size(struct pfm_context *context,
			       const struct operation *operation,
			       struct pfm_argument argument)
{
	if (argument.size < operation->size)
		return pfm_fail(context, -EINVAL, PFM_REASON_SIZE, argument.size);
	/*
	 * If this version of the call has no structure, all bytes of the user's structure must be
	 * 0.
	 */
	return operation->size ? 0 : pfm_copy_in_other(context, NULL, 0, argument);
}

static __always_inline int dispatch(struct pfm_context *context,
				    const struct operation *operation,
				    struct pfm_argument argument)
{
	int error;

	OPTIMIZER_HIDE_VAR(
		operation); /* without this, the compiler would compute @operation at each use */
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

	/* Commands for files of other kinds, such as TCGETS, are not recorded as failed calls. */
	if (_IOC_TYPE(command) != PFM_IOC_TYPE)
		return -ENOTTY;

	/* The trylock is faster: mutex_lock_killable() begins with might_sleep(). */
	if (unlikely(!mutex_trylock(&context->mutex)) &&
	    mutex_lock_killable(&context->mutex))
		return -EINTR; /* the caller is being killed and never sees this errno */
	if (likely(number < ARRAY_SIZE(operations)))
		error = dispatch(
			context,
			&operations[array_index_nospec(number, ARRAY_SIZE(operations))],
			(struct pfm_argument){ (void __user *)argument,
					       _IOC_SIZE(command) });
	else
		error = pfm_fail(context, -ENOTTY, PFM_REASON_UNSUPPORTED, number);
	if (unlikely(error) && number != _IOC_NR(PFM_IOC_LAST_ERROR))
		note_failure(context, number, error);
	mutex_unlock(&context->mutex);
	return error;
}
