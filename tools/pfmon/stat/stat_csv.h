/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as CSV. */
#ifndef PFMON_STAT_CSV_H
#define PFMON_STAT_CSV_H

#include <stdio.h>

#include "results.h"

void stat_csv(FILE *file, const struct results *results, const char *separator);

#endif
