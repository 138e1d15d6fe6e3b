/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of JSON. */
#ifndef PFMON_JSON_VALUE_H
#define PFMON_JSON_VALUE_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/* An integer as long as JSON's readers have integers that large, else a real number. */
json_t *json_number(uint64_t value);

/* What is not UTF-8 cannot be said in JSON: such a text loses its bytes. */
json_t *json_text(const char *text);

/* Print @object on one line and give it back.  Returns -1 without memory, or 0. */
int json_print(FILE *file, json_t *object);

#endif
