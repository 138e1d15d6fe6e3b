/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_FORK_H
#define BENCH_FORK_H

/* Stores the costs of rows about forks, as measure_tool() does, of all three at once. */
void measure_forks(double *ours, double *perf, double *neither);

#endif
