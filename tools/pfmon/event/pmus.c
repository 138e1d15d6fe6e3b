// SPDX-License-Identifier: GPL-2.0-only
/* The PMUs that are registered. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmus.h"
#include "scope.h"

#define SYSFS "/sys/kernel/perfmon"

/* Returns the name of the default PMU. In sysfs, pmu_desc is a link to the folder of this PMU. */
static const char *find_default(char path[PATH_MAX])
{
	ssize_t length = readlink(SYSFS "/pmu_desc", path, PATH_MAX - 1);
	const char *slash;

	if (length < 0)
		return "";
	path[length] = '\0';
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int is_name(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/*
 * For the default PMU, append " (default)". For any other PMU that has a scope, append the scope,
 * such as " (l3)".
 */
static size_t append_note(char *text, size_t room, const char *name, const char *standard)
{
	char scope[SCOPE_TEXT];

	if (!strcmp(name, standard))
		return (size_t)snprintf(text, room, " (default)");
	if (scope_find(name, scope))
		return (size_t)snprintf(text, room, " (%s)", scope);
	return 0;
}

bool pmus_text(char text[PMU_NAMES])
{
	char path[PATH_MAX];
	const char *standard = find_default(path);
	struct dirent **names;
	size_t length = 0;
	int count = scandir(SYSFS "/pmus", &names, is_name, alphasort);

	*text = '\0';
	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;

		if (length < PMU_NAMES)
			length += (size_t)snprintf(text + length, PMU_NAMES - length,
						   "%s%s", i ? ", " : "", name);
		if (length < PMU_NAMES)
			length += append_note(text + length, PMU_NAMES - length, name,
					      standard);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return count > 0;
}
