/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_AVAILABLE_H
#define PERFMON_AVAILABLE_H

#include "context.h"

/* Set the bits of the existing registers in the bitmap @map.  @count: length of @registers. */
void pfm_implemented(const struct pfm_register *registers, unsigned int count, u64 *map);

/*
 * Find the registers of @pmu that are available for @context.  Sets their bits in @pmcs and @pmds,
 * which are zeroed bitmaps of PFM_PMC_BV and PFM_PMD_BV words.  @context uses @pmu, or has no PMU
 * yet.  May sleep.
 */
void pfm_available(const struct pfm_pmu *pmu, const struct pfm_context *context,
		   u64 *pmcs, u64 *pmds);

#endif
