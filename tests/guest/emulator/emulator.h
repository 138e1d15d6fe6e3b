/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon-emulator: tests the x86 PMU that tests/vm adds to QEMU. This PMU must do what the manuals
 * say. The tests use perf_event and the PMU's registers. No module of perfmon is loaded.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "measure.h"
#include "x86_registers.h"

#if defined(__x86_64__)

/**
 * struct x86_pmu - what CPUID reports about the PMU
 * @is_intel: true for Intel, false for AMD
 * @version: version of architectural performance monitoring (AMD: 2 with PerfMonV2, otherwise 0)
 * @counters: number of general counters
 * @fixed: number of fixed counters
 */
struct x86_pmu {
	bool is_intel;
	unsigned int version;
	unsigned int counters;
	unsigned int fixed;
};

const struct x86_pmu *x86_pmu(void);

#define HARDWARE(event)	 PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define RAW(event)	 PERF_TYPE_RAW, event
#define RAW_INSTRUCTIONS 0xc0 /* the same on Intel and AMD */

/**
 * struct wanted - a perf event on the caller's thread, not yet enabled
 * @period: sample_period, or 0 if the event does not sample
 * @user: whether the event counts at user level
 * @kernel: whether the event counts at kernel level
 * @group: descriptor of its group leader, or -1 if the event is in no group or leads a group
 */
struct wanted {
	uint64_t period;
	bool user;
	bool kernel;
	int group;
};

#define AT_USER_LEVEL                                                                    \
	&(struct wanted)                                                                 \
	{                                                                                \
		.user = true, .group = -1                                                \
	}

int try_event(uint32_t type, uint64_t config, const struct wanted *wanted);
int event(uint32_t type, uint64_t config, const struct wanted *wanted);
/* Sets the counts of a group to zero and enables the group. */
void group_enable(int leader);
void group_disable(int leader);
uint64_t value_of(int fd);

/*
 * Enables the group of @leader, calls loop(@instructions) and disables the group. Returns the
 * leader's count.
 */
uint64_t counted_in_loop(int leader, uint64_t instructions);

#endif
#endif
