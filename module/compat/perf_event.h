/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_allow_kernel(): whether kernel.perf_event_paranoid and security modules permit
 * counting at kernel level.  Modules can call it since 6.12, without attr since 6.15.
 * Before, it was an inline function that needs symbols that are not exported; there
 * security modules are not asked.
 */
#ifndef PERFMON_COMPAT_PERF_EVENT_H
#define PERFMON_COMPAT_PERF_EVENT_H

#include <linux/perf_event.h>
#include <linux/version.h>

/* 0, or a negative errno. */
static inline int perf_allow_kernel_level(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	return perf_allow_kernel();
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW, .size = sizeof(attr) };

	return perf_allow_kernel(&attr);
#else
	return 0;
#endif
}

#endif
