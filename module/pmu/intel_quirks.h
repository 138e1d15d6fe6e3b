/* SPDX-License-Identifier: GPL-2.0-only */
/* Intel: errata that would make counts or samples wrong. */
#ifndef PERFMON_INTEL_QUIRKS_H
#define PERFMON_INTEL_QUIRKS_H

#include <linux/types.h>

/**
 * struct intel_quirks - restrictions and workarounds because of this processor's errata
 * @no_pebs: a text that says why an erratum prevents precise sampling; NULL if no erratum does
 * @unusable: bitmap of general counters that cannot be used with exclusive ownership
 * @needs_reset: the general counters must be reset before event selects are written, see
 *	intel_reset_counters()
 */
struct intel_quirks {
	const char *no_pebs;
	u32 unusable;
	bool needs_reset;
};

/* Find the errata of this processor.  Called when the module is loaded, in process context. */
void intel_find_quirks(struct intel_quirks *quirks);

#define RESET_COUNTERS 4

/*
 * Reset the logic of the general counters of Nehalem and Westmere.  This sets the event selects
 * to 0 and keeps the values.  Called on the CPU of the counters, with interrupts off or from NMI,
 * while the counters are halted.
 */
void intel_reset_counters(void);

#endif
