/* SPDX-License-Identifier: GPL-2.0-only */
/* Last branch records of Intel's processors. */
#ifndef PERFMON_INTEL_LBR_H
#define PERFMON_INTEL_LBR_H

#include "x86.h"

#define INTEL_LBR_PMCS 31
#define INTEL_LBR_PMDS 128

/*
 * If the processor has last branch records, describe their registers in @pmcs and @pmds, and let
 * @pmu use them.
 * @version: the version of architectural performance monitoring
 * @pmcs: array of at least INTEL_LBR_PMCS elements
 * @pmds: array of at least INTEL_LBR_PMDS elements
 */
void intel_lbr_describe(struct x86_pmu *pmu, unsigned int version,
			struct pfm_register *pmcs, struct pfm_register *pmds);

#endif
