// SPDX-License-Identifier: GPL-2.0-only
/* What is said while something is recorded. */
#include <stdio.h>
#include <unistd.h>

#include "../run/wait.h"
#include "progress.h"

#define INTERVAL   450000000ull

/* To the beginning of the line, and nothing behind the cursor. */
#define BEGIN_ANEW "\r\033[K"

void progress_begin(struct progress *progress, bool is_quiet)
{
	*progress = (struct progress){
		.is_wanted = !is_quiet && isatty(STDERR_FILENO),
		.shown_at = nanoseconds_now(),
	};
}

void progress_show(struct progress *progress, uint64_t samples, uint64_t lost,
		   uint64_t bytes)
{
	char size[SIZE_TEXT];
	uint64_t now;

	if (!progress->is_wanted)
		return;
	now = nanoseconds_now();
	if (now - progress->shown_at < INTERVAL)
		return;
	progress->shown_at = now;
	progress->is_shown = true;
	fprintf(stderr, BEGIN_ANEW "pfmon: %llu samples (%llu lost), %s",
		(unsigned long long)samples, (unsigned long long)lost,
		size_text(bytes, size));
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->is_shown)
		fputs(BEGIN_ANEW, stderr);
	progress->is_shown = false;
}

/* Three digits say enough, from 1 kB on. */
const char *size_text(uint64_t bytes, char text[SIZE_TEXT])
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
	double value = (double)bytes;
	unsigned int unit = 0;

	while (value >= 999.5 && unit < sizeof(units) / sizeof(units[0]) - 1) {
		value /= 1000;
		unit++;
	}
	snprintf(text, SIZE_TEXT, "%.*f %s", unit && value < 9.95 ? 1 : 0, value,
		 units[unit]);
	return text;
}
