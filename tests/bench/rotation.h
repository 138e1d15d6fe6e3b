/* SPDX-License-Identifier: GPL-2.0-only */
/* What it costs to go from one event set to the next. */
#ifndef BENCH_ROTATION_H
#define BENCH_ROTATION_H

/* Fill in the rows ROTATION...; NOT_MEASURED where there is none. */
void measure_rotations(double *ours, double *perf);

#endif
