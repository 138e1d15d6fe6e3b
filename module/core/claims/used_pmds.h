/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_USED_PMDS_H
#define PERFMON_CORE_USED_PMDS_H

#include "context.h"

/*
 * Compute context->used_pmds again, because a set was deleted, and perhaps no other set uses its
 * PMDs.  The context's mutex is held.
 */
void pfm_find_used_pmds(struct pfm_context *context);

#endif
