/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_PMU_H
#define PERFMON_CORE_PMU_H

#include <perfmon_pmu.h>

struct pfm_context;

/*
 * The PMU for one more context; the first claims the hardware and puts the
 * scheduler hooks in place.  Returns an error pointer on failure.  May sleep.
 */
struct pfm_pmu *pfm_pmu_get(struct pfm_context *context);
void pfm_pmu_put(void);

void pfm_pmu_exit(void);

/* Fills in what the registered PMU offers; loads one if there is none.  0, -ENOMEM. */
int pfm_pmu_info(struct pfm_context *context, struct pfm_info *info);

#endif
