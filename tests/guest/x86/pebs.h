/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about precise sampling with Intel's PEBS. */
#ifndef PEBS_H
#define PEBS_H

#include <stdbool.h>
#include <stdint.h>
#include <perfmon/perfmon_intel.h>

#include "precise_loop.h"
#include "samples.h"

#define PEBS_PARAMETER "/sys/module/perfmon_intel/parameters/pebs"

#define LENGTH	       MILLION
/*
 * A processor samples the first instruction after a period. So the distance between two samples is
 * the period plus one instruction. The loop has ten instructions. With PERIOD_10, all samples are
 * of the same instruction. With PERIOD_7, each sample is seven instructions further in the loop
 * than the sample before.
 */
#define PERIOD_10      9999
#define PERIOD_7       10006
#define SAMPLED	       0 /* the counter that is sampled */
#define BESIDE	       1 /* counts the same instructions, but is not sampled */

/* ---- whether there is PEBS ---------------------------------------------------------------- */

/* Returns whether the PMU is Intel's. AMD's processors have no PEBS. */
bool is_intel(void);
bool processor_has_pebs(void);
/* Returns the format of the records, 0 to 6, or -1 if there is no precise sampling. */
int pebs_format(void);
/*
 * Does nothing on AMD's processors. On Intel's processors, does the same as with_own_counters() if
 * the processor has PEBS. If it has no PEBS, this function only checks that the module reports
 * this.
 */
void with_pebs(void (*check)(void));

/* ---- contexts ----------------------------------------------------------------------------- */

/*
 * Sets up counter SAMPLED, which samples the instructions at @levels precisely, and counter BESIDE,
 * which counts the same instructions, beginning at 0.
 */
void sample_precisely(int fd, uint64_t period, unsigned int levels);
/*
 * Loads the context on this thread, starts it, calls precise_loop(@length), and stops the context.
 */
void run_precisely(int fd, uint64_t length);

#endif
