/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_FORK_H
#define BENCH_FORK_H

/* Stores the costs of the FORK* rows: with perfmon, with perf, and with neither. */
void measure_forks(double *ours, double *perf, double *neither);

#endif
