/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the plan of a round from a seed and a PMU. */
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H

#include "plan.h"

/* The PMU whose registers the plan uses. */
enum pmu {
	PMU_SOFT,
	PMU_ARMV8,
	PMU_POWER,
	PMU_INTEL,
	PMU_AMD
};

/* The plan is valid until the next one is made. */
const struct plan *generate(uint64_t seed, enum pmu pmu);

#endif
