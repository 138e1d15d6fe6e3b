// SPDX-License-Identifier: GPL-2.0-only
/* Show the progress of a recording. */
#include <stdio.h>
#include <unistd.h>

#include "../common/text.h"
#include "../run/wait.h"
#include "progress.h"

#define INTERVAL   450000000ull

/* Return to the beginning of the line and erase the line. */
#define BEGIN_ANEW "\r\033[K"

void progress_begin(struct progress *progress, bool is_quiet)
{
	*progress = (struct progress){
		.is_wanted = !is_quiet && isatty(STDERR_FILENO),
		.shown_at = nanoseconds_now(),
	};
}

bool progress_is_due(const struct progress *progress)
{
	return progress->is_wanted && nanoseconds_now() - progress->shown_at >= INTERVAL;
}

void progress_show(struct progress *progress, uint64_t samples, uint64_t lost,
		   uint64_t bytes)
{
	char size[SIZE_TEXT];

	if (!progress_is_due(progress))
		return;
	progress->shown_at = nanoseconds_now();
	progress->is_shown = true;
	fprintf(stderr, BEGIN_ANEW "pfmon: %llu %s (%llu lost), %s",
		(unsigned long long)samples, plural(samples, "sample", "samples"),
		(unsigned long long)lost, size_text(bytes, size));
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->is_shown)
		fputs(BEGIN_ANEW, stderr);
	progress->is_shown = false;
}
