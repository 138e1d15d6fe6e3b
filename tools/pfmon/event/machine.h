/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be counted on this machine. */
#ifndef PFMON_MACHINE_H
#define PFMON_MACHINE_H

#include "pmu.h"
#include "scope.h"

/**
 * struct machine - what can be counted here
 * @info: what the module reports
 * @pmu: what pfmon knows about the PMU; NULL if nothing
 * @scope: what the registers of the PMU belong to, if several CPUs share them; else empty
 * @is_user_level: the context counts nothing at kernel level
 * @is_system_wide: the context is for a CPU, so it has no PMDs that belong to a thread
 */
struct machine {
	struct pfm_info info;
	const struct pmu *pmu;
	char scope[SCOPE_TEXT];
	bool is_user_level;
	bool is_system_wide;
};

/*
 * These functions report an error and return -1, or return 0.  machine_ask() queries the device
 * or the context of @fd.  machine_look() queries the device or, if @pmu is not NULL, a context of
 * that PMU, which it opens and closes.
 */
int machine_ask(struct machine *machine, int fd);
int machine_look(struct machine *machine, const char *pmu);

#endif
