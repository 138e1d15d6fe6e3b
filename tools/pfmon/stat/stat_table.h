/* SPDX-License-Identifier: GPL-2.0-only */
/* Print results as a table. */
#ifndef PFMON_STAT_TABLE_H
#define PFMON_STAT_TABLE_H

#include <stdio.h>

#include "results.h"

void stat_table(FILE *file, const struct results *results);

#endif
