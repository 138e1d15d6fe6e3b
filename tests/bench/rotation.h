/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost of a set switch. */
#ifndef BENCH_ROTATION_H
#define BENCH_ROTATION_H

/* Fills in the rows ROTATION..., NOT_MEASURED where there is none. */
void measure_rotations(double *ours, double *perf);

#endif
