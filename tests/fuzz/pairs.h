/* SPDX-License-Identifier: GPL-2.0-only */
/* What may come of a call, and what came of it. */
#ifndef FUZZ_PAIRS_H
#define FUZZ_PAIRS_H

#include "execute.h"

#define ERRNOS 160

/**
 * struct seen - counted by all processes
 * @operations: calls of all kinds
 * @times: how often one of perfmon's descriptors, or none, made a call come to an
 *	errno, 0 for success
 */
struct seen {
	uint64_t operations;
	uint32_t times[CALLS][ERRNOS];
};

void pair_count(struct seen *seen, enum call call, int error, enum kind kind);

/* Whether the call may come to that. */
bool pair_is_allowed(const struct operation *operation, int error, enum kind kind);

/* Prints what was reached and what was not; per cent of the documented pairs. */
unsigned int pairs_report(const struct seen *seen);

#endif
