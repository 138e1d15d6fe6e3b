/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Register maps of the PMUs that the cores of AMD's processors share, from family 17h on.  Source:
 * Processor Programming Reference of these families.
 *
 * pmu_name "amd_l3": the third-level cache.  The cores of an L3 complex share six counters.
 *
 *	PMC 0..5	L3PMCCTL<n>		PMD 0..5	L3PMCCTR<n>
 *
 * pmu_name "amd_df": the data fabric.  A package has four counters; with PerfMonV2, CPUID returns
 * the number of counters, at most 16.
 *
 *	PMC 0..3	DF_PERF_CTL<n>		PMD 0..3	DF_PERF_CTR<n>
 *
 * PMC n drives PMD n.  If perf uses counters of the same PMU, the number of a PMC may differ from
 * the number of the register in hardware.  This does not matter, because all registers of a PMU
 * can count the same events.  Counters have 48 bits and no overflow interrupt.  The module reads
 * the counters once per second, so PMDs have 64 bits, and the module finds an overflow of a PMD
 * up to a second late.
 *
 * Only system-wide contexts can use these PMUs.
 */
#ifndef _PERFMON_AMD_UNCORE_H
#define _PERFMON_AMD_UNCORE_H

/* Fields of a PMC that the module accepts.  The module sets the enable bit itself. */
#define PFM_AMD_UNCORE_EVENT	  0xffull
#define PFM_AMD_UNCORE_UMASK	  0xff00ull

/*
 * "amd_df": more bits of the event, up to Zen 3; with PerfMonV2 (_V2), more bits of the event and
 * of the unit mask.
 */
#define PFM_AMD_DF_EVENT	  0x1800000f00000000ull
#define PFM_AMD_DF_EVENT_V2	  0x3f00000000ull
#define PFM_AMD_DF_UMASK_V2	  0xf000000ull

/*
 * "amd_l3": an event is counted for the threads and in the slices of the cache that these fields
 * select.  Family 17h has a bit for each thread of the complex, and a bit for each slice.  If no
 * bit of a field is set, the module sets all bits of this field.
 */
#define PFM_AMD_L3_SLICES	  0x000f000000000000ull
#define PFM_AMD_L3_THREADS	  0xff00000000000000ull

/*
 * Family 19h and later select one core or all cores, one slice or all slices, and have a bit for
 * each thread of the core.  If no thread's bit is set, the module selects all threads, cores
 * and slices.
 */
#define PFM_AMD_L3_19H_CORE	  0x00001c0000000000ull
#define PFM_AMD_L3_19H_ALL_SLICES 0x0000400000000000ull
#define PFM_AMD_L3_19H_ALL_CORES  0x0000800000000000ull
#define PFM_AMD_L3_19H_SLICE	  0x0007000000000000ull
#define PFM_AMD_L3_19H_THREADS	  0x0300000000000000ull

#endif
