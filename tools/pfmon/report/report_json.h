/* SPDX-License-Identifier: GPL-2.0-only */
/* Print a profile as JSON. */
#ifndef PFMON_REPORT_JSON_H
#define PFMON_REPORT_JSON_H

#include <stdio.h>

#include "profile.h"

/*
 * Entries below @limit percent are left out.  Returns -1 if there is no memory, else 0.
 */
int report_json(FILE *file, const struct profile *profile, double limit);

#endif
