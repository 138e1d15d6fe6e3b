/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters and events that are measured, for each PMU. */
#ifndef BENCH_PMUS_H
#define BENCH_PMUS_H

#include <stdbool.h>
#include <stdint.h>

#define MOST_COUNTERS 6

/**
 * struct counter - a counter of perfmon
 * @value: value of the PMC that controls the counter
 * @other: value of the same PMC in every second event set, if the sets count different events
 */
struct counter {
	uint16_t pmc;
	uint64_t value;
	uint64_t other;
	uint16_t pmd;
};

/**
 * struct perf_counters - raw events of perf; all 0 if perf has no hardware events
 * @events: event codes, those of instructions where possible; for each n, perf can count the first
 *	n of these events at the same time
 * @rotation: events of a group. Two such groups are opened, and the PMU has too few counters to
 *	count both groups at the same time
 * @cycles: perf's event that counts the same thing as struct pmu.cycles
 */
struct perf_counters {
	uint64_t events[MOST_COUNTERS];
	uint64_t rotation[MOST_COUNTERS];
	uint64_t cycles;
};

/**
 * struct pmu - what is measured with a PMU
 * @cycles: a counter of cycles; QEMU raises the counter's overflow interrupts without delay
 * @cycles_of_user: PMC value that makes @cycles count at user level only
 * @recorded: bitmap of the four PMDs whose values are in the samples of row SAMPLE_4
 */
struct pmu {
	const char *name;
	struct counter counters[MOST_COUNTERS];
	struct counter cycles;
	uint64_t cycles_of_user;
	uint64_t recorded;
	struct perf_counters perf;
};

/* Returns the PMU whose module is loaded. */
const struct pmu *find_pmu(void);
bool has_hardware_events(void);

#endif
