/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMU "amd_ibs" of perfmon_amd. */
#ifndef PERFMON_AMD_IBS_MODULE_H
#define PERFMON_AMD_IBS_MODULE_H

#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <perfmon/perfmon_amd.h>

#include "perfmon_pmu.h"

#define IBS_COUNTERS   (BIT_ULL(PFM_AMD_IBS_FETCH) | BIT_ULL(PFM_AMD_IBS_OP))

/* The largest value that we store in period_left, a signed field of struct hw_perf_event. */
#define IBS_MOST_LEFT  (1ll << 62)

/* The longest period that every unit of every processor can count. */
#define IBS_MOST_BASIC 0xffff0ull

enum unit {
	FETCH,
	OP,
	UNITS
};

/**
 * struct ibs_cpu - IBS on a CPU; used by that CPU only, interrupts off
 * @placeholders: for each unit, the perf event that holds it; NULL if we do not hold the unit
 * @loaded: the set that counts here; NULL if none does
 * @running: counters of @loaded whose units run
 * @pending: counters of @loaded with an overflow that has not been acknowledged yet
 * @left: for each unit, the number of events from its start to the overflow
 * @data: the data registers of the last sample, indexed by the numbers of their PMDs; 0 if the
 *	unit took no sample
 * @kept: for each unit, the contents of its control register before an NMI halted the unit; 0 if no
 *	NMI has halted it
 * @next: during an NMI: the set that counts after this NMI; NULL if none does
 * @is_changing: registers are being written, so an NMI only halts the units and keeps their
 *	samples
 * @missed: an NMI came while @is_changing was true
 * @expects_late: an NMI without a sample is ours if it comes before @late_until
 * @late_until: @expects_late has no effect after this time (jiffies)
 * @drop_tick: tick of the last dropped sample, in jiffies
 * @drops: number of samples that were dropped in @drop_tick
 * @sequence: changes whenever an NMI changes the set's values
 */
struct ibs_cpu {
	struct perf_event *placeholders[UNITS];
	struct pfm_registers *loaded;
	u64 running;
	u64 pending;
	s64 left[UNITS];
	u64 data[PFM_AMD_IBS_REGISTERS];
	u64 kept[UNITS];
	struct pfm_registers *next;
	bool is_changing;
	bool missed;
	bool expects_late;
	unsigned long late_until;
	unsigned long drop_tick;
	unsigned int drops;
	unsigned int sequence;
};

DECLARE_PER_CPU(struct ibs_cpu, ibs_cpus);

static inline enum unit unit_of(unsigned int n)
{
	return n == PFM_AMD_IBS_FETCH ? FETCH : OP;
}

/* amd_ibs.c */
void amd_ibs_park(struct perf_event *event, enum unit unit);
void amd_ibs_expect_late(struct ibs_cpu *cpu);
int amd_ibs_nmi(unsigned int type, struct pt_regs *regs);
int amd_ibs_nmi_end(unsigned int type, struct pt_regs *regs);

/* amd_ibs_data.c */
void amd_ibs_collect(struct ibs_cpu *cpu, enum unit unit);
void amd_ibs_drop(struct ibs_cpu *cpu, enum unit unit);
bool amd_ibs_is_of_kernel(u64 address);
u64 amd_ibs_instruction(const struct ibs_cpu *cpu, enum unit unit);
void amd_ibs_sample(const struct pfm_registers *registers, const u64 *pmds, u64 *values);
void amd_ibs_describe_data(struct pfm_register *pmds);

/* amd_ibs_placeholders.c */
bool amd_ibs_find_units(void);
int amd_ibs_claim(struct pfm_pmu *pmu, const u64 *pmds);
void amd_ibs_release(struct pfm_pmu *pmu, const u64 *pmds);

/*
 * Register the PMU if the processor has IBS and perf supports it.  Process context, may sleep.
 * Return: 0 on success, or if the processor or perf lacks IBS; the error of pfm_pmu_register() if
 * that function fails.
 */
int amd_ibs_register(void);

/* Undo amd_ibs_register().  Process context, may sleep. */
void amd_ibs_unregister(void);

#endif
