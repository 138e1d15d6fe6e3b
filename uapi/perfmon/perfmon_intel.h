/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Register map of pmu_name "intel": Intel's architectural performance monitoring (Intel SDM,
 * volume 3B, chapter "Performance Monitoring").
 *
 *	PMC 0..15	IA32_PERFEVTSEL<n>	PMD 0..15	IA32_PMC<n>
 *	PMC 16		IA32_FIXED_CTR_CTRL	PMD 16..31	IA32_FIXED_CTR<n-16>
 *
 * This is the numbering of perfmon2.  PMC n drives PMD n, and PMC 16 drives all fixed counters.
 * The processor tells how many counters it has, and their width (CPUID leaf 0AH).  A counter of 48
 * bits has a PMD of 46: the highest bit is the overflow flag, and perf, which may own the counter,
 * needs one more.  Without full-width writes (IA32_PERF_CAPABILITIES.FW_WRITE) the PMDs of
 * general counters have 30 bits.
 */
#ifndef _PERFMON_INTEL_H
#define _PERFMON_INTEL_H

#define PFM_INTEL_FIXED		     16 /* PMC of all fixed counters, PMD of the first one */

/*
 * Fields of PMC 0 to 15 that the module accepts.  It sets the enable bits itself, and ignores
 * those that are written.
 */
#define PFM_INTEL_PMC_EVENT	     0x000000ffull
#define PFM_INTEL_PMC_UMASK	     0x0000ff00ull
#define PFM_INTEL_PMC_USER	     (1ull << 16) /* USR: privilege levels 1 to 3 */
#define PFM_INTEL_PMC_KERNEL	     (1ull << 17) /* OS: privilege level 0 */
#define PFM_INTEL_PMC_EDGE	     (1ull << 18)
#define PFM_INTEL_PMC_INVERT	     (1ull << 23)
#define PFM_INTEL_PMC_CMASK	     0xff000000ull

/* The levels of fixed counter n = 0 to 15 in PMC 16. */
#define PFM_INTEL_FIXED_KERNEL(n)    (1ull << (4 * (n)))
#define PFM_INTEL_FIXED_USER(n)	     (2ull << (4 * (n)))

/* What fixed counters count. */
#define PFM_INTEL_FIXED_INSTRUCTIONS 0
#define PFM_INTEL_FIXED_CYCLES	     1
#define PFM_INTEL_FIXED_REF_CYCLES   2
#define PFM_INTEL_FIXED_SLOTS	     3

#endif
