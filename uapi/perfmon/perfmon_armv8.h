/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Register map of pmu_name "armv8": Arm PMUv3 (Arm Architecture Reference Manual, DDI 0487,
 * chapter "The Performance Monitors Extension").
 *
 * PMC n drives PMD n, and bit n of PMCNTENSET_EL0 enables the counter:
 *
 *	PMC 0..30	PMEVTYPER<n>_EL0	PMD 0..30	PMEVCNTR<n>_EL0
 *	PMC 31		PMCCFILTR_EL0		PMD 31		PMCCNTR_EL0
 *
 * The CPU has PMCR_EL0.N event counters.  They are 32 bits wide, or 64 bits if the CPU has
 * FEAT_PMUv3p5 and PMCR_EL0.LP is 1.  The cycle counter is 64 bits wide.
 */
#ifndef _PERFMON_ARMV8_H
#define _PERFMON_ARMV8_H

#define PFM_ARMV8_CYCLE_COUNTER	     31

/*
 * Fields of a PMC that the module accepts; the other bits are reserved.  Event numbers have 16 bits
 * with FEAT_PMUv3p1, and 10 bits without it.  EXCLUDE_KERNEL excludes the kernel, whether it runs
 * at EL1 or EL2.  INCLUDE_HYP includes a hypervisor at EL2; it has no effect if the kernel itself
 * runs at EL2.
 */
#define PFM_ARMV8_PMC_EVENT	     0x0000ffffull /* evtCount, not in PMC 31 */
#define PFM_ARMV8_PMC_EXCLUDE_KERNEL (1ull << 31) /* P */
#define PFM_ARMV8_PMC_EXCLUDE_USER   (1ull << 30) /* U */
#define PFM_ARMV8_PMC_INCLUDE_HYP    (1ull << 27) /* NSH */

#endif
