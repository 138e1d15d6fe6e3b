/* SPDX-License-Identifier: GPL-2.0-only */
/* Print the counts of each CPU. */
#ifndef PFMON_PER_CPU_H
#define PFMON_PER_CPU_H

#include <stdio.h>

#include "../run/group.h"
#include "../run/idle.h"
#include "results.h"
#include "stat_options.h"

/*
 * Print the counts of each context of @group. The contexts are on the CPUs of @results->targets.
 * @results are the sums over all contexts. Reports an error and returns -1, or returns 0.
 */
int per_cpu_print(const struct results *results, const struct group *group,
		  const struct idle *idle, const struct stat_options *options,
		  FILE *file);

#endif
