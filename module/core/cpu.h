/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_CPU_H
#define PERFMON_CORE_CPU_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <perfmon_format.h>

#include "set_switch.h"
#include "statistics.h"
#include "throttle.h"

struct pfm_context;
struct pfm_set;

/**
 * struct pfm_cpu - what the core knows of a CPU; only that CPU touches it,
 * interrupts off
 *
 * @context: context of the thread that runs here, monitoring or not
 * @running: set for which the counters run; the overflow handler believes in
 *	nothing else
 * @overflow_sequence: changes with every overflow that was noted
 * @pmc_stamp: what the configuration registers hold, see struct pfm_set; 0 if
 *	that is not known
 * @pmd_stamp: what the data registers hold; never 0
 * @next_stamp: the next one of this CPU's own
 * @throttle: lets a throttled set go on
 * @set_timer: ends the time of the active set
 * @sample: the overflow handler's
 * @values: of the PMDs recorded with it
 * @noted: what the hardware noted of the overflows that are being handled, or NULL; says
 *	nothing at other times
 */
struct pfm_cpu {
	struct pfm_throttle throttle;
	struct pfm_context *context;
	struct pfm_set *running;
	unsigned long overflow_sequence;
	u64 pmc_stamp;
	u64 pmd_stamp;
	u64 next_stamp;
	struct pfm_statistics statistics;
	struct pfm_set_timer set_timer;
	struct pfm_sample sample;
	u64 values[PFM_MAX_PMDS];
	const struct pfm_hardware_sample *noted;
};

DECLARE_PER_CPU(struct pfm_cpu, pfm_cpu);

/* There is a PMU that some CPU does not have. */
DECLARE_STATIC_KEY_FALSE(pfm_cpus_differ);

/* Unique among all CPUs and never 0: it starts at the CPU's number + 1. */
static inline u64 pfm_cpu_take_stamp(struct pfm_cpu *cpu)
{
	return cpu->next_stamp += NR_CPUS;
}

void pfm_cpu_init(void);

#endif
