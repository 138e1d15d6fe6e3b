/* SPDX-License-Identifier: GPL-2.0-only */
/* Print a profile as a table. */
#ifndef PFMON_REPORT_TABLE_H
#define PFMON_REPORT_TABLE_H

#include <stdio.h>

#include "profile.h"

/**
 * struct table_style - the layout of the table
 * @columns: width of the terminal
 * @is_utf8: bars consist of the block characters of UTF-8
 * @limit: percent; entries below it are added up in one line
 * @rows: no more entries than this; 0: no limit
 * @has_bars: a bar shows each percentage
 */
struct table_style {
	unsigned int columns;
	bool is_utf8;
	double limit;
	size_t rows;
	bool has_bars;
};

/* Returns -1 if there is no memory, else 0. */
int report_table(FILE *file, const struct profile *profile,
		 const struct table_style *style);

/*
 * Print only the entries of @event, which is a node of @profile.  Returns -1 if there is
 * no memory, else 0.
 */
int report_entries(FILE *file, const struct profile *profile,
		   const struct table_style *style, const struct node *event);

#endif
