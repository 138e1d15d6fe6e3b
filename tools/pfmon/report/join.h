/* SPDX-License-Identifier: GPL-2.0-only */
/* Read several files of one recording as one file. */
#ifndef PFMON_JOIN_H
#define PFMON_JOIN_H

#include <stddef.h>

#include "../data/data_read.h"

/*
 * Store in @file the records of the @count files at @paths, the oldest file first, as if pfmon
 * record had written all of them to one file. Returns 0, or -1 after reporting an error. The caller
 * calls data_close_file() in either case.
 */
int join_files(struct data_file *file, const char *const *paths, size_t count);

#endif
