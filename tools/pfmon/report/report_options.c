// SPDX-License-Identifier: GPL-2.0-only
/* Options that pfmon report and pfmon script have. */
#include <getopt.h>
#include <stdlib.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "report_options.h"

int take_input(const char *argument, void *field)
{
	struct inputs *inputs = field;
	const char **added = array_add(&inputs->paths, &inputs->count, sizeof(*added));

	if (!added)
		return fail("no memory");
	*added = argument;
	return 0;
}

int inputs_complete(struct inputs *inputs, int argc, char **argv)
{
	for (int i = optind; i < argc; i++)
		if (take_input(argv[i], inputs))
			return -1;
	return inputs->count ? 0 : take_input(DATA_FILE_NAME, inputs);
}

void inputs_free(struct inputs *inputs)
{
	free(inputs->paths);
	*inputs = (struct inputs){ 0 };
}
