/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hrtimer_setup(): since 6.13, one call for hrtimer_init() and the assignment
 * of the callback; the only way since the field became private.
 *
 * A macro that calls a function with a name of our own, so that an older kernel with a
 * backport of the new call still compiles.
 */
#ifndef PERFMON_COMPAT_HRTIMER_H
#define PERFMON_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void pfm_hrtimer_setup(struct hrtimer *timer,
				     enum hrtimer_restart (*function)(struct hrtimer *),
				     clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#define hrtimer_setup pfm_hrtimer_setup
#endif

#endif
