/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_CPU_H
#define PERFMON_CORE_CPU_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <perfmon_format.h>

#include "cpu_timer.h"
#include "statistics.h"

struct pfm_context;
struct pfm_set;

/**
 * struct pfm_cpu - the core's data for a CPU; only that CPU uses the data, with interrupts off
 *
 * Each CPU has two of these structures: pfm_cpu for the contexts of its threads, and pfm_cpu_bound
 * for the context that is bound to the CPU.  A thread's context and the bound context may count at
 * the same time, with different PMUs or with different counters of one PMU.  For each PMU whose
 * registers several CPUs share, each CPU has one more structure.  It is for the context that is
 * bound to the CPU and uses this PMU.  A context always uses the same kind of structure, see
 * pfm_here().
 *
 * @context: the context of the thread that runs here, or the context that is bound to
 *	this CPU; it need not be monitoring
 * @running: the set whose counters run.  The overflow handler finds the set only through this
 *	field
 * @overflow_sequence: changes at every interrupt that finds an overflow in the running set
 * @pmc_stamp: stamp of the values in the PMCs, see struct pfm_set; 0 if they are not known
 * @pmd_stamp: stamp of the values in the PMDs; never 0
 * @next_stamp: pfm_cpu_take_stamp() adds NR_CPUS to this field, and gives the result as the next
 *	stamp
 * @throttle_timer: lets a throttled set count again
 * @set_timer: ends the turn of the active set
 * @sample: the sample that the overflow handler passes to the format
 * @values: values of the PMDs in that sample
 * @noted: what the hardware has recorded about the overflows that are being handled; NULL if it has
 *	recorded nothing.  Valid only while these overflows are handled
 */
struct pfm_cpu {
	struct pfm_cpu_timer throttle_timer;
	struct pfm_context *context;
	struct pfm_set *running;
	unsigned long overflow_sequence;
	u64 pmc_stamp;
	u64 pmd_stamp;
	u64 next_stamp;
	struct pfm_cpu_statistics statistics;
	struct pfm_cpu_timer set_timer;
	struct pfm_sample sample;
	u64 values[PFM_MAX_PMDS];
	const struct pfm_hardware_sample *noted;
};

DECLARE_PER_CPU(struct pfm_cpu, pfm_cpu);

/*
 * Allocated at module init, because the area for DEFINE_PER_CPU() variables of modules is small,
 * and all modules share it.
 */
extern struct pfm_cpu __percpu *pfm_cpu_bound;

/*
 * Return: data for each CPU, which the caller frees with free_percpu(); NULL if there is no
 * memory.
 */
struct pfm_cpu __percpu *pfm_cpu_alloc(void);

/* Forget what the CPU's registers contain, because they have changed.  Interrupts off. */
void pfm_cpu_forget(struct pfm_cpu *cpu);

/* Enabled while a system-wide context exists.  At other times pfm_is_bound() costs nothing. */
DECLARE_STATIC_KEY_FALSE(pfm_bound_contexts);

/* Enabled if a registered PMU is missing on some CPU, or has the operation can_count(). */
DECLARE_STATIC_KEY_FALSE(pfm_cpus_differ);

/*
 * Return: a stamp, never 0.  No other CPU gives the same stamp: each CPU starts at its number + 1,
 * and adds NR_CPUS for each stamp.  Two structures of the same CPU may give the same stamp.  This
 * does no harm, because a set is compared with only one of these structures.
 */
static inline u64 pfm_cpu_take_stamp(struct pfm_cpu *cpu)
{
	return cpu->next_stamp += NR_CPUS;
}

/* Module init and exit; pfm_cpu_init() returns 0 or -ENOMEM. */
int pfm_cpu_init(void);
void pfm_cpu_exit(void);

#endif
