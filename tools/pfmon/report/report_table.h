/* SPDX-License-Identifier: GPL-2.0-only */
/* Print a profile as a table. */
#ifndef PFMON_REPORT_TABLE_H
#define PFMON_REPORT_TABLE_H

#include <stdio.h>

#include "profile.h"

/* The width of tables that are not written to a terminal. */
#define DEFAULT_COLUMNS 80

/**
 * struct table_style - the layout of the table
 * @columns: width of the terminal in characters
 * @is_utf8: the output is UTF-8, so bars are made of block characters
 * @limit: entries below this percentage are added up in one line
 * @rows: maximum number of entries that are shown; 0: no limit
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
 * Print only the entries of @event, which is a node of @profile. Returns 0, or -1 if there is no
 * memory.
 */
int report_entries(FILE *file, const struct profile *profile,
		   const struct table_style *style, const struct node *event);

#endif
