/* SPDX-License-Identifier: GPL-2.0-only */
/* Write mappings, with the build-ids of the mapped files. */
#ifndef PFMON_MAPPED_FILES_H
#define PFMON_MAPPED_FILES_H

#include <sys/stat.h>
#include <sys/types.h>

#include "../data/build_id.h"
#include "../data/data_write.h"
#include "maps.h"

/* Maximum number of files in the cache. */
#define MAPPED_FILES 1024

/**
 * struct mapped_files - a cache of build-ids, because many processes map the same files
 * @list: the cached files. The index of a file is computed from its inode number. In an unused
 *	element, mapped_file.change is 0
 */
struct mapped_files {
	struct mapped_file {
		dev_t device;
		ino_t inode;
		struct timespec change;
		char build_id[BUILD_ID_SIZE];
	} list[MAPPED_FILES];
};

/*
 * Write a mapping record: process @pid has mapping @map from @time on. If @files is NULL, no cache
 * is used. Returns 0, or -1 after reporting an error.
 */
int mapped_files_write(struct mapped_files *files, struct data_writer *writer, pid_t pid,
		       const struct map *map, uint64_t time);

#endif
