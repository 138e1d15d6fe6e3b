/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of calls: a structure of any version, or a vector of structures. */
#ifndef PERFMON_CORE_VECTOR_H
#define PERFMON_CORE_VECTOR_H

#include <linux/limits.h>
#include <linux/uaccess.h>

#include "base/error.h"
#include "base/limits.h"
#include "compat/uaccess.h"
#include "context.h"

/*
 * The caller's structure; its size is part of the ioctl command.  The structure may be of a
 * later version than the one known here, see "How it grows" in perfmon_ioctl.h.  It is not
 * shorter than the first version: pfm_ioctl() has checked that.
 */
struct pfm_argument {
	void __user *address;
	size_t size;
};

/* Fail because @address is bad.  Return: a negative errno. */
int pfm_fault(struct pfm_context *context, const void __user *address);

/* Called only by the functions below. */
int pfm_copy_in_other(struct pfm_context *context, void *to, size_t known,
		      struct pfm_argument from);
int pfm_check_tails(struct pfm_context *context, struct pfm_vector vector, size_t known);

/*
 * Copy in a structure of any version.  If @known is a constant at compile time, copy_from_user()
 * skips its check of the size.
 */
static __always_inline int pfm_copy_in(struct pfm_context *context, void *to,
				       size_t known, struct pfm_argument from)
{
	if (unlikely(from.size != known))
		return pfm_copy_in_other(context, to, known, from);
	return unlikely(copy_from_user(to, from.address, known))
		       ? pfm_fault(context, from.address)
		       : 0;
}

/*
 * Copy in a struct pfm_vector, and check it.  The order of the checks is that of
 * docs/interface.md 1.5.  @known: size of an element in this version.
 *
 * This function is hot.  The compiler keeps @vector in CPU registers as long as no code takes the
 * address of @vector.  A vector of another version needs a copy function that takes an address, so
 * such a vector is first copied to context->arguments.
 */
static __always_inline int pfm_vector_get(struct pfm_context *context,
					  struct pfm_vector *vector,
					  struct pfm_argument argument, size_t known)
{
	const struct pfm_vector __user *user = argument.address;
	int error;

	if (unlikely(argument.size != sizeof(*vector))) {
		error = pfm_copy_in(context, context->arguments, sizeof(*vector),
				    argument);
		if (error)
			return error;
		*vector = *(const struct pfm_vector *)context->arguments;
	} else {
		if (unlikely(!user_read_access_begin(user, sizeof(*user))))
			return pfm_fault(context, user);
		unsafe_get_user(vector->address, &user->address, fault);
		unsafe_get_user(vector->count, &user->count, fault);
		unsafe_get_user(vector->element_size, &user->element_size, fault);
		user_read_access_end();
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
		return pfm_check_tails(context, *vector, known);
	return 0;

fault:
	user_read_access_end();
	return pfm_fault(context, user);
}

#endif
