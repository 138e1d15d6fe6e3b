/* SPDX-License-Identifier: GPL-2.0-only */
/* What the unwinding tables of a program say about the link register. */
#ifndef PFMON_CFI_H
#define PFMON_CFI_H

#include <elfutils/libdw.h>

/* Where the function at an instruction has its return address. */
enum link_state {
	LINK_UNKNOWN, /* no table has the instruction */
	LINK_IN_REGISTER,
	LINK_SAVED, /* what the register has is left over, or the same */
};

/**
 * struct cfi - the tables of an ELF file
 * @image: the file in memory; NULL if there is none
 * @size: bytes of it
 * @elf: @image, once somebody has asked
 * @tables: of @elf, in .eh_frame; NULL if there are none
 */
struct cfi {
	void *image;
	size_t size;
	Elf *elf;
	Dwarf_CFI *tables;
};

/* The file of @fd, which may be closed then.  To be closed in any case. */
void cfi_open(struct cfi *cfi, int fd);
void cfi_close(struct cfi *cfi);

/* At the instruction @address, as the file's program headers have it. */
enum link_state cfi_link(struct cfi *cfi, uint64_t address);

#endif
