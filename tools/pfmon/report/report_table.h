/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile as a table. */
#ifndef PFMON_REPORT_TABLE_H
#define PFMON_REPORT_TABLE_H

#include <stdio.h>

#include "profile.h"

/**
 * struct table_style - what the table looks like
 * @columns: of the terminal
 * @is_utf8: bars are made of UTF-8's blocks
 * @limit: percent; what is less is added up in one line
 */
struct table_style {
	unsigned int columns;
	bool is_utf8;
	double limit;
};

/* Returns -1 without memory, else 0. */
int report_table(FILE *file, const struct profile *profile,
		 const struct table_style *style);

#endif
