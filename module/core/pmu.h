/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_PMU_H
#define PERFMON_CORE_PMU_H

#include <perfmon_pmu.h>

struct pfm_context;

/**
 * struct pfm_pmu_facts - what follows from a PMU description, found out once
 * @defaults: of PMCs
 * @drivers: the PMCs that drive a counter
 */
struct pfm_pmu_facts {
	u64 defaults[PFM_MAX_HARDWARE];
	u64 drivers[PFM_MAX_COUNTERS][PFM_HARDWARE_BV];
};

/*
 * The PMU for one more context: that of the name, or the default if it is NULL.  Loads its
 * module if need be.  Or an error pointer.  May sleep.
 */
struct pfm_pmu *pfm_pmu_get(struct pfm_context *context, const char *name);
void pfm_pmu_put(const struct pfm_pmu *pmu);

/*
 * Sets in @pmcs and @pmds, which are zero, the registers that could be claimed now:
 * PFM_PMC_BV and PFM_PMD_BV words.  May sleep.
 */
void pfm_pmu_available(const struct pfm_pmu *pmu, u64 *pmcs, u64 *pmds);

/* Fills in what the context's PMU offers, or the default; loads one if there is none.  0, -ENOMEM. */
int pfm_pmu_info(struct pfm_context *context, struct pfm_info *info);

#endif
