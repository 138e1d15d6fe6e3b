/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * system_dfl_wq: since 6.17, the new name of system_unbound_wq.  Kernels that have both
 * names warn when work is queued under the old one.  Why a macro: see hrtimer.h.
 */
#ifndef PERFMON_COMPAT_WORKQUEUE_H
#define PERFMON_COMPAT_WORKQUEUE_H

#include <linux/version.h>
#include <linux/workqueue.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_dfl_wq system_unbound_wq
#endif

#endif
