/* SPDX-License-Identifier: GPL-2.0-only */
/* Print results as a table. */
#ifndef PFMON_STAT_TABLE_H
#define PFMON_STAT_TABLE_H

#include <stdio.h>

#include "results.h"

/*
 * For a part of a measurement, stat_table() prints only the lines of the events and of the idle
 * time. stat_table_begin() prints their heading.
 */
void stat_table(FILE *file, const struct results *results);
void stat_table_begin(FILE *file, const struct results *results);

#endif
