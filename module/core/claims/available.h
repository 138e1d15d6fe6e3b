/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_AVAILABLE_H
#define PERFMON_AVAILABLE_H

#include "context.h"

/*
 * In the bitmap @map, set the bits of the registers that exist.  An element of @registers without a
 * name stands for a register that does not exist.  @count: number of elements of @registers.
 */
void pfm_implemented(const struct pfm_register *registers, unsigned int count, u64 *map);

/*
 * Find the registers of @pmu that are available for @context, and set their bits in the bitmaps
 * @pmcs (PFM_PMC_BV words) and @pmds (PFM_PMD_BV words).  The caller has set all bits to 0.
 * @context uses @pmu, or has no PMU yet.  May sleep.
 */
void pfm_available(const struct pfm_pmu *pmu, const struct pfm_context *context,
		   u64 *pmcs, u64 *pmds);

#endif
