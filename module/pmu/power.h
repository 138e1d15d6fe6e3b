/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon_power: power.c describes the PMU and moves values.  power_perf.c keeps the
 * kernel's own perf_event from using the PMU while it is ours.
 */
#ifndef PERFMON_POWER_MODULE_H
#define PERFMON_POWER_MODULE_H

int power_perf_init(void);
void power_perf_exit(void);

#endif
