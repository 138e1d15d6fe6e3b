// SPDX-License-Identifier: GPL-2.0-only
/* Disconnect a context, or a copy, from its thread. */
#include "base/threads.h"
#include "claims/claim.h"
#include "counting/switch.h"
#include "context.h"
#include "detach.h"
#include "load.h"

struct task_struct *pfm_detach(struct pfm_context *context)
{
	struct task_struct *task = context->attachment.task;

	lockdep_assert_held(&context->lock);
	pfm_assert_here(context);
	if (!task)
		return NULL;
	memcpy(context->attachment.name, task->comm, TASK_COMM_LEN);
	pfm_switch_end(context);
	if (context->state != PFM_STATE_UNLOADED)
		pfm_statistics_end(context);
	pfm_thread_leave(context);
	pfm_unclaim(context, task);
	pfm_load_end(context);
	if (context->attachment.block)
		pfm_block_end(context->attachment.block);
	WRITE_ONCE(context->attachment.task, NULL);
	/* This store comes last: see pfm_is_unloaded(). */
	smp_store_release(&context->state, PFM_STATE_UNLOADED);
	return task;
}
