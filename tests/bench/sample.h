/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the cost of a sample. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

/* Stores the costs of those SAMPLE* rows that can be measured in this guest. */
void measure_samples(double *ours, double *perf);

#endif
