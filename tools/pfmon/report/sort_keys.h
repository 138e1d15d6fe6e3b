/* SPDX-License-Identifier: GPL-2.0-only */
/* The option --sort. */
#ifndef PFMON_SORT_KEYS_H
#define PFMON_SORT_KEYS_H

#include "profile.h"

/* Function for option_row.take: @field points to a struct profile_options. */
int take_sort(const char *text, void *field);

#endif
