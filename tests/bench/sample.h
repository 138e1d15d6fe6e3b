/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost of a sample. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

/* Fills in the rows SAMPLE..., NOT_MEASURED where there is none. */
void measure_samples(double *ours, double *perf);

#endif
