// SPDX-License-Identifier: GPL-2.0-only
/* Write mappings, with the build-ids of the mapped files. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mapped_files.h"

static bool is_of(const struct mapped_file *file, const struct stat *status)
{
	return file->device == status->st_dev && file->inode == status->st_ino &&
	       file->change.tv_sec == status->st_ctim.tv_sec &&
	       file->change.tv_nsec == status->st_ctim.tv_nsec;
}

static void find_build_id_of_file(struct mapped_files *files, const char *path,
				  const struct stat *status, char *text)
{
	struct mapped_file *file = files ? &files->list[status->st_ino % MAPPED_FILES]
					 : NULL;

	if (file && is_of(file, status)) {
		strcpy(text, file->build_id);
		return;
	}
	build_id_of_file(path, text);
	if (!file)
		return;
	file->device = status->st_dev;
	file->inode = status->st_ino;
	file->change = status->st_ctim;
	strcpy(file->build_id, text);
}

/*
 * Store in @text the build-id of the mapped file, or "" if the path of @map now leads to another
 * file. The path is looked up below the process's root directory or, if it does not exist there,
 * below pfmon's own root directory.
 */
static void find_build_id(struct mapped_files *files, pid_t pid, const struct map *map,
			  char *text)
{
	char path[PATH_MAX + 32];
	struct stat status;

	*text = '\0';
	/* Only programs of pfmon's own width (32 or 64 bits) have the same vdso as pfmon. */
	if (!strcmp(map->path, "[vdso]") &&
	    (map->start > UINT32_MAX) == (sizeof(void *) > 4))
		build_id_of_vdso(text);
	if (*map->path != '/')
		return;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, map->path);
	if (stat(path, &status))
		snprintf(path, sizeof(path), "%s", map->path);
	if (!stat(path, &status) && S_ISREG(status.st_mode) &&
	    status.st_ino == map->inode)
		find_build_id_of_file(files, path, &status, text);
}

int mapped_files_write(struct mapped_files *files, struct data_writer *writer, pid_t pid,
		       const struct map *map, uint64_t time)
{
	struct data_mapping record = {
		.time = time,
		.start = map->start,
		.end = map->end,
		.offset = map->offset,
		.inode = map->inode,
		.device_major = map->device_major,
		.device_minor = map->device_minor,
		.tgid = (uint32_t)pid,
	};
	char build_id[BUILD_ID_SIZE];

	find_build_id(files, pid, map, build_id);
	return data_write_mapping(writer, &record, map->path, build_id);
}
