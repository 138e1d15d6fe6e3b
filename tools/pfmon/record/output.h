/* SPDX-License-Identifier: GPL-2.0-only */
/* The file into which a recording is written. */
#ifndef PFMON_OUTPUT_H
#define PFMON_OUTPUT_H

/*
 * Prepare @path for a new recording ("-" is standard output). If @path is an older recording, it is
 * renamed to PATH.old. If @path is an empty file, the call succeeds and does not rename the file.
 * If @path is any other file, the call fails and does not change the file. Returns 0, or -1 after
 * reporting an error.
 */
int output_prepare(const char *path);

#endif
