/* SPDX-License-Identifier: GPL-2.0-only */
/* An interval of pfmon top: the sums of its samples, and how busy each CPU was. */
#ifndef PFMON_INTERVAL_H
#define PFMON_INTERVAL_H

#include "../report/profile.h"

/**
 * struct cpu_row - a CPU in an interval
 * @cpu: number of the CPU
 * @is_offline: the CPU has gone offline, so it is no longer sampled
 * @busy: fraction of the interval during which the CPU was not idle, from 0 to 1; NAN if it is not
 *	known
 * @samples: number of samples
 * @events: number of events that @samples stand for
 * @lost: number of lost samples
 */
struct cpu_row {
	uint32_t cpu;
	bool is_offline;
	double busy;
	uint64_t samples;
	uint64_t events;
	uint64_t lost;
};

/**
 * struct interval - an interval between two tables of pfmon top
 * @recording: the samples
 * @profile: sums of the samples
 * @cpus: the CPUs, in the order of their contexts
 * @cpu_count: number of @cpus
 * @seconds: length of the interval
 */
struct interval {
	struct recording recording;
	struct profile profile;
	struct cpu_row *cpus;
	size_t cpu_count;
	double seconds;
};

/*
 * interval_read() reads a recording of @cpu_count CPUs from @fd, a file in memory.  The caller then
 * fills in @interval->seconds, and sets @cpu, @is_offline and @busy in each of @interval->cpus.
 * Then it calls interval_sort(), which adds the samples up.  interval_sort() may be called again,
 * to sort by other keys.  Each call uses the symbols that have been read for @earlier, because
 * reading them again would take long.  In the first call for an interval, @earlier is the previous
 * interval, or an empty one if there is none.  In later calls, @earlier is @interval itself.  Both
 * functions return 0, or -1 after reporting an error.  The caller calls interval_free() in either
 * case.
 */
int interval_read(struct interval *interval, int fd, size_t cpu_count);
int interval_sort(struct interval *interval, struct profile_options *options,
		  struct interval *earlier);
void interval_free(struct interval *interval);

#endif
