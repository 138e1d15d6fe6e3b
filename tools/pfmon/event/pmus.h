/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMUs that are registered. */
#ifndef PFMON_PMUS_H
#define PFMON_PMUS_H

#include <stdbool.h>

/* Size of a buffer for the names of PMUs. */
#define PMU_NAMES 256

/*
 * Store the names of all registered PMUs in @text, as in "amd (default), amd_l3 (l3), soft". If
 * several CPUs share the registers of a PMU, its scope follows in parentheses. Returns false if no
 * PMU is registered.
 */
bool pmus_text(char text[PMU_NAMES]);

#endif
