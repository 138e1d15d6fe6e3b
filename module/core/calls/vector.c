// SPDX-License-Identifier: GPL-2.0-only
/* Arguments of calls: rare cases, which the inline functions of vector.h do not handle. */
#include <linux/sched.h>

#include "vector.h"

int pfm_fault(struct pfm_context *context, const void __user *address)
{
	return pfm_fail(context, -EFAULT, PFM_REASON_FAULT, (uintptr_t)address);
}

/* Copy in a structure of another version. */
int pfm_copy_in_other(struct pfm_context *context, void *to, size_t known,
		      struct pfm_argument from)
{
	int error = copy_struct_from_user(to, known, from.address, from.size);

	if (error == -E2BIG)
		return pfm_fail(context, error, PFM_REASON_TAIL, known);
	return error ? pfm_fault(context, from.address) : 0;
}

/* Each of the caller's elements has more than @known bytes.  Check that its other bytes are 0. */
int pfm_check_tails(struct pfm_context *context, struct pfm_vector vector, size_t known)
{
	const char __user *tail = u64_to_user_ptr(vector.address);
	s32 i;
	int is_zero;

	tail += known;
	for (i = 0; i < vector.count; i++, tail += vector.element_size) {
		is_zero = check_zeroed_user(tail, vector.element_size - known);
		if (is_zero < 0)
			return pfm_fault(context, tail);
		if (!is_zero)
			return pfm_fail_at(context, i, -E2BIG, PFM_REASON_TAIL, known);
		cond_resched();
	}
	return 0;
}
