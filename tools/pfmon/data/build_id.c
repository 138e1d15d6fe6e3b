// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read build-ids. A build-id identifies a program or library. The linker writes it into the file of
 * the program or library.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "build_id.h"

static void to_text(const unsigned char *id, size_t size, char text[BUILD_ID_SIZE])
{
	*text = '\0';
	if (size > (BUILD_ID_SIZE - 1) / 2)
		return;
	for (size_t i = 0; i < size; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
}

static bool of_elf(Elf *elf, char text[BUILD_ID_SIZE])
{
	const void *id;
	ssize_t size;

	*text = '\0';
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return false;
	size = dwelf_elf_gnu_build_id(elf, &id);
	if (size > 0)
		to_text(id, (size_t)size, text);
	return true;
}

bool build_id_of_fd(int fd, char text[BUILD_ID_SIZE])
{
	bool is_elf;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	is_elf = of_elf(elf, text);
	elf_end(elf);
	return is_elf;
}

bool build_id_of_file(const char *path, char text[BUILD_ID_SIZE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_elf;

	*text = '\0';
	if (fd == -1)
		return false;
	is_elf = build_id_of_fd(fd, text);
	close(fd);
	return is_elf;
}

/*
 * The kernel passes the address of the vdso in the auxiliary vector. The section headers are the
 * last part of the vdso, so they end where the vdso ends.
 */
const void *vdso_image(size_t *size)
{
	const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!header)
		return NULL;
	*size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	return header;
}

void build_id_of_vdso(char text[BUILD_ID_SIZE])
{
	size_t size = 0;
	const void *image = vdso_image(&size);
	Elf *elf;

	*text = '\0';
	if (!image)
		return;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image, size);
	of_elf(elf, text);
	elf_end(elf);
}

/* The size of a note's name or descriptor, with padding. */
static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static void of_notes(const unsigned char *notes, size_t size, char text[BUILD_ID_SIZE])
{
	Elf64_Nhdr note; /* the same as Elf32_Nhdr */

	while (size >= sizeof(note)) {
		const unsigned char *name = notes + sizeof(note);
		size_t rest = size - sizeof(note);

		memcpy(&note, notes, sizeof(note));
		if (note.n_namesz > rest || padded(note.n_namesz) > rest ||
		    note.n_descsz > rest - padded(note.n_namesz))
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(name, "GNU", sizeof("GNU"))) {
			to_text(name + padded(note.n_namesz), note.n_descsz, text);
			return;
		}
		rest = padded(note.n_namesz) + padded(note.n_descsz) + sizeof(note);
		if (rest > size)
			return;
		notes += rest;
		size -= rest;
	}
}

void build_id_of_notes(const char *path, char text[BUILD_ID_SIZE])
{
	unsigned char notes[4096];
	FILE *file = fopen(path, "re");

	*text = '\0';
	if (!file)
		return;
	of_notes(notes, fread(notes, 1, sizeof(notes), file), text);
	fclose(file);
}
