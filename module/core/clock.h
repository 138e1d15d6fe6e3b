/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of what a context does, in ns; NMI-safe, to be compared on one CPU only.
 *
 * The scheduler's clock is the cheapest: a third of the instructions on POWER, and
 * what the kernel accounts CPU time by.  But on x86, where time counters of CPUs may
 * disagree, it can be a tick off, which is too much for a short stretch.
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

/* ktime_get_mono_fast_ns() may step back a little: never below nothing. */
static inline u64 pfm_clock_between(u64 begin, u64 end)
{
	if (IS_ENABLED(CONFIG_HAVE_UNSTABLE_SCHED_CLOCK))
		return max_t(s64, end - begin, 0);
	return end - begin;
}

#endif
