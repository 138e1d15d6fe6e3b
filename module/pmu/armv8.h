/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon_armv8: armv8.c describes the PMU and moves values, armv8_perf.c
 * shares it with the kernel's own perf_event, armv8_notes.c has what that knows of us,
 * armv8_interrupt.c keeps our interrupts out of its measurements.
 */
#ifndef PERFMON_ARMV8_H
#define PERFMON_ARMV8_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct arm_pmu;
struct pfm_pmu;
struct pfm_registers;

/*
 * Overflows of ours that are in the hardware no longer: perf's handler clears
 * all that it finds.  They count as if they still stood in PMOVSCLR_EL0.
 */
DECLARE_PER_CPU(u64, armv8_kept_overflows);

/* armv8.c */
extern struct pfm_pmu armv8_pmu;
void armv8_program(const struct pfm_registers *registers,
		   const struct pfm_registers *programmed);
void armv8_load(struct pfm_registers *registers, u64 pmds);
void armv8_halt(struct pfm_registers *registers);
u64 armv8_read(struct pfm_registers *registers, u64 *values);

/* armv8_notes.c */
u64 armv8_noted_by_perf(const struct arm_pmu *pmu, unsigned int cpu, u64 counters);
u64 armv8_noted_by_us(const struct arm_pmu *pmu, unsigned int cpu, u64 counters);
bool armv8_nothing_is_noted(const struct arm_pmu *pmu, unsigned int cpu);
void armv8_note(const struct arm_pmu *pmu, unsigned int cpu, u64 counters);
void armv8_unnote(const struct arm_pmu *pmu, unsigned int cpu, u64 counters);
int armv8_notes_init(void);
void armv8_notes_exit(void);

/* armv8_interrupt.c */
void armv8_interrupt_take(const struct arm_pmu *pmu);
bool armv8_interrupt_restore(void);

/* armv8_perf.c */
bool armv8_interrupt_is_ours(const struct arm_pmu *pmu);
int armv8_perf_find(struct cpumask *list, const char **name);
u64 armv8_perf_has(u64 counters);
int armv8_perf_take(u64 wanted);
void armv8_perf_give_back(u64 counters);
int armv8_perf_init(void);
void armv8_perf_exit(void);

#endif
