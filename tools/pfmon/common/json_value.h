/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON values. */
#ifndef PFMON_JSON_VALUE_H
#define PFMON_JSON_VALUE_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/* Returns an integer if JSON's readers have integers that large, else a real number. */
json_t *json_number(uint64_t value);

/* JSON must be UTF-8: other bytes of @text are left out. */
json_t *json_text(const char *text);

/*
 * Print @object on one line and drop its reference.  Returns -1 without memory, else 0.
 */
int json_print(FILE *file, json_t *object);

#endif
