/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the cost of a set switch. */
#ifndef BENCH_ROTATION_H
#define BENCH_ROTATION_H

/* Stores the costs of those ROTATION_* rows that can be measured in this guest. */
void measure_rotations(double *ours, double *perf);

#endif
