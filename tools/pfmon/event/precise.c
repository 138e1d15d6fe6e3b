// SPDX-License-Identifier: GPL-2.0-only
/*
 * Precise events. Of the PMU modules, only perfmon_intel supports precise events. The parameter
 * "pebs" of this module shows whether the processor supports them.
 */
#include <stdio.h>
#include <string.h>

#include "../common/first_line.h"
#include "precise.h"

/*
 * The first layout of PEBS records that contains the address of the instruction that caused the
 * event. Earlier layouts contain only the address of the next instruction.
 */
#define FIRST_EXACT_LAYOUT 2

bool precise_text(const struct machine *machine, char text[PRECISE_TEXT])
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/perfmon_%s/parameters/pebs",
		 machine->info.pmu_name);
	return first_line(path, text, PRECISE_TEXT);
}

/*
 * With MODE_PRECISE, pmu.encode() returns 0 for a counter that cannot sample precisely, such as a
 * fixed counter.
 */
bool precise_only_fixed(const struct machine *machine, uint64_t code)
{
	const struct pmu *pmu = machine->pmu;
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	uint16_t pmds[PFM_MAX_HARDWARE];
	const unsigned int count = pmu_counters(pmu, &machine->info, code, pmds);

	for (unsigned int i = 0; i < count; i++)
		if (pmu->encode(pmu, code, MODE_BOTH | MODE_PRECISE, pmds[i], bits))
			return false;
	return count > 0;
}

const char *precise_refusal(const struct machine *machine, uint64_t code)
{
	static char text[PRECISE_TEXT];
	unsigned int layout;

	if (!machine->pmu || !machine->pmu->has_precise || !precise_text(machine, text))
		return "the PMU does not record which instruction caused an event";
	if (!strncmp(text, "no: ", 4))
		return text + 4;
	if (sscanf(text, "format %u", &layout) == 1 && layout < FIRST_EXACT_LAYOUT)
		return "this processor does not record the exact instruction";
	if (precise_only_fixed(machine, code))
		return "only a fixed counter can count it, and perfmon does not sample "
		       "precisely with fixed counters";
	return NULL;
}
