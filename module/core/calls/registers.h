/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_REGISTERS_H
#define PERFMON_REGISTERS_H

#include "context.h"

/*
 * The caller holds the context's mutex.  The elements before the first bad one are written, in
 * order.
 * Return: 0, or the negative errno of the bad element, whose index is in
 * context->error.
 */
int pfm_write_pmcs(struct pfm_context *context, struct pfarg_pmc *pmcs, u32 count);
int pfm_write_pmds(struct pfm_context *context, struct pfarg_pmd *pmds, u32 count);

int pfm_unreadable(struct pfm_context *context, u32 index, u16 id, unsigned int n);

/* Give a set's PMCs their default values.  The context is unloaded. */
void pfm_registers_default(struct pfm_context *context, struct pfm_set *set);

#endif
