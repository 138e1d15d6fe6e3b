/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the addresses of the kernel and its modules. */
#ifndef PFMON_KERNEL_H
#define PFMON_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "data_write.h"
#include "build_id.h"
#include "data.h"

#define KERNEL_NAME_SIZE 66 /* a module's name in brackets */

/**
 * struct kernel_range - the text of the kernel or a module
 * @start: first address
 * @end: first address after the text
 * @name: "[kernel]", or the name of the module in brackets, such as "[ext4]"
 * @build_id: "" if it is not known
 */
struct kernel_range {
	uint64_t start;
	uint64_t end;
	char name[KERNEL_NAME_SIZE];
	char build_id[BUILD_ID_SIZE];
};

/**
 * struct kernel - the addresses of this machine's kernel and its modules
 * @ranges: the text ranges of the kernel and its modules, sorted by address; there are none if
 *	the user may not see kernel addresses
 * @range_count: number of @ranges
 * @core: the kernel without its modules; its address never changes. core.start is 0 if the address
 *	is not known
 */
struct kernel {
	struct kernel_range *ranges;
	size_t range_count;
	struct kernel_range core;
};

/*
 * Read the ranges into @kernel. The caller must set @kernel to zero before the first call; each
 * further call replaces the ranges. @root is put before "/proc" and "/sys". It is "", except in
 * tests, which pass a directory. Returns 0, or -1 after reporting that there is no memory. If the
 * user may not see kernel addresses, @kernel has no ranges; this is not an error.
 */
int kernel_read_ranges(struct kernel *kernel, const char *root);
void kernel_free(struct kernel *kernel);

/*
 * Open the file @root@name; @name begins with "/proc" or "/sys". Returns NULL and sets errno on
 * failure.
 */
FILE *kernel_open(const char *root, const char *name);

/*
 * Split a line of /proc/kallsyms into address, type and name. Changes @line; @name points into
 * @line. Returns false if the line has another form.
 */
bool kernel_parse_symbol(char *line, uint64_t *address, char *type, char **name);

/*
 * Write the mappings of the kernel and its modules, if the user may see their addresses. The caller
 * must set @kernel to zero before the first call. Returns 0, or -1 after reporting an error.
 */
int kernel_write_mappings(struct kernel *kernel, struct data_writer *writer);

#endif
