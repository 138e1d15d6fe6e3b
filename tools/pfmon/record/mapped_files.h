/* SPDX-License-Identifier: GPL-2.0-only */
/* Write mappings, with the build-ids of the mapped files. */
#ifndef PFMON_MAPPED_FILES_H
#define PFMON_MAPPED_FILES_H

#include <sys/stat.h>
#include <sys/types.h>

#include "../data/build_id.h"
#include "../data/data_write.h"
#include "maps.h"

/* A power of two. */
#define MAPPED_FILES 1024

/**
 * struct mapped_files - build-ids that were read lately: many processes map the same files
 * @list: files, each in the place that follows from its inode; @change is 0 in an empty place
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
 * Write that process @pid has @map since @time; @files may be NULL.  Reports an error and returns
 * -1, or returns 0.
 */
int mapped_files_write(struct mapped_files *files, struct data_writer *writer, pid_t pid,
		       const struct map *map, uint64_t time);

#endif
