/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost of a sample. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

/* Fills in those rows SAMPLE... that can be measured. */
void measure_samples(double *ours, double *perf);

#endif
