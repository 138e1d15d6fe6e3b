/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_SCOPE_H
#define PERFMON_SCOPE_H

#include <linux/compiler.h>
#include <perfmon_pmu.h>

struct pfm_cpu;

/*
 * PMUs whose registers several CPUs share, such as the counters of a cache or of a package
 * (struct pfm_pmu.scope).  One of these CPUs owns the registers: all accesses are made there.
 */

/* Called when a PMU is registered or unregistered; may sleep.  Return: 0 or -ENOMEM. */
int pfm_scope_add(struct pfm_pmu *pmu);
void pfm_scope_remove(struct pfm_pmu *pmu);

/*
 * If each CPU has its own registers of @pmu, return @number.  If CPUs share the registers, return
 * the owner of the registers that CPU @number uses, or a negative errno.  The caller holds
 * cpus_read_lock().  May sleep.
 */
int pfm_scope_owner(const struct pfm_pmu *pmu, int number);

/*
 * Call @function for each PMU whose registers several CPUs share.  @function gets the PMU's data
 * for all CPUs, and must not sleep.
 */
void pfm_scope_for_each(void (*function)(struct pfm_cpu __percpu *cpus, void *argument),
			void *argument);

/*
 * Call @function for each PMU whose registers several CPUs share.  @function gets the PMU's data
 * for this CPU.  Called with interrupts off.
 */
void pfm_scope_for_each_here(void (*function)(struct pfm_cpu *cpu));

#endif
