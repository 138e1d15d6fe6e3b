/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_SWITCH_H
#define PERFMON_SWITCH_H

#include <linux/jump_label.h>
#include <linux/percpu.h>

#include "context.h"
#include "set_switch.h"
#include "statistics.h"
#include "throttle.h"

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

void pfm_switch_init(void);
int pfm_switch_enable(void);
void pfm_switch_disable(void);

/* Context lock held, on the CPU where its thread runs; @now in ns. */
void pfm_switch_in(struct pfm_context *context, u64 now);
void pfm_switch_end(struct pfm_context *context);

/* Context lock held, called via pfm_context_call(). */
void pfm_monitoring_begin(struct pfm_context *context);
void pfm_monitoring_end(struct pfm_context *context);
void pfm_monitoring_mask(struct pfm_context *context);
void pfm_pause(struct pfm_context *context);
void pfm_resume(struct pfm_context *context);

/**
 * pfm_counting_prepare() - get the active set ready to count here, but for start()
 * @context: monitoring; paused
 * @previous: set that was active before
 *
 * Of the PMCs only those are written that differ from @previous.
 *
 * Return: what start() takes, NULL if nothing is to count.
 */
struct pfm_registers *pfm_counting_prepare(struct pfm_context *context,
					   const struct pfm_set *previous);

u64 pfm_set_duration(struct pfm_context *context, struct pfm_set *set);

#endif
