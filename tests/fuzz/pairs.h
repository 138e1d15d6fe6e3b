/* SPDX-License-Identifier: GPL-2.0-only */
/* What may come of a call, and what came of it. */
#ifndef FUZZ_PAIRS_H
#define FUZZ_PAIRS_H

#include "plan.h"

#define ERRNOS 160

/* Counted by all processes: how often a call came to an errno, 0 for success. */
struct seen {
	uint32_t times[CALLS][ERRNOS];
};

const char *call_name(enum call call);

/* Whether the call may come to that. */
bool pair_is_allowed(enum call call, int error);

/* Prints what was reached and what was not. */
void pairs_report(const struct seen *seen);

/* All calls of all kinds. */
uint64_t seen_operations(const struct seen *seen);

#endif
