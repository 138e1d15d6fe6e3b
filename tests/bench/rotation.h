/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost of a set switch. */
#ifndef BENCH_ROTATION_H
#define BENCH_ROTATION_H

/* Stores the costs of the rows ROTATION_*, except of those that cannot be measured here. */
void measure_rotations(double *ours, double *perf);

#endif
