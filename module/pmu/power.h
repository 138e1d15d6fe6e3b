/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon_power: power.c describes the PMU and moves values between registers and memory.
 * power_claim.c takes the hardware from the kernel.  power_perf.c keeps the kernel's own
 * perf_event from using the PMU while it is ours.
 */
#ifndef PERFMON_POWER_MODULE_H
#define PERFMON_POWER_MODULE_H

#include <linux/types.h>

struct pfm_pmu;
struct pt_regs;

/*
 * The number of a register is part of the instruction that reads or writes it.  So this macro
 * repeats the code for each counter instead of looping.
 */
#define FOR_EACH_COUNTER(do_it) do_it(1) do_it(2) do_it(3) do_it(4) do_it(5) do_it(6)

/* power.c */

/**
 * struct power_machine - facts about the processor; they do not change after module init
 * @has_mmcr3: the processor has the registers of Power ISA 3.1
 * @idle_mmcr0: MMCR0 as the kernel leaves it at boot
 * @idle_mmcra: MMCRA as the kernel leaves it at boot
 * @frozen_mmcr0: MMCR0 while the hardware is ours and nothing counts
 */
struct power_machine {
	bool has_mmcr3;
	unsigned long idle_mmcr0;
	unsigned long idle_mmcra;
	unsigned long frozen_mmcr0;
};

extern struct power_machine power_machine;
void power_interrupt(struct pt_regs *regs);

/* power_claim.c */

/*
 * Return: true with the radix MMU.  With the hash MMU, the value of the module parameter "hash".
 */
bool power_may_count(void);
int power_claim(struct pfm_pmu *pmu, const u64 *pmds);
void power_release(struct pfm_pmu *pmu, const u64 *pmds);

/* power_perf.c */
int power_perf_init(void);
void power_perf_exit(void);

#endif
