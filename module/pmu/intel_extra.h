/* SPDX-License-Identifier: GPL-2.0-only */
/* Intel: registers that refine what an event counts. */
#ifndef PERFMON_INTEL_EXTRA_MODULE_H
#define PERFMON_INTEL_EXTRA_MODULE_H

#include "x86.h"

/*
 * Describe in @pmcs and in @pmu those registers that this processor model has.  Called only with
 * exclusive ownership.
 */
void intel_extra_describe(struct x86_pmu *pmu, struct pfm_register *pmcs);

/*
 * Return: whether PMC @n accepts @value.  For a PMC that does not refine what an event counts, the
 * result is true.
 */
bool intel_extra_accepts(const struct x86_pmu *pmu, unsigned int n, u64 value);

#endif
