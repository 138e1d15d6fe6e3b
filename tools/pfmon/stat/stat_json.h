/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as JSON. */
#ifndef PFMON_STAT_JSON_H
#define PFMON_STAT_JSON_H

#include <stdio.h>

#include "results.h"

/* Returns 0, or -1 if there is no memory. */
int stat_json(FILE *file, const struct results *results);

#endif
