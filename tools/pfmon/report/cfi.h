/* SPDX-License-Identifier: GPL-2.0-only */
/* Find out from unwinding tables whether the link register contains the return address. */
#ifndef PFMON_CFI_H
#define PFMON_CFI_H

#include <elfutils/libdw.h>

/* Where the return address of a function is when the function executes a given instruction. */
enum link_state {
	LINK_UNKNOWN, /* it is not known, for example because no table describes the instruction */
	LINK_IN_REGISTER,
	LINK_SAVED, /* it is saved elsewhere; the link register may have another value */
};

/**
 * struct cfi - the unwinding tables of an ELF file
 * @image: the mapped file; NULL if the file could not be mapped
 * @size: size of @image in bytes
 * @elf: @image as an ELF file, opened at the first use
 * @tables: .eh_frame of @elf; NULL if @elf has no .eh_frame
 */
struct cfi {
	void *image;
	size_t size;
	Elf *elf;
	Dwarf_CFI *tables;
};

/*
 * Map the file of @fd; the caller may close @fd afterwards. The caller calls cfi_close() even if
 * the file cannot be mapped.
 */
void cfi_open(struct cfi *cfi, int fd);
void cfi_close(struct cfi *cfi);

/*
 * A thread was interrupted at @address. Returns where the return address of the interrupted
 * function is. @address is the address according to the file's program headers, not the address in
 * the process.
 */
enum link_state cfi_link(struct cfi *cfi, uint64_t address);

#endif
