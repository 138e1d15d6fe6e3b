/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of one line, as in /proc and /sys. */
#ifndef PFMON_FIRST_LINE_H
#define PFMON_FIRST_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Store the first line of the file @path in @line, without the newline. Stores at most @size - 1
 * characters. If the file cannot be read or is empty, returns false, and @line is "".
 */
bool first_line(const char *path, char *line, size_t size);

#endif
