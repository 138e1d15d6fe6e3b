/* SPDX-License-Identifier: GPL-2.0-only */
/* What is mapped somewhere: a program, a library, the kernel, ... */
#ifndef PFMON_OBJECT_H
#define PFMON_OBJECT_H

#include <stdbool.h>

#include "../data/kernel.h"
#include "program.h"
#include "recording.h"

/**
 * struct object - what was mapped
 * @path: as it was recorded
 * @name: what to show: the last part of @path
 * @build_id: as it was recorded
 * @inode: as it was recorded
 * @is_kernel: part of the kernel
 * @is_looked_at: it has been searched on this machine
 * @is_known: it is here, and the same
 * @program: its symbols, if it is known and not of the kernel
 * @region: where it is now, if it is known and of the kernel
 */
struct object {
	const char *path;
	const char *name;
	const char *build_id;
	uint64_t inode;
	bool is_kernel;
	bool is_looked_at;
	bool is_known;
	struct program program;
	const struct kernel_region *region;
};

/**
 * struct object_list - all that were mapped
 * @objects: each once
 * @count: number of @objects
 * @of_mapping: for each mapping of the recording, which one
 * @kernel: where the kernel of this machine is
 * @kernel_symbols: its functions
 * @kernel_is_read: both have been read
 * @root: what stands before "/proc" and "/sys", ""
 * @recorded_until: ns since 1970; 0 if that is not known
 */
struct object_list {
	struct object *objects;
	size_t count;
	struct object **of_mapping;
	struct kernel kernel;
	struct symbol_table kernel_symbols;
	bool kernel_is_read;
	const char *root;
	uint64_t recorded_until;
};

/* Returns -1 without memory, else 0; to be freed in any case. */
int objects_make(struct object_list *list, const struct recording *recording);
void objects_free(struct object_list *list);

/*
 * Returns the function at @offset of @object, NULL if it is not known; stores in @inside
 * the distance from its beginning.  @offset is one in the file, or for a part of the
 * kernel the distance from its start.  Warns once if the object is not the one that was
 * recorded.
 */
struct symbol *object_symbol(struct object_list *list, struct object *object,
			     uint64_t offset, uint64_t *inside);

/* Where the function at the instruction at @offset of @object has its return address. */
enum link_state object_link(struct object_list *list, struct object *object,
			    uint64_t offset);

#endif
