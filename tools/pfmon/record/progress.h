/* SPDX-License-Identifier: GPL-2.0-only */
/* The progress of a recording: a line on a terminal that is overwritten. */
#ifndef PFMON_PROGRESS_H
#define PFMON_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct progress - the line
 * @is_wanted: standard error is a terminal, and pfmon is not to be quiet
 * @is_shown: it is there
 * @shown_at: since when, ns of CLOCK_MONOTONIC
 */
struct progress {
	bool is_wanted;
	bool is_shown;
	uint64_t shown_at;
};

void progress_begin(struct progress *progress, bool is_quiet);

/* Shown at most about twice a second, the first time after half a second. */
void progress_show(struct progress *progress, uint64_t samples, uint64_t lost,
		   uint64_t bytes);

/* Take the line away, before anything else is said. */
void progress_end(struct progress *progress);

#endif
