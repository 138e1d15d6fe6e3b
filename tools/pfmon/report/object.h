/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects: programs, libraries and parts of the kernel. */
#ifndef PFMON_OBJECT_H
#define PFMON_OBJECT_H

#include <stdbool.h>

#include "../data/kernel.h"
#include "program.h"
#include "recording.h"

/**
 * struct object - a program, a library or a part of the kernel
 * @path: path in the recording
 * @name: name to show: the last part of @path
 * @build_id: build-id in the recording
 * @inode: inode in the recording
 * @is_kernel: the object is a part of the kernel
 * @is_looked_at: pfmon has looked for the object on this machine
 * @is_known: this machine has the object, and it is the one that was recorded
 * @program: symbols of the object, if @is_known and not @is_kernel
 * @range: addresses of the object in this machine's kernel, if @is_known and @is_kernel
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
	const struct kernel_range *range;
};

/**
 * struct object_list - all objects
 * @objects: each object once
 * @count: number of @objects
 * @of_mapping: for each mapping of the recording, its object
 * @kernel: addresses of this machine's kernel and modules
 * @kernel_symbols: functions of @kernel
 * @kernel_is_read: @kernel and its symbols have been read
 * @root: prefix of "/proc" and "/sys": "" or, in tests, a directory
 * @recorded_until: when the recording ended, in ns since 1970; 0 if this is not known
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

/* Returns -1 if there is no memory, else 0; the caller calls objects_free() in any case. */
int objects_make(struct object_list *list, const struct recording *recording);
void objects_free(struct object_list *list);

/*
 * @list contains the objects of @recording, and @earlier contains the objects of another recording.
 * If an object is in both lists, move its symbols from @earlier to @list, because reading them
 * again would take long.
 */
void objects_take_over(struct object_list *list, const struct recording *recording,
		       struct object_list *earlier);

/*
 * Returns the function that contains @offset of @object, or NULL if the function is not known.
 * Stores in @inside how far @offset is from the function's beginning. @offset counts from the
 * beginning of the file or, for a part of the kernel, from the beginning of its text. Warns once if
 * the file is not the one that was recorded.
 */
struct symbol *object_symbol(struct object_list *list, struct object *object,
			     uint64_t offset, uint64_t *inside);

/*
 * A thread was interrupted at @offset of @object. Returns where the return address of the
 * interrupted function is.
 */
enum link_state object_link(struct object_list *list, struct object *object,
			    uint64_t offset);

#endif
