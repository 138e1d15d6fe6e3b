/* SPDX-License-Identifier: GPL-2.0-only */
/* Write results as a table, as CSV or as JSON, to the file that the user chose. */
#ifndef PFMON_STAT_PRINT_H
#define PFMON_STAT_PRINT_H

#include <stdio.h>

#include "results.h"
#include "stat_options.h"

/*
 * Open the file @name for writing. NULL stands for standard error, and "-" for standard output.
 * Returns NULL after reporting an error.
 */
FILE *stat_print_open(const char *name);

/*
 * Close @file after checking that everything has been written. Does nothing for standard output,
 * because main() flushes it. Does not close standard error. Returns 0, or -1 after reporting an
 * error.
 */
int stat_print_close(FILE *file, const char *name);

/*
 * Print @results. The text reaches standard error in one write(2), so that it is not mixed with the
 * output of other processes. Returns 0, or -1 after reporting an error.
 */
int stat_print(const struct results *results, const struct stat_options *options,
	       FILE *file);

#endif
