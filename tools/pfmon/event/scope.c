// SPDX-License-Identifier: GPL-2.0-only
/* Find out from sysfs which CPUs share the registers of a PMU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scope.h"

/* Returns the first line of the sysfs file @name of @pmu, or NULL. The caller frees the line. */
static char *read_line(const char *pmu, const char *name)
{
	char *path, *line = NULL;
	size_t size = 0;
	FILE *file;

	if (asprintf(&path, "/sys/kernel/perfmon/pmus/%s/%s", pmu, name) == -1)
		return NULL;
	file = fopen(path, "re");
	free(path);
	if (!file)
		return NULL;
	if (getline(&line, &size, file) <= 0) {
		free(line);
		line = NULL;
	}
	fclose(file);
	if (line)
		line[strcspn(line, "\n")] = '\0';
	return line;
}

bool scope_find(const char *pmu, char text[SCOPE_TEXT])
{
	char *line = read_line(pmu, "scope");
	bool is_shared = line && strcmp(line, "cpu");

	snprintf(text, SCOPE_TEXT, "%s", is_shared ? line : "");
	free(line);
	return is_shared;
}

char *scope_owners(const char *pmu)
{
	return read_line(pmu, "owner_cpus");
}
