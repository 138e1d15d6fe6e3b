/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program or library: its symbols, which may be in a separate debug file, and its
 * unwinding tables.
 */
#ifndef PFMON_PROGRAM_H
#define PFMON_PROGRAM_H

#include "cfi.h"
#include "symbol_table.h"

/**
 * struct program_segment - a part of an ELF file that is mapped into memory (PT_LOAD)
 * @offset: offset in the file
 * @size: size in bytes
 * @address: address of this part according to the file's program headers
 */
struct program_segment {
	uint64_t offset;
	uint64_t size;
	uint64_t address;
};

/**
 * struct program - contents of an ELF file
 * @symbols: functions
 * @segments: the mapped parts
 * @segment_count: number of @segments
 * @cfi: unwinding tables, which say where a function keeps its return address
 */
struct program {
	struct symbol_table symbols;
	struct program_segment *segments;
	size_t segment_count;
	struct cfi cfi;
};

/*
 * Read an ELF file and its debug file. @fd is the open ELF file, and it stays open. @name is the
 * path of the ELF file. libdwfl looks for the debug file, by build-id and by name, in the
 * directories of @debug_path. Colons separate these directories. If @debug_path is NULL, libdwfl
 * looks in the directory of the ELF file, in .debug below it, and in /usr/lib/debug. Returns 0, or
 * -1 if the file cannot be read as ELF. The caller calls program_free() in any case.
 */
int program_read(struct program *program, int fd, const char *name, char *debug_path);
void program_free(struct program *program);

/*
 * Returns the function that contains @offset of the file, or NULL if no function is there. Stores
 * in @inside how far @offset is from the function's beginning.
 */
struct symbol *program_find(const struct program *program, uint64_t offset,
			    uint64_t *inside);

/*
 * A thread was interrupted at @offset of the file. Returns where the return address of the
 * interrupted function is.
 */
enum link_state program_link(struct program *program, uint64_t offset);

#endif
