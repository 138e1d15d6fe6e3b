/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel and its modules are. */
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
 * struct kernel_region - the text of the kernel or a module
 * @start: first address
 * @end: first address behind it
 * @name: "[kernel]", "[ext4]"
 * @build_id: "" if not known
 */
struct kernel_region {
	uint64_t start;
	uint64_t end;
	char name[KERNEL_NAME_SIZE];
	char build_id[BUILD_ID_SIZE];
};

/**
 * struct kernel - what this machine's kernel shows
 * @regions: ascending by address; none if the addresses may not be seen
 * @region_count: number of @regions
 */
struct kernel {
	struct kernel_region *regions;
	size_t region_count;
};

/*
 * @root is what stands before "/proc" and "/sys": "".  Without memory, reports that and
 * returns -1, else returns 0; that nothing may be seen is no error.
 */
int kernel_read_regions(struct kernel *kernel, const char *root);
void kernel_free(struct kernel *kernel);

/* Open a file of /proc or /sys; NULL with errno if that fails. */
FILE *kernel_open(const char *root, const char *name);

/*
 * Take a line of /proc/kallsyms apart: address, type, name and perhaps module.  Changes
 * @line; @name points into it.
 */
bool kernel_parse_symbol(char *line, uint64_t *address, char *type, char **name);

/* Write the mappings of the kernel and its modules, as far as they may be seen. */
int kernel_write_mappings(struct data_writer *writer);

#endif
