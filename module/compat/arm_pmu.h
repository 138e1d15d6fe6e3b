/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * linux/perf/arm_pmu.h: the bit of each counter in pmu_hw_events.used_mask.
 *
 * Since 6.12, which defines ARMV8_PMU_CYCLE_IDX, the bit of event counter n is n, and the bit of
 * the cycle counter is 31, as in PMCNTENSET_EL0.  Before 6.12 the bit of the cycle counter was
 * 0, and the bit of event counter n was n + 1.
 */
#ifndef COMPAT_ARM_PMU_H
#define COMPAT_ARM_PMU_H

#include <linux/perf/arm_pmu.h>
#ifdef __has_include /* sparse does not define it */
#if __has_include(<linux/perf/arm_pmuv3.h>)
#include <linux/perf/arm_pmuv3.h> /* since 6.4 */
#endif
#endif

/* Return: the bit of counter @n in used_mask; counter 31 is the cycle counter. */
static inline unsigned int arm_pmu_used_bit(unsigned int n)
{
#ifdef ARMV8_PMU_CYCLE_IDX
	return n;
#else
	return (n + 1) % 32;
#endif
}

#endif
