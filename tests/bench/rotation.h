/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost of a set switch. */
#ifndef BENCH_ROTATION_H
#define BENCH_ROTATION_H

/* Fills in those rows ROTATION... that can be measured. */
void measure_rotations(double *ours, double *perf);

#endif
