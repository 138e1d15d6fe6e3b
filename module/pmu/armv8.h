/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon_armv8: armv8.c describes the PMU and moves values between registers and memory.
 * armv8_perf.c shares the PMU with the kernel's own perf_event.  armv8_used.c marks our
 * counters as used in perf's data.  armv8_interrupt.c keeps our interrupts out of perf's
 * measurements of the interrupt time.
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
 * Overflows of our counters that perf's handler may have cleared in PMOVSCLR_EL0, or that the CPU
 * may have lost together with its power.  They are handled as if they were still set in this
 * register.
 */
DECLARE_PER_CPU(u64, armv8_kept_overflows);

/* armv8.c */
extern struct pfm_pmu armv8_pmu;
void armv8_program(const struct pfm_registers *registers,
		   const struct pfm_registers *programmed);
void armv8_load(struct pfm_registers *registers, u64 pmds);
void armv8_halt(struct pfm_registers *registers);
u64 armv8_read(struct pfm_registers *registers, u64 *values);

/* armv8_used.c */
u64 armv8_used_by_perf(const struct arm_pmu *pmu, unsigned int cpu, u64 counters);
u64 armv8_used_by_us(const struct arm_pmu *pmu, unsigned int cpu, u64 counters);
bool armv8_none_used(const struct arm_pmu *pmu, unsigned int cpu);
void armv8_mark_used(const struct arm_pmu *pmu, unsigned int cpu, u64 counters);
void armv8_mark_unused(const struct arm_pmu *pmu, unsigned int cpu, u64 counters);
int armv8_used_init(void);
void armv8_used_exit(void);

/* armv8_interrupt.c */
void armv8_interrupt_interpose(const struct arm_pmu *pmu);
bool armv8_interrupt_restore(void);

/* armv8_perf.c */
bool armv8_interrupt_is_ours(const struct arm_pmu *pmu);
int armv8_perf_find(struct cpumask *list, const char **name);
u64 armv8_perf_uses(u64 counters);
int armv8_perf_claim(u64 wanted);
void armv8_perf_release(u64 counters);
int armv8_perf_init(void);
void armv8_perf_exit(void);

#endif
