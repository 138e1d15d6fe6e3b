/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_SYSFS_H
#define PERFMON_SYSFS_H

#include <perfmon_pmu.h>

struct pfm_format;
struct pfm_format_directory;

int pfm_sysfs_init(void);
void pfm_sysfs_exit(void);

/*
 * Add and remove pmus/NAME/, the directory of a PMU.  Set pmu_desc, the link to the default PMU's
 * directory.
 */
int pfm_sysfs_add_pmu(struct pfm_pmu *pmu);
void pfm_sysfs_remove_pmu(struct pfm_pmu *pmu);
int pfm_sysfs_set_default_pmu(const struct pfm_pmu *pmu); /* NULL: no default PMU */

/*
 * Add and remove formats/NAME/, the directory of a sampling format.  pfm_sysfs_add_format() returns
 * the directory, or an error pointer.
 */
struct pfm_format_directory *pfm_sysfs_add_format(const struct pfm_format *format);
void pfm_sysfs_remove_format(struct pfm_format_directory *directory);

#endif
