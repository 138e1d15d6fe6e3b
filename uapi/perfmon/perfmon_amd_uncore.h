/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Register maps of the PMUs that the cores of AMD's processors share (family 17h and later).
 * Source: Processor Programming Reference of these families.
 *
 * pmu_name "amd_l3": the third-level cache.  The cores of an L3 complex share six counters.
 *
 *	PMC 0..5	L3PMCCTL<n>		PMD 0..5	L3PMCCTR<n>
 *
 * pmu_name "amd_df": the data fabric.  A package has four counters.  On processors with PerfMonV2 a
 * package may have more: CPUID returns the number, and the module uses at most 16 counters.
 *
 *	PMC 0..3	DF_PERF_CTL<n>		PMD 0..3	DF_PERF_CTR<n>
 *
 * PMC n drives PMD n.  If perf uses counters of the same PMU, PMC n may be a hardware register with
 * another number.  This does not change the count, because all counters of a PMU can count the same
 * events.  Counters have 48 bits and no overflow interrupt.  The module reads the counters at
 * intervals and adds up what they have counted, so PMDs have 64 bits.  The module notices an
 * overflow of a PMD up to one interval late.  An interval is one second; the module parameter
 * poll_ms changes it.
 *
 * Only system-wide contexts can use these PMUs.
 */
#ifndef _PERFMON_AMD_UNCORE_H
#define _PERFMON_AMD_UNCORE_H

/* The fields that the user may set in a PMC.  The module sets the enable bit itself. */
#define PFM_AMD_UNCORE_EVENT	  0xffull
#define PFM_AMD_UNCORE_UMASK	  0xff00ull

/*
 * "amd_df": the upper bits of the event and of the unit mask.  The fields with _V2 are for
 * processors with PerfMonV2.  PFM_AMD_DF_EVENT is for all other processors (up to Zen 3).
 */
#define PFM_AMD_DF_EVENT	  0x1800000f00000000ull
#define PFM_AMD_DF_EVENT_V2	  0x3f00000000ull
#define PFM_AMD_DF_UMASK_V2	  0xf000000ull

/*
 * "amd_l3": these fields select for which threads, and for which slices of the cache, an event is
 * counted.  Families 17h and 18h have a bit for each thread of the complex, and a bit for each
 * slice.  If no bit of a field is set, the module sets all bits of this field.
 */
#define PFM_AMD_L3_SLICES	  0x000f000000000000ull
#define PFM_AMD_L3_THREADS	  0xff00000000000000ull

/*
 * On family 19h and later, these fields select one core or all cores, and one slice or all slices.
 * PFM_AMD_L3_19H_THREADS has a bit for each thread of a core.  If none of the bits of this field is
 * set, the module ignores the four other fields, and selects all threads, cores and slices.
 */
#define PFM_AMD_L3_19H_CORE	  0x00001c0000000000ull
#define PFM_AMD_L3_19H_ALL_SLICES 0x0000400000000000ull
#define PFM_AMD_L3_19H_ALL_CORES  0x0000800000000000ull
#define PFM_AMD_L3_19H_SLICE	  0x0007000000000000ull
#define PFM_AMD_L3_19H_THREADS	  0x0300000000000000ull

#endif
