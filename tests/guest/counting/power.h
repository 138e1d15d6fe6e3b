/* SPDX-License-Identifier: GPL-2.0-only */
/* POWER: helpers that the suites about its PMU share. */
#ifndef POWER_H
#define POWER_H

#include <perfmon/perfmon_power.h>

#include "measure.h"

#define WRAP		    (1ull << 31)
#define INSTRUCTIONS_1_TO_4 0x02ull /* PM_INST_CMPL */
#define CYCLES_1_TO_4	    0x1eull /* PM_CYC */
#define PMC5		    PFM_POWER_PMC5
#define PMC6		    PFM_POWER_PMC6

/* Returns the value that MMCRA has while no context uses it. */
uint64_t idle_mmcra(void);
/* Skips the test unless QEMU counts exactly. */
void need_exact_power(void);
/* Returns the MMCR1 value that selects @event for PMC @n. */
uint64_t select_event(unsigned int n, uint64_t event);
/*
 * Returns the maximum number of instructions that the start, the stop and timer ticks add to a loop
 * of @instructions. The number is large, because QEMU counts at all levels: on Linux 7.2 a tick
 * took up to 50000 instructions when RCU had work to do.
 */
uint64_t most_around(uint64_t instructions);
/*
 * Creates a context that counts instructions in PMC1 and PMC5, and cycles in PMC2 and PMC6. The
 * context is not loaded.
 */
int four_counters(void);
/*
 * Waits until perf can use the hardware. The PMU module may release the hardware up to a second
 * after the last context was unloaded.
 */
void must_get_back(void);

#endif
