/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON values. */
#ifndef PFMON_JSON_VALUE_H
#define PFMON_JSON_VALUE_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/*
 * Returns an integer if @value is less than 2^63. Larger values become real numbers, because few
 * readers of JSON accept integers of 2^63 or more.
 */
json_t *json_number(uint64_t value);

/* JSON must be UTF-8. If @text is not UTF-8, each byte of 0x80 or more is replaced by '?'. */
json_t *json_text(const char *text);

/*
 * Print @object on one line and drop the caller's reference to it.  Returns 0, or -1 if
 * there is no memory.
 */
int json_print(FILE *file, json_t *object);

#endif
