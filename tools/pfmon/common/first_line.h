/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the first line of a file. Many files in /proc and /sys have only one line. */
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
