/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Register map of pmu_name "soft": counters that the kernel computes, for machines without a usable
 * PMU.
 *
 * PMC n selects what PMD n counts, n = 0 .. PFM_SOFT_COUNTERS - 1.
 */
#ifndef _PERFMON_SOFT_H
#define _PERFMON_SOFT_H

#define PFM_SOFT_COUNTERS	  8

/*
 * Values of a PMC.  A write of any other value fails with EINVAL.  In a system-wide context, a
 * write of PFM_SOFT_CONTEXT_SWITCHES or of a higher value fails with EINVAL, too.
 */
#define PFM_SOFT_NOTHING	  0 /* the default */
#define PFM_SOFT_TASK_CLOCK	  1 /* ns of CPU time of the thread */
#define PFM_SOFT_TIME_COUNTER	  2 /* CPU time in ticks of TSC, CNTVCT_EL0 or timebase */
#define PFM_SOFT_CONTEXT_SWITCHES 3 /* how often the thread was switched out */
#define PFM_SOFT_CPU_MIGRATIONS	  4 /* how often the thread went to another CPU */
#define PFM_SOFT_MINOR_FAULTS	  5 /* page faults without I/O */
#define PFM_SOFT_MAJOR_FAULTS	  6 /* page faults that waited for I/O */

#endif
