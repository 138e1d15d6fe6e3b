/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CPU_TIMER_H
#define PERFMON_CPU_TIMER_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/types.h>

struct pfm_cpu;

/**
 * struct pfm_cpu_timer - a timer of a CPU; it can be started in an NMI
 *
 * The timer is not cancelled when a thread is switched out.  So it may expire while another thread
 * runs, or after another set of the same thread has become active.  @look checks for both cases.
 * The timer is used on its CPU only, with interrupts off.
 *
 * @work: calls @look.  An NMI cannot start @timer itself, so it queues @work
 * @cpu: the data of the CPU that has this timer
 * @look: called in interrupt context when the timer expires, and soon after an NMI has called
 *	pfm_cpu_timer_start(); @look may start the timer
 * @has_come: whether the timer's callback is running
 * @next: while the callback runs: ns from the last expiry to the next one, or NOT_SET
 */
struct pfm_cpu_timer {
	struct hrtimer timer;
	struct irq_work work;
	struct pfm_cpu *cpu;
	void (*look)(struct pfm_cpu *cpu);
	bool has_come;
	s64 next;
};

/* Set up @timers, one for each CPU.  Each timer is a field of its CPU's structure in @cpus. */
void pfm_cpu_timer_init(struct pfm_cpu_timer __percpu *timers,
			struct pfm_cpu __percpu *cpus, void (*look)(struct pfm_cpu *cpu));
/* Stop the timers.  No context uses them any more. */
void pfm_cpu_timer_exit(struct pfm_cpu_timer __percpu *timers);

/*
 * Let the timer expire in @left ns or, if called in its own callback, @left ns after the last
 * expiry.
 */
void pfm_cpu_timer_start(struct pfm_cpu_timer *timer, s64 left);

/*
 * Like pfm_cpu_timer_start(), for a timer that expired too early.  Here @left is always the time
 * from now, even in the timer's own callback.  If it were the time from the last expiry, and the
 * callback came very late, for example because a virtual machine had been stopped, the timer would
 * expire many times until it had caught up.
 */
void pfm_cpu_timer_start_again(struct pfm_cpu_timer *timer, s64 left);

/* Call @look soon, in interrupt context.  May be called in an NMI. */
static inline void pfm_cpu_timer_look(struct pfm_cpu_timer *timer)
{
	irq_work_queue(&timer->work);
}

#endif
