/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be counted on this machine. */
#ifndef PFMON_MACHINE_H
#define PFMON_MACHINE_H

#include "pmu.h"
#include "scope.h"

/**
 * struct machine - what can be counted on this machine
 * @info: result of pfm_get_info()
 * @pmu: pfmon's description of the PMU; NULL if pfmon has none
 * @scope: if several CPUs share the PMU's registers, the scope of the registers; empty if each CPU
 *	has its own registers
 * @is_user_level: the context that machine_ask() queried counts at user level only
 * @is_system_wide: pfmon monitors CPUs, so its contexts lack the virtual PMDs that count events of
 *	a thread, such as context switches
 */
struct machine {
	struct pfm_info info;
	const struct pmu *pmu;
	char scope[SCOPE_TEXT];
	bool is_user_level;
	bool is_system_wide;
};

/*
 * machine_ask() queries @fd, which is the device or a context. machine_look() opens, queries and
 * closes a context of @pmu, or the device if @pmu is NULL. Both return 0, or -1 after reporting an
 * error.
 */
int machine_ask(struct machine *machine, int fd);
int machine_look(struct machine *machine, const char *pmu);

#endif
