/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon-emulator: whether the x86 PMU that tests/vm adds to QEMU does what the manuals say,
 * by perf_event and by the registers themselves.  Nothing of perfmon is loaded.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "measure.h"

#if defined(__x86_64__)

/**
 * struct x86_pmu - what CPUID says
 * @is_intel: of Intel's make; else of AMD's
 * @version: of architectural performance monitoring; AMD: 2 with PerfMonV2, else 0
 * @counters: general counters
 * @fixed: fixed counters
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
#define RAW_INSTRUCTIONS 0xc0 /* with all makers */

/**
 * struct wanted - an event of perf's on the caller's thread, not yet enabled
 * @period: sample_period, or 0
 * @user, @kernel: levels that it counts
 * @group: its leader, or -1
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
/* Of a group with its leader; enabling sets it to zero first. */
void group_enable(int leader);
void group_disable(int leader);
uint64_t value_of(int fd);

/* Enables, loops, disables: what was counted. */
uint64_t counted_in_loop(int leader, uint64_t instructions);

/* A line of /proc/interrupts, all CPUs. */
uint64_t interrupts(const char *name);

#endif
#endif
