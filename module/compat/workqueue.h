/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 6.17 system_unbound_wq has the new name system_dfl_wq.  Kernels that have both names warn
 * when code uses the old name to queue work.  hrtimer.h says why the new name is a macro here.
 */
#ifndef PERFMON_COMPAT_WORKQUEUE_H
#define PERFMON_COMPAT_WORKQUEUE_H

#include <linux/version.h>
#include <linux/workqueue.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_dfl_wq system_unbound_wq
#endif

#endif
