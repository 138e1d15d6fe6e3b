/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Placeholders: perf events that hold counters for us, one for each CPU and counter.
 */
#ifndef PERFMON_X86_PLACEHOLDERS_H
#define PERFMON_X86_PLACEHOLDERS_H

#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "x86.h"

/*
 * The event "branches".  On every processor all general counters can count it, and no fixed counter
 * can.
 */
#define X86_NEUTRAL_EVENT 0xc4

/* The placeholders, indexed by the number of the PMD; NULL if we do not hold the PMD's counter. */
struct x86_placeholders {
	struct perf_event *events[X86_REGISTERS];
};

DECLARE_PER_CPU(struct x86_placeholders, x86_placeholders);

/* Return: the placeholder of PMD @n on this CPU.  Interrupts off. */
static __always_inline struct perf_event *x86_placeholder(unsigned int n)
{
	return this_cpu_read(x86_placeholders.events[n]);
}

/* Return: perf's number for the counter of PMD @n. */
static __always_inline int x86_index_in_perf(unsigned int n)
{
	return n < X86_FIXED ? n : n - X86_FIXED + INTEL_PMC_IDX_FIXED;
}

/* Return: the PMD whose placeholder is @event, even if perf has moved it to another counter. */
static inline unsigned int x86_placeholder_number(const struct perf_event *event)
{
	return (unsigned long)event->overflow_handler_context;
}

struct perf_event *x86_placeholders_create(struct perf_event_attr *attr,
					   perf_overflow_handler_t handler);
void x86_placeholders_begin(void);
void x86_placeholders_end(void);
void x86_placeholders_sort(u64 parked);
void x86_placeholders_suspend(void);
void x86_placeholders_resume(void);
void x86_placeholders_restart(void);
u64 x86_placeholders_take(unsigned int cpu, u64 pmds);
u64 x86_placeholders_held(unsigned int cpu, u64 pmds);
void x86_placeholders_keep(unsigned int cpu, u64 pmds);

/* x86_shared.c: the overflow handler of all placeholders */
void x86_shared_overflow(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs);

#endif
