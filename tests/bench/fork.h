/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_FORK_H
#define BENCH_FORK_H

/*
 * Measures the rows FORK* of ROWS (operations.h). Stores the costs with perfmon in @ours, those
 * with perf in @perf, and the cost without any counters in @neither.
 */
void measure_forks(double *ours, double *perf, double *neither);

#endif
