// SPDX-License-Identifier: GPL-2.0-only
/* Read the executable mappings of a process. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "maps.h"

/*
 * Read a line of /proc/PID/maps, see proc(5). It contains start-end, permissions, offset, device,
 * inode, and a path if there is one. Returns whether the memory is executable.
 */
static bool parse(char *line, struct map *map, const char **path)
{
	char permissions[5];
	int length = 0;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32
		   " %" SCNu64 " %n",
		   &map->start, &map->end, permissions, &map->offset, &map->device_major,
		   &map->device_minor, &map->inode, &length) != 7 ||
	    !length)
		return false;
	line[strcspn(line, "\n")] = '\0';
	*path = line + length;
	return strchr(permissions, 'x') != NULL;
}

static int add(struct maps *maps, const struct map *map, const char *path)
{
	struct map *added;
	char *copy = strdup(path);

	added = copy ? array_add(&maps->list, &maps->count, sizeof(*added)) : NULL;
	if (!added) {
		free(copy);
		return fail("no memory");
	}
	*added = *map;
	added->path = copy;
	return 0;
}

int maps_read(struct maps *maps, pid_t pid)
{
	char name[64], *line = NULL;
	struct map map;
	const char *path;
	size_t size = 0;
	int result = 0;
	FILE *file;

	*maps = (struct maps){ 0 };
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	file = fopen(name, "re");
	if (!file)
		return 0;
	while (!result && getline(&line, &size, file) != -1)
		if (parse(line, &map, &path))
			result = add(maps, &map, path);
	free(line);
	fclose(file);
	if (result)
		maps_free(maps);
	return result;
}

static bool is_same(const struct map *a, const struct map *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->inode == b->inode && a->device_major == b->device_major &&
	       a->device_minor == b->device_minor && !strcmp(a->path, b->path);
}

static int compare_start(const void *one, const void *other)
{
	const struct map *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

bool maps_have(const struct maps *maps, const struct map *wanted)
{
	const struct map *found = NULL;

	if (maps->count)
		found = bsearch(wanted, maps->list, maps->count, sizeof(*maps->list),
				compare_start);
	return found && is_same(found, wanted);
}

void maps_free(struct maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		free(maps->list[i].path);
	free(maps->list);
	*maps = (struct maps){ 0 };
}
