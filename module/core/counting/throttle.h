/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_THROTTLE_H
#define PERFMON_THROTTLE_H

#include <linux/types.h>

#include "base/limits.h"
#include "clock.h"

struct pfm_context;
struct pfm_cpu;
struct pfm_registers;
struct pfm_set;

/* Maximum number of interrupts between two checks of the budget. */
#define PFM_THROTTLE_LOOK 16u

/**
 * struct pfm_budget - the interrupt budget of an event set, protected like the set
 *
 * Times are values of pfm_set_duration(), which grows while the set counts or is throttled.
 *
 * @left: number of overflow interrupts until the next check
 * @step: number of overflow interrupts from the last check to the next one
 * @interrupts: number of overflow interrupts from @tick to the last check
 * @tick: when the present tick began
 * @looked: time of the last check
 * @until: if the set is throttled, the time at which it will count again
 */
struct pfm_budget {
	unsigned int left;
	unsigned int step;
	unsigned int interrupts;
	u64 tick;
	u64 looked;
	u64 until;
};

/*
 * Called when an overflow interrupt begins.  Return: 0, or the present time if the budget will be
 * checked at the end of this interrupt.
 */
static inline u64 pfm_throttle_begin(struct pfm_budget *budget)
{
	return likely(--budget->left) ? 0 : pfm_clock();
}

/*
 * Called at the end of an overflow interrupt.  @begun: when this interrupt began.  Return: whether
 * to throttle the set, because it had more than max_interrupts_per_tick interrupts or because its
 * interrupts took too much of the set's time.
 */
bool pfm_throttle_is_due(struct pfm_context *context, struct pfm_set *set, u64 begun);

/*
 * Let the set count nothing for a tick.  Called by the overflow handler, perhaps in an NMI.
 * @next: the registers that the handler would start if the set were not throttled.
 * Return: the registers that the handler must start, or NULL if there are none.
 */
struct pfm_registers *pfm_throttle(struct pfm_context *context, struct pfm_set *set,
				   struct pfm_registers *next);

/*
 * Start the timer that lets a throttled set count again.  @cpu is this CPU, and its active set is
 * throttled.  May be called in an NMI.
 */
void pfm_throttle_wait(struct pfm_cpu *cpu);

/* Reset the budget of a set that does not count. */
void pfm_throttle_forget(struct pfm_set *set);

/*
 * @cpus has a structure for each CPU.  Set up or stop the field throttle_timer of each structure.
 * This timer lets a throttled set count again.
 */
void pfm_throttle_init(struct pfm_cpu __percpu *cpus);
void pfm_throttle_exit(struct pfm_cpu __percpu *cpus);

#endif
