/* SPDX-License-Identifier: GPL-2.0-only */
/* POWER: what the suites about its PMU share. */
#ifndef POWER_H
#define POWER_H

#include <perfmon/perfmon_power.h>

#include "measure.h"

#define WRAP		    (1ull << 31)
#define INSTRUCTIONS_1_TO_4 0x02ull /* PM_INST_CMPL */
#define CYCLES_1_TO_4	    0x1eull /* PM_CYC */
#define PMC5		    PFM_POWER_PMC5
#define PMC6		    PFM_POWER_PMC6

/* MMCRA where nobody uses it. */
uint64_t idle_mmcra(void);
/* Skips the test where counters do not count exactly. */
void need_exact_power(void);
/* For MMCR1: what PMC @n counts. */
uint64_t select_event(unsigned int n, uint64_t event);
/* Start and stop, and the timer's ticks on the way. */
uint64_t most_around(uint64_t instructions);
/* Instructions on PMC1 and PMC5, cycles on PMC2 and PMC6; not loaded. */
int four_counters(void);
/* Waits until perf can have the hardware: it is given back once in a second at most. */
void must_get_back(void);

#endif
