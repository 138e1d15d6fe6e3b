/* SPDX-License-Identifier: GPL-2.0-only */
/* Show an interval as two tables: its CPUs, and its programs, functions or other entries. */
#ifndef PFMON_VIEW_H
#define PFMON_VIEW_H

#include <stdio.h>

#include "interval.h"

/**
 * struct view_style - how an interval is shown
 * @columns: width of the terminal
 * @rows: height of the terminal; 0: there is no limit
 * @is_utf8: bars consist of the block characters of UTF-8
 * @has_bars: bars show percentages
 */
struct view_style {
	unsigned int columns;
	unsigned int rows;
	bool is_utf8;
	bool has_bars;
};

/*
 * Print @interval.  @names_lost: number of the kernel's reports about processes, such as new names,
 * that were lost in the interval.  Returns 0, or -1 if there is no memory.
 */
int view_print(FILE *file, const struct interval *interval, uint64_t names_lost,
	       const struct view_style *style);

#endif
