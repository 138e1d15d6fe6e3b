/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_REGISTERS_H
#define PERFMON_REGISTERS_H

#include "context.h"

/*
 * Mutex held.  Elements are taken in order up to the first bad one, whose
 * negative errno is returned and whose index stands in the context's error.
 */
int pfm_write_pmcs(struct pfm_context *context, struct pfarg_pmc *pmcs, u32 count);
int pfm_write_pmds(struct pfm_context *context, struct pfarg_pmd *pmds, u32 count);
int pfm_read_pmds(struct pfm_context *context, struct pfarg_pmd *pmds, u32 count);

/* Gives a set's PMCs their default values; context unloaded. */
void pfm_registers_default(struct pfm_context *context, struct pfm_set *set);

#endif
