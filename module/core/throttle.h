/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_THROTTLE_H
#define PERFMON_THROTTLE_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>

#include "clock.h"
#include "limits.h"

struct pfm_context;
struct pfm_registers;
struct pfm_set;

/* Interrupts between two looks at the budget, at most. */
#define PFM_THROTTLE_LOOK 16u

/**
 * struct pfm_budget - the interrupt budget of an event set, and has its locking
 *
 * Its times are those of pfm_set_duration(): they go by while the set counts or would
 * like to.
 *
 * @left: overflow interrupts until the next look
 * @step: overflow interrupts since the last one, when that is
 * @interrupts: overflow interrupts seen by looks in this tick
 * @tick: when that began
 * @looked: when the last look was
 * @until: when the set goes on, if it is throttled
 */
struct pfm_budget {
	unsigned int left;
	unsigned int step;
	unsigned int interrupts;
	u64 tick;
	u64 looked;
	u64 until;
};

/**
 * struct pfm_throttle - looks after the throttled set that is active on a CPU
 *
 * @work: looks, and starts the timer, which an NMI cannot
 * @timer: looks when the set is to go on
 */
struct pfm_throttle {
	struct irq_work work;
	struct hrtimer timer;
};

/* Begin of an overflow interrupt.  Return: when, or 0 if there is no look at its end. */
static inline u64 pfm_throttle_begin(struct pfm_budget *budget)
{
	return likely(--budget->left) ? 0 : pfm_clock();
}

/*
 * Its end, if it has begun at @begun.  Return: whether the set has had too many of them:
 * more than max_interrupts_per_tick, or so many that it gets on with little else.
 */
bool pfm_throttle_is_due(struct pfm_context *context, struct pfm_set *set, u64 begun);

/*
 * The set is to count nothing for a tick.  From an overflow, perhaps NMI.  @next: registers
 * that were to go on, of this set or of another.  Return: those that are to now, or NULL.
 */
struct pfm_registers *pfm_throttle(struct pfm_context *context, struct pfm_set *set,
				   struct pfm_registers *next);

/* A throttled set is active on this CPU.  From NMI too. */
void pfm_throttle_wait(struct pfm_throttle *throttle);

/* A set that does not count begins anew. */
void pfm_throttle_forget(struct pfm_set *set);

void pfm_throttle_init(void);
void pfm_throttle_exit(void);

#endif
