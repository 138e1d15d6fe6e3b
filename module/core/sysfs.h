/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_SYSFS_H
#define PERFMON_SYSFS_H

#include <perfmon_pmu.h>

int pfm_sysfs_init(void);
void pfm_sysfs_exit(void);

/* pmu_desc/ of the registered PMU. */
int pfm_sysfs_add_pmu(const struct pfm_pmu *pmu);
void pfm_sysfs_remove_pmu(void);

#endif
