// SPDX-License-Identifier: GPL-2.0-only
/* Why the last call of a context failed: PFM_IOC_LAST_ERROR. */
#include "context.h"
#include "error.h"

int pfm_fail(struct pfm_context *context, int error, enum pfm_reason reason, u64 value)
{
	lockdep_assert_held(&context->mutex);
	context->error = (struct pfm_error){
		.reason = reason,
		.index = PFM_NO_INDEX,
		.value = value,
	};
	return error;
}

int pfm_fail_at(struct pfm_context *context, u32 index, int error, enum pfm_reason reason,
		u64 value)
{
	pfm_fail(context, error, reason, value);
	context->error.index = index;
	return error;
}
