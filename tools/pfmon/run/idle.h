/* SPDX-License-Identifier: GPL-2.0-only */
/* The time for which CPUs are idle, from /proc/stat. */
#ifndef PFMON_IDLE_H
#define PFMON_IDLE_H

#include "group.h"
#include "../common/options.h"

/**
 * struct idle - how long CPUs are idle
 * @begin: seconds for which each CPU had been idle when the measurement began
 * @seconds: seconds for which each was idle during the measurement; NAN if the CPU was offline
 */
struct idle {
	double *begin;
	double *seconds;
};

/* Store in @seconds for how long each of @cpus has been idle since the boot; NAN if it is offline. */
void idle_read(const struct id_list *cpus, double *seconds);

/* The caller calls idle_free() in any case.  Reports an error and returns -1, or returns 0. */
int idle_begin(struct idle *idle, const struct id_list *cpus);

/* @group: the contexts on @cpus, still attached.  Returns the sum over the CPUs, or NAN. */
double idle_end(struct idle *idle, const struct id_list *cpus, const struct group *group);

void idle_free(struct idle *idle);

#endif
