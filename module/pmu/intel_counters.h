/* SPDX-License-Identifier: GPL-2.0-only */
/* perfmon_intel: finds out which counters and events all CPUs have. */
#ifndef PERFMON_INTEL_COUNTERS_H
#define PERFMON_INTEL_COUNTERS_H

#include <linux/types.h>

/**
 * struct intel_counters - what CPUID and IA32_PERF_CAPABILITIES describe
 * @version: version of architectural performance monitoring
 * @general: bitmap of the general counters
 * @fixed: bitmap of the fixed counters
 * @general_bits: width of a general counter
 * @fixed_bits: width of a fixed counter
 * @events: bitmap of the architectural events, by their number in CPUID leaf 0AH
 * @select: bits of an event select that may be written
 * @capabilities: IA32_PERF_CAPABILITIES
 */
struct intel_counters {
	u32 version;
	u32 general;
	u32 fixed;
	u32 general_bits;
	u32 fixed_bits;
	u32 events;
	u64 select;
	u64 capabilities;
};

int intel_find_counters(struct intel_counters *counters, bool *mixed);
bool intel_is_architectural(u64 select, u32 events);

#endif
