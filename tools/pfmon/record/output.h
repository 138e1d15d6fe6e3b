/* SPDX-License-Identifier: GPL-2.0-only */
/* The file into which a recording is written. */
#ifndef PFMON_OUTPUT_H
#define PFMON_OUTPUT_H

/*
 * Make room for a recording at @path ("-" is standard output).  An older recording is
 * renamed to PATH.old.  Any other file stays and is an error, unless it is empty.
 * Reports an error and returns -1, or returns 0.
 */
int output_prepare(const char *path);

#endif
