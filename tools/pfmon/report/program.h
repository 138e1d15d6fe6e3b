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
 * @address: its address in the symbol table
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
 * Read the ELF file of @fd, which stays open; @name lets its debug file be found beside
 * it.  @debug_path: directories, separated by colons, with .build-id in them; NULL for
 * /usr/lib/debug.  Returns -1 if the file cannot be read as ELF, else 0; free @program in
 * any case.
 */
int program_read(struct program *program, int fd, const char *name, char *debug_path);
void program_free(struct program *program);

/*
 * Returns the function at @offset of the file, NULL if there is none; stores in @inside
 * the distance from its beginning.
 */
struct symbol *program_find(const struct program *program, uint64_t offset,
			    uint64_t *inside);

/* Where the function at the instruction at @offset of the file has its return address. */
enum link_state program_link(struct program *program, uint64_t offset);

#endif
