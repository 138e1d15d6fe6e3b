/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 6.13 the kernel has hrtimer_setup(), which does what hrtimer_init() does and also
 * sets the callback.  Later kernels made the callback's field private, so modules cannot assign
 * it any more.
 *
 * For older kernels this file defines hrtimer_setup() as a macro that calls pfm_hrtimer_setup().
 * It does not define a function named hrtimer_setup(), because an older kernel to which
 * hrtimer_setup() was backported already has this function.
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
