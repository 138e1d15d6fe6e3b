// SPDX-License-Identifier: GPL-2.0-only
/* Find out from a program's unwinding tables what the link register contains. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cfi.h"

/*
 * Map the file. Most recordings contain no values of link registers and do not need the tables, so
 * the tables are read only at the first call of cfi_link().
 */
void cfi_open(struct cfi *cfi, int fd)
{
	struct stat status;
	void *image;

	*cfi = (struct cfi){ 0 };
	if (fstat(fd, &status) || status.st_size <= 0)
		return;
	image = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		     fd, 0);
	if (image == MAP_FAILED)
		return;
	cfi->image = image;
	cfi->size = (size_t)status.st_size;
}

void cfi_close(struct cfi *cfi)
{
	dwarf_cfi_end(cfi->tables);
	elf_end(cfi->elf);
	if (cfi->image)
		munmap(cfi->image, cfi->size);
	*cfi = (struct cfi){ 0 };
}

static void read_tables(struct cfi *cfi)
{
	if (cfi->elf || !cfi->image)
		return;
	elf_version(EV_CURRENT);
	cfi->elf = elf_memory(cfi->image, cfi->size);
	cfi->tables = dwarf_getcfi_elf(cfi->elf);
}

/*
 * Returns where the return address is according to @frame. On a machine with a link register,
 * dwarf_frame_info() returns the number of this register. If the tables have no rule for the link
 * register, the interrupted function has not changed the register, so the register still contains
 * the return address.
 */
static enum link_state link_of(Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *location;
	size_t length;
	int number = dwarf_frame_info(frame, NULL, NULL, NULL);

	if (number < 0 || dwarf_frame_register(frame, number, memory, &location, &length))
		return LINK_UNKNOWN;
	return !length && !location ? LINK_IN_REGISTER : LINK_SAVED;
}

enum link_state cfi_link(struct cfi *cfi, uint64_t address)
{
	enum link_state state;
	Dwarf_Frame *frame;

	read_tables(cfi);
	if (!cfi->tables || dwarf_cfi_addrframe(cfi->tables, address, &frame))
		return LINK_UNKNOWN;
	state = link_of(frame);
	free(frame);
	return state;
}
