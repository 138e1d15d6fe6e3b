/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts on CPUs.  If several CPUs share the registers of the PMU, one context counts for all of
 * them, on the CPU that owns the registers.
 */
#ifndef PFMON_CPUS_H
#define PFMON_CPUS_H

#include "targets.h"

/*
 * Attach a context of @group to each CPU of @targets, or to the owners of its registers.  Reports an
 * error and returns -1, or returns 0.
 */
int cpus_attach(const struct targets *targets, struct group *group);

/* Store the CPUs of the contexts of @group in @cpus, in order.  Reports an error and returns -1, or returns 0. */
int cpus_list(const struct group *group, struct id_list *cpus);

#endif
