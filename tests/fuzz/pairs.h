/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares the results of calls with the results that are possible. */
#ifndef FUZZ_PAIRS_H
#define FUZZ_PAIRS_H

#include "execute.h"

#define ERRNOS 160

/**
 * struct seen - results, counted by all processes
 * @operations: number of all operations that were executed
 * @times: how often each call returned each errno; errno 0 stands for success.  A call on a
 *	descriptor that is not perfmon's is counted only if it returned EBADF
 */
struct seen {
	uint64_t operations;
	uint32_t times[CALLS][ERRNOS];
};

void pair_count(struct seen *seen, enum call call, int error, enum kind kind);

/* Returns whether the call may have this result. */
bool pair_is_allowed(const struct operation *operation, int error, enum kind kind);

/*
 * A pair is a call and an errno that the call may return. Prints the number of documented pairs
 * that were reached, and lists those that were not. If @is_judged is true, also prints whether they
 * are enough for the number of operations. Returns false if they are not.
 */
bool pairs_report(const struct seen *seen, bool is_judged);

#endif
