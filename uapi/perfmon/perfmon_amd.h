/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Register map of pmu_name "amd": AMD's core performance counters (AMD64 APM, volume 2, section
 * "Performance Monitoring Counters").
 *
 *	PMC 0..5	PERF_CTL<n>		PMD 0..5	PERF_CTR<n>
 *
 * This is the numbering of perfmon2.  PMC n drives PMD n.  K8 and the families 10h to 14h have
 * four counters, later families six.  A counter has 48 bits; the highest one is its overflow
 * flag, so a PMD has 47.
 */
#ifndef _PERFMON_AMD_H
#define _PERFMON_AMD_H

/*
 * Fields of a PMC that the module accepts.  It sets the enable bits itself, and ignores those
 * that are written.
 */
#define PFM_AMD_PMC_EVENT  0xf000000ffull /* 12 bits, in two parts */
#define PFM_AMD_PMC_UMASK  0x00000ff00ull
#define PFM_AMD_PMC_USER   (1ull << 16) /* USR: privilege level 3 */
#define PFM_AMD_PMC_KERNEL (1ull << 17) /* OS: privilege levels 0 to 2 */
#define PFM_AMD_PMC_EDGE   (1ull << 18)
#define PFM_AMD_PMC_INVERT (1ull << 23)
#define PFM_AMD_PMC_CMASK  0x0ff000000ull

#endif
