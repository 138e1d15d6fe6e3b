/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Show the progress of a recording in one line on the terminal. Each update overwrites this line.
 */
#ifndef PFMON_PROGRESS_H
#define PFMON_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct progress - the line that shows the progress
 * @is_wanted: the line may be shown, because standard error is a terminal and the user did not give
 *	--quiet
 * @is_shown: the line is on the terminal
 * @shown_at: when the line was last printed, in ns of CLOCK_MONOTONIC
 */
struct progress {
	bool is_wanted;
	bool is_shown;
	uint64_t shown_at;
};

void progress_begin(struct progress *progress, bool is_quiet);

/*
 * Returns whether progress_show() will print the line. The line is first printed after half a
 * second, and then about twice a second.
 */
bool progress_is_due(const struct progress *progress);
void progress_show(struct progress *progress, uint64_t samples, uint64_t lost,
		   uint64_t bytes);

/* Erase the line. The caller is about to print something else. */
void progress_end(struct progress *progress);

#endif
