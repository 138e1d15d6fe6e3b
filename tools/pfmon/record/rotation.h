/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording in several files. If there are too many files, the oldest ones are removed. */
#ifndef PFMON_ROTATION_H
#define PFMON_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct rotation - the limits of a file, and the files that are kept
 * @size: a file ends when it has this many bytes; 0: no limit
 * @time: a file ends after this many ns; 0: no limit
 * @most: maximum number of files that are kept besides the current file; 0: no limit
 * @names: the files that have ended and are kept, the oldest first
 * @count: number of @names
 * @ended: number of files that have ended, kept or not
 */
struct rotation {
	uint64_t size;
	uint64_t time;
	uint64_t most;
	char **names;
	size_t count;
	size_t ended;
};

/* Returns whether a file has to end if it has @size bytes and was begun @age ns ago. */
bool rotation_is_due(const struct rotation *rotation, uint64_t size, uint64_t age);

/*
 * Rename the file @path, which is open, to PATH.TIME, where TIME is the local time: YYYYMMDDhhmmss
 * and two digits for hundredths of a second. Returns 0, or -1 after reporting an error.
 */
int rotation_keep(struct rotation *rotation, const char *path);

/* Remove the oldest files if there are too many. */
void rotation_remove(struct rotation *rotation);

void rotation_free(struct rotation *rotation);

#endif
