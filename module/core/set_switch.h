/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_SET_SWITCH_H
#define PERFMON_SET_SWITCH_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/types.h>

struct pfm_context;
struct pfm_registers;
struct pfm_set;

/**
 * struct pfm_set_timer - a CPU's timer for the time of the set that is active on it
 *
 * A thread that goes out leaves it behind: it finds another thread, or that there
 * is time left, and is set anew by the next set that needs it.
 *
 * @work: starts @timer, which an NMI cannot
 * @has_come: the timer's own interrupt is at work
 * @next: ns after its last time that it has to come again
 */
struct pfm_set_timer {
	struct hrtimer timer;
	struct irq_work work;
	bool has_come;
	s64 next;
};

void pfm_set_timer_init(void);
void pfm_set_timer_exit(void);

/*
 * @set begins to count here, as far as that goes: context lock held, on the CPU where its
 * thread runs; or from the overflow handler.  @is_fresh: it became active this moment.
 */
void pfm_set_timer_start(struct pfm_context *context, struct pfm_set *set, bool is_fresh);

/**
 * pfm_set_activate() - make a set the active one
 * @context: context lock held or in the overflow handler, not monitoring
 * @set: one of its sets
 * @is_long: PMDs that wait for it get their long reset values, by the user's wish
 */
void pfm_set_activate(struct pfm_context *context, struct pfm_set *set, bool is_long);

/* Leave the active set for the next one, in memory.  As there, but nothing counts. */
void pfm_set_switch(struct pfm_context *context, bool is_long, u64 now);

/**
 * pfm_set_switch_running() - the same in the overflow handler, counters halted
 * @context: the one that counts here
 * @set: the one to be left
 * @now: pfm_clock()
 *
 * Return: registers of what has to go on, NULL for nothing
 */
struct pfm_registers *pfm_set_switch_running(struct pfm_context *context,
					     struct pfm_set *set, u64 now);

#endif
