/* SPDX-License-Identifier: GPL-2.0-only */
/* Precise event-based sampling (PEBS) of perfmon_intel. */
#ifndef PERFMON_INTEL_PEBS_H
#define PERFMON_INTEL_PEBS_H

#include "intel_counters.h"
#include "x86.h"

const struct x86_pebs *intel_pebs_set_up(const struct intel_counters *counters,
					 bool mixed, bool shared, const char *erratum,
					 struct pfm_register *pmc);
void intel_pebs_free(void);

#endif
