/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile as a table, as stacks and as JSON. */
#ifndef PFMON_REPORT_H
#define PFMON_REPORT_H

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

/* These return -1 without memory, or 0. */
int report_table(FILE *file, const struct profile *profile,
		 const struct table_style *style);
int report_folded(FILE *file, const struct profile *profile);

/* Of what, where and when, and whether all of it is there. */
int report_heading(FILE *file, const struct profile *profile);

/* @limit as in the table; what is less is left out. */
int report_json(FILE *file, const struct profile *profile, double limit);

#endif
