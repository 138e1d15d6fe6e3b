/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the executable mappings of a process, from /proc/PID/maps. */
#ifndef PFMON_MAPS_H
#define PFMON_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct map - a piece of executable memory
 * @start: first address
 * @end: first address after the memory
 * @offset: offset of @start in the file
 * @inode: inode of the file, 0 if there is none
 * @device_major: major number of the file's device
 * @device_minor: minor number of the file's device
 * @path: path of the file, or a name such as "[vdso]", or empty
 */
struct map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	uint32_t device_major;
	uint32_t device_minor;
	char *path;
};

/**
 * struct maps - the executable mappings of a process
 * @list: the mappings, sorted by address
 * @count: number of elements in @list
 */
struct maps {
	struct map *list;
	size_t count;
};

/*
 * Read the executable mappings of process @pid. The list is empty if the process has ended, or if
 * pfmon may not read its mappings. Returns 0, or -1 after reporting that there is no memory.
 */
int maps_read(struct maps *maps, pid_t pid);

/* Returns whether @maps contains a mapping that is equal to @wanted. */
bool maps_have(const struct maps *maps, const struct map *wanted);
void maps_free(struct maps *maps);

#endif
