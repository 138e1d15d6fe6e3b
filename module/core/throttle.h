/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_THROTTLE_H
#define PERFMON_THROTTLE_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>

#include "clock.h"
#include "limits.h"

/* Interrupts between two looks at the clock; a power of two. */
#define PFM_THROTTLE_LOOK 16

/**
 * struct pfm_throttle - the interrupt budget of a CPU, its own with interrupts off
 *
 * @tick: jiffies of the last overflow interrupt
 * @interrupts: overflow interrupts in it
 * @all: overflow interrupts ever
 * @looked: when the clock was looked at last, ns
 * @work: starts the timer, which an NMI cannot
 * @timer: ends the time in which monitoring is held off
 */
struct pfm_throttle {
	unsigned long tick;
	unsigned int interrupts;
	unsigned int all;
	u64 looked;
	struct irq_work work;
	struct hrtimer timer;
};

/* Begin of an overflow interrupt.  Return: when, or 0 if it is not to be measured. */
static inline u64 pfm_throttle_begin(struct pfm_throttle *throttle)
{
	return likely(++throttle->all % PFM_THROTTLE_LOOK) ? 0 : pfm_clock();
}

bool pfm_throttle_is_busy(struct pfm_throttle *throttle, u64 begun);

/*
 * Its end.  Return: whether the CPU has had too many of them: more than
 * max_interrupts_per_tick, or so many that it does little else.
 */
static inline bool pfm_throttle_end(struct pfm_throttle *throttle, u64 begun)
{
	unsigned long now = jiffies;

	if (throttle->tick != now) {
		throttle->tick = now;
		throttle->interrupts = 0;
	}
	if (unlikely(++throttle->interrupts >
		     READ_ONCE(pfm_limits.max_interrupts_per_tick)))
		return true;
	return unlikely(begun) && pfm_throttle_is_busy(throttle, begun);
}

/* Let the CPU, which does not count any more, go on at the next tick. */
void pfm_throttle_wait(struct pfm_throttle *throttle);

void pfm_throttle_init(void);
void pfm_throttle_exit(void);

#endif
