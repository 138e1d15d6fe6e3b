/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the cost of a sample. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

/*
 * Measures those rows SAMPLE* of ROWS (operations.h) that can be measured in this guest. Stores the
 * costs with perfmon in @ours, and those with perf in @perf.
 */
void measure_samples(double *ours, double *perf);

#endif
