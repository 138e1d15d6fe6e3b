/* SPDX-License-Identifier: GPL-2.0-only */
/* The heading of a report. */
#ifndef PFMON_REPORT_HEADING_H
#define PFMON_REPORT_HEADING_H

#include <stdio.h>

#include "profile.h"

/*
 * Print what was recorded, when and where, and whether the recording is complete. Returns
 * -1 if there is no memory, else 0.
 */
int report_heading(FILE *file, const struct profile *profile);

#endif
