// SPDX-License-Identifier: GPL-2.0-only
/* JSON values. */
#include <stdlib.h>
#include <string.h>

#include "json_value.h"

json_t *json_number(uint64_t value)
{
	return value <= INT64_MAX ? json_integer((json_int_t)value)
				  : json_real((double)value);
}

json_t *json_text(const char *text)
{
	json_t *string = json_string(text);
	char *copy;

	if (string)
		return string;
	copy = strdup(text);
	for (char *next = copy; next && *next; next++)
		if (*next & 0x80)
			*next = '?';
	string = json_string(copy);
	free(copy);
	return string;
}

int json_print(FILE *file, json_t *object)
{
	char *text = json_dumps(object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));

	json_decref(object);
	if (!text)
		return -1;
	fprintf(file, "%s\n", text);
	free(text);
	return 0;
}
