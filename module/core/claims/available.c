// SPDX-License-Identifier: GPL-2.0-only
/* Which registers a PMU has, and which of them are available for a context. */
#include "counting/virtual.h"
#include "available.h"
#include "claim.h"

void pfm_implemented(const struct pfm_register *registers, unsigned int count, u64 *map)
{
	unsigned int n;

	for (n = 0; n < count; n++)
		if (registers[n].name)
			map[n / 64] |= BIT_ULL(n % 64);
}

/*
 * A PMC that drives counters is available if at least one of these counters is available.  All
 * other PMCs of the PMU are always available.
 */
void pfm_available(const struct pfm_pmu *pmu, const struct pfm_context *context,
		   u64 *pmcs, u64 *pmds)
{
	unsigned int n;

	pfm_implemented(pmu->pmds, pmu->pmd_count, pmds);
	pfm_claims_subtract_held(pmu, context, pmds);
	pmds[PFM_VIRTUAL_PMD_BASE / 64] = pfm_virtual_pmds(pmu);
	for (n = 0; n < pmu->pmc_count; n++)
		if (pmu->pmcs[n].name &&
		    (!pmu->pmcs[n].counters || pmu->pmcs[n].counters & pmds[0]))
			pmcs[n / 64] |= BIT_ULL(n % 64);
}
