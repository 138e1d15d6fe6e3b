/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_THROTTLE_H
#define PERFMON_THROTTLE_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>

#include "clock.h"
#include "limits.h"

/* Interrupts between two looks at the budget, at most. */
#define PFM_THROTTLE_LOOK 16u

/**
 * struct pfm_throttle - the interrupt budget of a CPU, its own with interrupts off
 *
 * @left: overflow interrupts until the next look
 * @step: overflow interrupts since the last one, when that is
 * @tick: jiffies of the last look
 * @interrupts: overflow interrupts seen by looks in this tick
 * @looked: when that was, ns
 * @work: starts the timer, which an NMI cannot
 * @timer: ends the time in which monitoring is held off
 */
struct pfm_throttle {
	unsigned int left;
	unsigned int step;
	unsigned int interrupts;
	unsigned long tick;
	u64 looked;
	struct irq_work work;
	struct hrtimer timer;
};

/* Begin of an overflow interrupt.  Return: when, or 0 if there is no look at its end. */
static inline u64 pfm_throttle_begin(struct pfm_throttle *throttle)
{
	return likely(--throttle->left) ? 0 : pfm_clock();
}

/*
 * Its end, if it has begun at @begun.  Return: whether the CPU has had too many of them:
 * more than max_interrupts_per_tick, or so many that it does little else.
 */
bool pfm_throttle_is_due(struct pfm_throttle *throttle, u64 begun);

/* Let the CPU, which does not count any more, go on at the next tick. */
void pfm_throttle_wait(struct pfm_throttle *throttle);

void pfm_throttle_init(void);
void pfm_throttle_exit(void);

#endif
