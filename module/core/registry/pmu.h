/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_PMU_H
#define PERFMON_CORE_PMU_H

#include <perfmon_pmu.h>

struct pfm_context;

/**
 * struct pfm_pmu_facts - data derived from a PMU description, computed once
 * @defaults: default values of the PMCs
 * @drivers: for each counter, the PMCs that drive it
 */
struct pfm_pmu_facts {
	u64 defaults[PFM_MAX_HARDWARE];
	u64 drivers[PFM_MAX_COUNTERS][PFM_HARDWARE_BV];
};

/*
 * Get the PMU @name for a context, or the default PMU if @name is NULL.  Loads the module of the
 * PMU if necessary.  May sleep.  Return: the PMU, or an error pointer.
 */
struct pfm_pmu *pfm_pmu_get(struct pfm_context *context, const char *name);
void pfm_pmu_put(const struct pfm_pmu *pmu);

/*
 * Describe the PMU of @context, or the default PMU if @context has none.  Loads the default PMU's
 * module if necessary.  Return: 0 or -ENOMEM.
 */
int pfm_pmu_info(struct pfm_context *context, struct pfm_info *info);

#endif
