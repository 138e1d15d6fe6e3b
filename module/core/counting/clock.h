/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The core's clock, in ns.  It is NMI-safe; only values of the same CPU may be compared.
 *
 * The scheduler's clock, local_clock(), is cheaper than ktime_get_mono_fast_ns(): on POWER it needs
 * only a third of the instructions.  It is also the clock with which the kernel accounts CPU time.
 * But on x86 the time stamp counters (TSC) of the CPUs may disagree.  Then local_clock() can be off
 * by a tick, which is too much when short times are measured.  So the core uses
 * ktime_get_mono_fast_ns() on x86, and local_clock() elsewhere.
 */
#ifndef PERFMON_CLOCK_H
#define PERFMON_CLOCK_H

#include <linux/kconfig.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/timekeeping.h>

static inline u64 pfm_clock(void)
{
	if (IS_ENABLED(CONFIG_HAVE_UNSTABLE_SCHED_CLOCK))
		return ktime_get_mono_fast_ns();
	return local_clock();
}

/* ktime_get_mono_fast_ns() may step back a little.  In this case pfm_clock_between() returns 0. */
static inline u64 pfm_clock_between(u64 begin, u64 end)
{
	if (IS_ENABLED(CONFIG_HAVE_UNSTABLE_SCHED_CLOCK))
		return max_t(s64, end - begin, 0);
	return end - begin;
}

#endif
