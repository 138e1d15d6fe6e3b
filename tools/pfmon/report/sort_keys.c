// SPDX-License-Identifier: GPL-2.0-only
/* The option --sort. */
#include <string.h>

#include "../common/errors.h"
#include "sort_keys.h"

static int add_sort_key(struct profile_options *options, const char *name, size_t length)
{
	static const char *const names[SORT_KEYS] = {
		[SORT_SYMBOL] = "symbol", [SORT_OBJECT] = "object",
		[SORT_THREAD] = "thread", [SORT_PROGRAM] = "program",
		[SORT_CPU] = "cpu",
	};
	enum sort_key key = SORT_SYMBOL;

	while (key < SORT_KEYS &&
	       (strlen(names[key]) != length || strncmp(names[key], name, length)))
		key++;
	if (key == SORT_KEYS)
		return fail(
			"cannot sort by '%.*s': give symbol, object, thread, program or cpu",
			(int)length, name);
	for (unsigned int i = 0; i < options->sort_count; i++)
		if (options->sort[i] == key)
			return 0;
	options->sort[options->sort_count++] = key;
	return 0;
}

int take_sort(const char *text, void *field)
{
	struct profile_options *options = field;

	options->sort_count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");

		if (add_sort_key(options, text, length))
			return -1;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}
