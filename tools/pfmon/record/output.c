// SPDX-License-Identifier: GPL-2.0-only
/* The file into which a recording is written. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/errors.h"
#include "../data/data.h"
#include "output.h"

static bool is_recording(const char *path)
{
	char magic[sizeof(DATA_MAGIC)];
	FILE *file = fopen(path, "re");
	bool is_one;

	if (!file)
		return false;
	is_one = fread(magic, sizeof(magic), 1, file) == 1 &&
		 !memcmp(magic, DATA_MAGIC, sizeof(magic));
	fclose(file);
	return is_one;
}

static int keep(const char *path)
{
	char *old;
	int result;

	if (asprintf(&old, "%s.old", path) < 0)
		return fail("no memory");
	result = rename(path, old);
	if (result)
		fail("cannot rename '%s' to '%s': %s", path, old, strerror(errno));
	free(old);
	return result;
}

int output_prepare(const char *path)
{
	struct stat status;

	if (!strcmp(path, "-")) {
		if (isatty(STDOUT_FILENO))
			return fail("a recording cannot be written to a terminal: name a "
				    "file with -o");
		return 0;
	}
	/*
	 * If stat() fails, the reason is either that there is no file yet, or that pfmon cannot use
	 * the path. In the second case, creating the file fails later, and that error is reported.
	 */
	if (stat(path, &status))
		return 0;
	if (!S_ISREG(status.st_mode))
		return fail("'%s' is not a regular file: name another file with -o",
			    path);
	if (!status.st_size)
		return 0;
	if (!is_recording(path))
		return fail("'%s' exists and is not a recording: name another file "
			    "with -o",
			    path);
	return keep(path);
}
