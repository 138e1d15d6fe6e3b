/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as a table, as CSV and as JSON. */
#ifndef PFMON_FORMAT_H
#define PFMON_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "results.h"

/* Bytes that hold any number of format_count(). */
#define COUNT_SIZE 32

/* "1,234,567", in any locale.  Returns @buffer. */
const char *format_count(uint64_t value, char buffer[COUNT_SIZE]);

/* What stands in place of a count that there is not. */
const char *format_state(enum event_state state);

/* Bytes that hold any time of format_time(). */
#define TIME_SIZE 40

/* ns as "250 us" or "1.5 ms".  Returns @buffer. */
const char *format_time(uint64_t time, char buffer[TIME_SIZE]);

void format_table(FILE *file, const struct results *results);
void format_csv(FILE *file, const struct results *results, const char *separator);

/* Returns -1 without memory, or 0. */
int format_json(FILE *file, const struct results *results);

#endif
