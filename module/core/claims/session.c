// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: loaded contexts as the PMU modules see them.  A PMU module may have an operation
 * load(), which can refuse a context.
 */
#include <linux/capability.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/string.h>

#include "base/error.h"
#include "context.h"
#include "session.h"

static int refuse(struct pfm_context *context, int error, const char *why)
{
	if (error == -ENOMEM)
		return pfm_fail(context, error, PFM_REASON_MEMORY, 0);
	pfm_fail(context, error, PFM_REASON_PMU_REFUSES, 0);
	strscpy(context->error.holder, why, sizeof(context->error.holder));
	return error;
}

int pfm_session_load(struct pfm_context *context, struct task_struct *task)
{
	struct pfm_session session = {
		.pmu = context->pmu,
		.task = task,
		.cpu = pfm_is_bound(context) ? context->attachment.cpu : PFM_NO_CPU,
		.privileged = perfmon_capable() && !context->user_level,
		.sets = &context->sets,
	};
	int error = context->pmu->operations->load(&session);

	BUILD_BUG_ON(sizeof(session.why) != sizeof(context->error.holder));
	return error ? refuse(context, error, session.why) : 0;
}

void pfm_session_unload(struct pfm_context *context, struct task_struct *task)
{
	const struct pfm_session session = {
		.pmu = context->pmu,
		.task = task,
		.cpu = pfm_is_bound(context) ? context->attachment.cpu : PFM_NO_CPU,
		.privileged = pfm_may_see_kernel(context),
		.sets = &context->sets,
	};

	lockdep_assert_irqs_disabled();
	context->pmu->operations->unload(&session);
}

const struct pfm_registers *pfm_session_next(const struct pfm_session *session,
					     const struct pfm_registers *registers)
{
	const struct list_head *node = session->sets;

	if (registers)
		node = &container_of(registers, struct pfm_set, registers)->node;
	if (node->next == session->sets)
		return NULL;
	return &list_entry(node->next, struct pfm_set, node)->registers;
}
EXPORT_SYMBOL_GPL(pfm_session_next);
