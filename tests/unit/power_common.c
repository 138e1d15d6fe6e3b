// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for the suites about pfmon on POWER. */
#include <string.h>

#include "power.h"

void make_machine(struct machine *machine, const struct pmu *pmu)
{
	memset(machine, 0, sizeof(*machine));
	machine->pmu = pmu;
	machine->info.available_pmcs[0] = pmu == &pmu_power10 ? 0x1f : 0x0f;
	machine->info.available_pmds[0] = 0x7f;
}
