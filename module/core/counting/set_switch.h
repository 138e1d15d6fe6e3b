/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_SET_SWITCH_H
#define PERFMON_SET_SWITCH_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/types.h>

struct pfm_context;
struct pfm_cpu;
struct pfm_registers;
struct pfm_set;

/*
 * @cpus has a structure for each CPU.  pfm_set_timer_init() sets up the field set_timer of each
 * structure, and pfm_set_timer_exit() stops it.
 * This timer ends the turn of a set that has a timeout.
 */
void pfm_set_timer_init(struct pfm_cpu __percpu *cpus);
void pfm_set_timer_exit(struct pfm_cpu __percpu *cpus);

/*
 * @set begins to count here: start the timer.  Called on the CPU where the thread runs, with the
 * context lock held, or by the overflow handler.  @is_fresh: @set has just become active.
 */
void pfm_set_timer_start(struct pfm_context *context, struct pfm_set *set, bool is_fresh);

/**
 * pfm_set_activate() - make a set the active one
 * @context: a context that is not monitoring; its lock is held, or the overflow handler runs
 * @set: one of its sets
 * @is_long: if true, the noted PMDs (pfm_reset_note()) get their long reset values; if false, they
 *	get the short ones.  The user's calls pass true
 */
void pfm_set_activate(struct pfm_context *context, struct pfm_set *set, bool is_long);

/*
 * Make the next set active, in memory.  Called with the same lock as pfm_set_activate(); the
 * counters are stopped.
 */
void pfm_set_switch(struct pfm_context *context, bool is_long, u64 now);

/**
 * pfm_set_switch_running() - pfm_set_switch() for a context that counts here
 * @context: the context; this function halts its counters
 * @set: the set that is active before the switch
 * @now: pfm_clock()
 *
 * Return: the registers to be started, or NULL if no set counts now.
 */
struct pfm_registers *pfm_set_switch_running(struct pfm_context *context,
					     struct pfm_set *set, u64 now);

#endif
