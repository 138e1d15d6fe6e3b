/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon_armv8: armv8.c describes the PMU and moves values, armv8_perf.c
 * shares it with the kernel's own perf_event.
 */
#ifndef PERFMON_ARMV8_H
#define PERFMON_ARMV8_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct pfm_pmu;
struct pfm_registers;

/*
 * Overflows of ours that are in the hardware no longer: perf's handler clears
 * all that it finds.  They count as if they still stood in PMOVSCLR_EL0.
 */
DECLARE_PER_CPU(u32, armv8_kept_overflows);

/* armv8.c */
extern struct pfm_pmu armv8_pmu;
void armv8_program(const struct pfm_registers *registers,
		   const struct pfm_registers *programmed);
void armv8_load(struct pfm_registers *registers, u64 pmds);
void armv8_halt(struct pfm_registers *registers);
u64 armv8_read(struct pfm_registers *registers, u64 *values);

/* armv8_perf.c */
extern struct cpumask armv8_cpus;
int armv8_perf_find(const char **name);
u32 armv8_perf_has(u32 counters);
int armv8_perf_take(u32 wanted);
void armv8_perf_give_back(u32 counters);
int armv8_perf_init(void);
void armv8_perf_exit(void);

#endif
