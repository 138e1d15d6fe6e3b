/* SPDX-License-Identifier: GPL-2.0-only */
/* How long CPUs are idle, from /proc/stat. */
#ifndef PFMON_IDLE_H
#define PFMON_IDLE_H

#include "group.h"
#include "../common/options.h"

/**
 * struct idle - how long CPUs are idle
 * @count: number of contexts that counted when the measurement began
 * @begin: for each context, total idle time of its CPU when the measurement began, in seconds
 * @seconds: for each context, idle time of its CPU during the measurement, in seconds; NAN if this
 *	time is not known, for example because the CPU was offline for a while
 */
struct idle {
	size_t count;
	double *begin;
	double *seconds;
};

/*
 * The contexts of @group are loaded on CPUs. idle_end() stores in @sum the idle time of all these
 * CPUs together, or NAN if the idle time of one of them is not known. Both functions return 0 if
 * they succeed. If they fail, they report an error and return -1. The caller calls idle_free() in
 * any case.
 */
int idle_begin(struct idle *idle, const struct group *group);
int idle_end(struct idle *idle, const struct group *group, double *sum);

/*
 * Store in @seconds the total idle time that /proc/stat shows for each of @cpus, or NAN for a CPU
 * that is offline.
 */
void idle_read(const struct id_list *cpus, double *seconds);

void idle_free(struct idle *idle);

#endif
