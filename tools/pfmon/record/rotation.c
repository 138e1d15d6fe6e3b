// SPDX-License-Identifier: GPL-2.0-only
/* A recording in several files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "rotation.h"

bool rotation_is_due(const struct rotation *rotation, uint64_t size, uint64_t age)
{
	return (rotation->size && size >= rotation->size) ||
	       (rotation->time && age >= rotation->time);
}

/* Returns PATH.TIME, which the caller frees, or NULL if there is no memory. */
static char *stamped(const char *path)
{
	struct timespec now;
	struct tm local;
	char stamp[32];
	char *name;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &local);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &local);
	if (asprintf(&name, "%s.%s%02ld", path, stamp, now.tv_nsec / 10000000) < 0)
		return NULL;
	return name;
}

int rotation_keep(struct rotation *rotation, const char *path)
{
	char *name = stamped(path);
	char **added =
		name ? array_add(&rotation->names, &rotation->count, sizeof(*added))
		     : NULL;

	if (!added) {
		free(name);
		return fail("no memory");
	}
	*added = name;
	rotation->ended++;
	if (rename(path, name))
		return fail("cannot rename '%s' to '%s': %s", path, name,
			    strerror(errno));
	return 0;
}

void rotation_remove(struct rotation *rotation)
{
	while (rotation->most && rotation->count > rotation->most) {
		unlink(rotation->names[0]);
		free(rotation->names[0]);
		rotation->count--;
		memmove(rotation->names, rotation->names + 1,
			rotation->count * sizeof(*rotation->names));
	}
}

void rotation_free(struct rotation *rotation)
{
	for (size_t i = 0; i < rotation->count; i++)
		free(rotation->names[i]);
	free(rotation->names);
	*rotation = (struct rotation){ 0 };
}
