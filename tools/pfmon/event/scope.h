/* SPDX-License-Identifier: GPL-2.0-only */
/* PMUs whose registers several CPUs share, such as the counters of a cache. */
#ifndef PFMON_SCOPE_H
#define PFMON_SCOPE_H

#include <stdbool.h>

/* Size of a buffer for the name of a scope. */
#define SCOPE_TEXT 32

/*
 * Store in @text the scope of PMU @pmu, such as "l3". If each CPU has its own registers, or if the
 * scope is not known, stores an empty text and returns false.
 */
bool scope_find(const char *pmu, char text[SCOPE_TEXT]);

/*
 * Returns a list of the CPUs that own registers of PMU @pmu at this moment, such as "0,8". Returns
 * NULL if these CPUs are not known. The caller frees the text.
 */
char *scope_owners(const char *pmu);

#endif
