/* SPDX-License-Identifier: GPL-2.0-only */
/* Print a profile as call stacks, for scripts that make flame graphs: one line for each stack. */
#ifndef PFMON_REPORT_FOLDED_H
#define PFMON_REPORT_FOLDED_H

#include <stdio.h>

#include "profile.h"

/* Returns -1 if there is no memory, else 0. */
int report_folded(FILE *file, const struct profile *profile);

#endif
