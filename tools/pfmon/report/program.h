/* SPDX-License-Identifier: GPL-2.0-only */
/* A program or library: its symbols, also from a separate debug file; its unwinding tables. */
#ifndef PFMON_PROGRAM_H
#define PFMON_PROGRAM_H

#include "cfi.h"
#include "symbol_table.h"

/**
 * struct program_segment - a part of the file that is mapped
 * @offset: in the file
 * @size: bytes
 * @address: where the symbols have it
 */
struct program_segment {
	uint64_t offset;
	uint64_t size;
	uint64_t address;
};

/**
 * struct program - what an ELF file has
 * @symbols: functions
 * @segments: what is mapped
 * @segment_count: number of @segments
 * @cfi: where functions have their return addresses
 */
struct program {
	struct symbol_table symbols;
	struct program_segment *segments;
	size_t segment_count;
	struct cfi cfi;
};

/*
 * Read the ELF file of @fd, which stays open; @name is for its debug file to be found
 * beside it.  @debug_path: directories, separated by colons, with .build-id in them;
 * NULL for /usr/lib/debug.  Returns -1 if it is none that can be read, or 0; to be freed
 * in any case.
 */
int program_read(struct program *program, int fd, const char *name, char *debug_path);
void program_free(struct program *program);

/*
 * The function at @offset of the file, and into @inside how far behind its beginning;
 * NULL if there is none.
 */
const struct symbol *program_find(const struct program *program, uint64_t offset,
				  uint64_t *inside);

/* Where the function at the instruction at @offset of the file has its return address. */
enum link_state program_link(struct program *program, uint64_t offset);

#endif
