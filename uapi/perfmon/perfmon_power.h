/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Register map of pmu_name "power": POWER8, POWER9, POWER10 and POWER11.  The Power ISA, Book III,
 * chapter "Performance Monitor Facility", describes the registers.  The processors' user manuals
 * describe the events, and the fields of MMCR1 that select them.
 *
 *	PMC 0	MMCR0				PMD 0		TB, the time base
 *	PMC 1	MMCR1				PMD 1 .. 6	PMC1 .. PMC6
 *	PMC 2	MMCRA
 *	PMC 3	MMCR2
 *	PMC 4	MMCR3, from POWER10 on
 *
 * This is the numbering of perfmon2 for POWER4 to POWER6, followed by MMCR2 and MMCR3.  POWER calls
 * its counters PMC1 to PMC6, without a space: these names do not mean the PMCs of this map.  All
 * counters use the same PMCs.  A PMC that was not written has its default value.  The counter PMC5
 * counts instructions and the counter PMC6 counts cycles, whatever the value of MMCR1 is.
 *
 * A counter has 31 bits.  Bit 31 of the register is set when the counter has wrapped.
 *
 * PMD 0 is read-only.  While the context is monitoring with the set of PMD 0, a read returns the
 * present time base.  At all other times a read returns the value that PMD 0 had when the context
 * last stopped monitoring with this set.  PMD 0 does not measure the thread's CPU time.
 */
#ifndef _PERFMON_POWER_H
#define _PERFMON_POWER_H

#define PFM_POWER_MMCR0			0
#define PFM_POWER_MMCR1			1
#define PFM_POWER_MMCRA			2
#define PFM_POWER_MMCR2			3
#define PFM_POWER_MMCR3			4
#define PFM_POWER_PMCS			5

#define PFM_POWER_TIMEBASE		0
#define PFM_POWER_PMC1			1 /* the counter PMCn is PMD n */
#define PFM_POWER_PMC5			5
#define PFM_POWER_PMC6			6
#define PFM_POWER_PMDS			7

/*
 * The bits of MMCR0 that users may set.  The module controls the other bits.  If neither PMC5 nor
 * PMC6 is in use, the module freezes both of them, even if the user has not set FC56.  FCS freezes
 * all counters while the kernel runs, FCP while a program runs, and FCH while the hypervisor runs.
 * On bare metal, where the kernel is the hypervisor, the bits FCH of MMCR0 and MMCR2 have no
 * effect.
 */
#define PFM_POWER_MMCR0_FCS		0x40000000ull /* while the kernel runs */
#define PFM_POWER_MMCR0_FCP		0x20000000ull /* while a program runs */
#define PFM_POWER_MMCR0_CC56RUN		0x00000100ull /* PMC5, PMC6: count even on an idle CPU */
#define PFM_POWER_MMCR0_FC14		0x00000020ull /* freeze PMC1 to PMC4 */
#define PFM_POWER_MMCR0_FC56		0x00000010ull /* freeze PMC5 and PMC6 */
#define PFM_POWER_MMCR0_FCH		0x00000001ull /* while the hypervisor runs */

/* PMCn has two fields in MMCR1, unit and event.  n is 1 to 4. */
#define PFM_POWER_MMCR1_UNIT_SHIFT(n)	(64 - 4 * (n))
#define PFM_POWER_MMCR1_SELECT_SHIFT(n) (32 - 8 * (n))

/* Bits of MMCR2.  Each bit freezes one counter only: PMCn.  n is 1 to 6. */
#define PFM_POWER_MMCR2_FCS(n)		(1ull << (72 - 9 * (n))) /* while the kernel runs */
#define PFM_POWER_MMCR2_FCP(n)		(1ull << (71 - 9 * (n))) /* while a program runs */
#define PFM_POWER_MMCR2_FCH(n)		(1ull << (66 - 9 * (n))) /* while the hypervisor runs */

#endif
