/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about pfmon on POWER. */
#ifndef POWER_H
#define POWER_H

#include <perfmon/perfmon.h>
#include <perfmon/perfmon_power.h>

#include "../../tools/pfmon/event/constraints.h"
#include "../../tools/pfmon/event/pmu.h"
#include "suites.h"

#define MMCR0	     PFM_POWER_MMCR0
#define MMCR1	     PFM_POWER_MMCR1
#define MMCRA	     PFM_POWER_MMCRA
#define MMCR2	     PFM_POWER_MMCR2
#define MMCR3	     PFM_POWER_MMCR3

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Make a machine with this PMU. All its counters and control registers are available. */
void make_machine(struct machine *machine, const struct pmu *pmu);

#endif
