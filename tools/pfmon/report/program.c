// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the symbols of a program or library, and find functions by their addresses. The symbols may
 * be in a separate debug file.
 *
 * libdwfl finds and reads the files. It is not used to find functions, because
 * dwfl_module_addrinfo() searches the whole symbol table each time. With libc.so.6 (3,706
 * functions), 10,000 calls of dwfl_module_addrinfo() took 1.5 s of CPU time, and 100,000 calls of
 * symbol_table_find() took 7 ms.
 */
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/array.h"
#include "program.h"

/* dwfl_report_elf() adds this number to the addresses in the file. */
#define NO_BIAS 0

static int read_segments(struct program *program, Elf *elf, GElf_Addr bias)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct program_segment *segment;
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		segment = array_add(&program->segments, &program->segment_count,
				    sizeof(*segment));
		if (!segment)
			return -1;
		segment->offset = header.p_offset;
		segment->size = header.p_filesz;
		segment->address = header.p_vaddr + bias;
	}
	return 0;
}

/* Returns the end of section @index, or 0 if this section contains no code. */
static GElf_Addr end_of_code(Elf *elf, GElf_Word index)
{
	Elf_Scn *section = index < SHN_LORESERVE ? elf_getscn(elf, index) : NULL;
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) ||
	    !(header.sh_flags & SHF_EXECINSTR))
		return 0;
	return header.sh_addr + header.sh_size;
}

/*
 * Returns true if @symbol is a function or a label in code. Labels are wanted because a function in
 * assembly language may have only a label as its symbol. But a label whose name begins with $ is
 * not wanted: on Arm such a label says whether instructions or data follow.
 */
static bool is_wanted(const GElf_Sym *symbol, Elf *elf, GElf_Word index, const char *name)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return index != SHN_UNDEF && *name;
	case STT_NOTYPE:
		return *name && *name != '$' && end_of_code(elf, index);
	default:
		return false;
	}
}

static unsigned int rank(const GElf_Sym *symbol)
{
	if (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE)
		return 3;
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
		return 0;
	case STB_WEAK:
		return 1;
	default:
		return 2;
	}
}

/* Read the symbols of the file, or of its debug file if there is one. */
static int read_symbols(struct program *program, Dwfl_Module *module)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 0; i < count; i++) {
		GElf_Addr address, bias;
		GElf_Word index;
		GElf_Sym symbol;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &address,
							   &index, &elf, &bias);
		struct symbol wanted = {
			.address = address,
			.size = symbol.st_size,
			.name = (char *)name,
		};

		if (!name || !is_wanted(&symbol, elf, index, name))
			continue;
		wanted.rank = rank(&symbol);
		wanted.limit = end_of_code(elf, index);
		if (wanted.limit)
			wanted.limit += bias;
		if (symbol_table_add(&program->symbols, &wanted))
			return -1;
	}
	symbol_table_sort(&program->symbols);
	return 0;
}

/*
 * Read the file of @fd. If libdwfl accepts the file, dwfl_end() closes @fd later. If libdwfl does
 * not accept the file, this function closes @fd.
 */
static int read_module(struct program *program, Dwfl *dwfl, int fd, const char *name)
{
	Dwfl_Module *module;
	GElf_Addr bias;
	Elf *elf;

	dwfl_report_begin(dwfl);
	module = dwfl_report_elf(dwfl, name, name, fd, NO_BIAS, true);
	if (!module)
		close(fd);
	if (!module || dwfl_report_end(dwfl, NULL, NULL))
		return -1;
	elf = dwfl_module_getelf(module, &bias);
	if (!elf || read_segments(program, elf, bias))
		return -1;
	return read_symbols(program, module);
}

/* libdwfl closes the descriptor that it gets, so give it a duplicate of @fd. */
int program_read(struct program *program, int fd, const char *name, char *debug_path)
{
	const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = debug_path ? &debug_path : NULL,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	int own, result = -1;

	*program = (struct program){ 0 };
	own = dwfl ? dup(fd) : -1;
	if (own != -1)
		result = read_module(program, dwfl, own, name);
	dwfl_end(dwfl);
	if (!result)
		cfi_open(&program->cfi, fd);
	return result;
}

void program_free(struct program *program)
{
	symbol_table_free(&program->symbols);
	free(program->segments);
	cfi_close(&program->cfi);
	*program = (struct program){ 0 };
}

/*
 * Convert @offset in the file to @address, the address that the file's symbols and unwinding tables
 * use for this offset.
 */
static bool find_address(const struct program *program, uint64_t offset,
			 uint64_t *address)
{
	for (size_t i = 0; i < program->segment_count; i++) {
		const struct program_segment *segment = &program->segments[i];

		if (offset - segment->offset >= segment->size)
			continue;
		*address = offset - segment->offset + segment->address;
		return true;
	}
	return false;
}

struct symbol *program_find(const struct program *program, uint64_t offset,
			    uint64_t *inside)
{
	struct symbol *symbol;
	uint64_t address;

	if (!find_address(program, offset, &address))
		return NULL;
	symbol = symbol_table_find(&program->symbols, address);
	if (symbol)
		*inside = address - symbol->address;
	return symbol;
}

enum link_state program_link(struct program *program, uint64_t offset)
{
	uint64_t address;

	if (!find_address(program, offset, &address))
		return LINK_UNKNOWN;
	return cfi_link(&program->cfi, address);
}
