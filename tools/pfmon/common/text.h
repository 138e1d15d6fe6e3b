/* SPDX-License-Identifier: GPL-2.0-only */
/* Write numbers as text, and make text of unknown origin safe for a terminal. */
#ifndef PFMON_TEXT_H
#define PFMON_TEXT_H

#include <stdint.h>

/* Replace the control characters in @text (C0, DEL, and C1 in UTF-8) by '?'. */
void text_defuse(char *text);

/* These sizes are enough for all texts of count_text(), time_text() and size_text(). */
#define COUNT_TEXT 32
#define TIME_TEXT  40
#define SIZE_TEXT  32

/* Returns @one if @count is 1, else @several. */
const char *plural(uint64_t count, const char *one, const char *several);

/* The functions below return @text. */

/* A number as text, such as "1,234,567". The separator is a comma in every locale. */
const char *count_text(uint64_t value, char text[COUNT_TEXT]);

/* A time in ns as text, such as "250 us" or "1.5 ms". */
const char *time_text(uint64_t time, char text[TIME_TEXT]);

/* A number of bytes as text, such as "592 kB". */
const char *size_text(uint64_t bytes, char text[SIZE_TEXT]);

#endif
