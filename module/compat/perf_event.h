/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_allow_kernel() checks whether kernel.perf_event_paranoid and security modules
 * permit counting at kernel level.  Modules can call it since 6.12.  Kernel 6.15 removed its
 * argument, and so did an update of 6.12 (seen in 6.12.117).  So, to call the function correctly,
 * we look at its type, not at the kernel's version.  Before 6.12 perf_allow_kernel() was an inline
 * function that used unexported symbols.  So on those kernels we do not ask the security modules
 * whether they permit perf events.
 */
#ifndef PERFMON_COMPAT_PERF_EVENT_H
#define PERFMON_COMPAT_PERF_EVENT_H

#include <linux/perf_event.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
static inline int pfm_call_allow(int (*allow)(void))
{
	return allow();
}

static inline int pfm_call_allow_attr(int (*allow)(struct perf_event_attr *))
{
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW, .size = sizeof(attr) };

	return allow(&attr);
}
#endif

/* Return: 0, or a negative errno. */
static inline int perf_allow_kernel_level(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return _Generic(&perf_allow_kernel, int (*)(void)
			: pfm_call_allow, default
			: pfm_call_allow_attr)(perf_allow_kernel);
#else
	return 0;
#endif
}

#endif
