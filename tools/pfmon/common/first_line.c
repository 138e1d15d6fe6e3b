// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "first_line.h"

bool first_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool is_read = file && fgets(line, (int)size, file);

	if (!is_read)
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
	return is_read;
}
