// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading as a PMU module sees it. */
#include <linux/capability.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/string.h>

#include "context.h"
#include "session.h"

static int fail(struct pfm_context *context, int error, const char *why)
{
	if (error == -ENOMEM)
		return pfm_fail(context, error, PFM_REASON_MEMORY, 0);
	pfm_fail(context, error, PFM_REASON_PMU_REFUSES, 0);
	strscpy(context->error.holder, why, sizeof(context->error.holder));
	return error;
}

int pfm_session_begin(struct pfm_context *context, struct task_struct *task)
{
	const struct pfm_pmu_operations *operations = context->pmu->operations;
	struct pfm_session session = {
		.pmu = context->pmu,
		.task = task,
		.sets = &context->sets,
	};
	int error;

	BUILD_BUG_ON(sizeof(session.why) != sizeof(context->error.holder));
	if (!operations->load)
		return 0;
	session.privileged = perfmon_capable();
	error = operations->load(&session);
	return error ? fail(context, error, session.why) : 0;
}

void pfm_session_end(struct pfm_context *context, struct task_struct *task)
{
	const struct pfm_pmu_operations *operations = context->pmu->operations;
	const struct pfm_session session = {
		.pmu = context->pmu,
		.task = task,
		.privileged = context->privileged,
		.sets = &context->sets,
	};

	lockdep_assert_irqs_disabled();
	if (operations->unload)
		operations->unload(&session);
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
