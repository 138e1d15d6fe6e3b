/* SPDX-License-Identifier: GPL-2.0-only */
/* Since 6.16 asm/processor.h no longer declares cpuid_count() and similar functions. */
#ifndef PERFMON_COMPAT_CPUID_H
#define PERFMON_COMPAT_CPUID_H

#include <asm/processor.h>

#ifdef __has_include /* sparse does not define it */
#if __has_include(<asm/cpuid/api.h>)
#include <asm/cpuid/api.h>
#endif
#endif

#endif
