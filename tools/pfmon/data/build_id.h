/* SPDX-License-Identifier: GPL-2.0-only */
/* Read build-ids, which identify a program; the linker writes them. */
#ifndef PFMON_BUILD_ID_H
#define PFMON_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

/* Characters of a build-id as hexadecimal digits at most, with the zero byte. */
#define BUILD_ID_SIZE 129

/*
 * The build-id as text: "" if there is none or it cannot be read; those that return
 * bool say which of the two.
 */
bool build_id_of_file(const char *path, char text[BUILD_ID_SIZE]);

/* The same of an open file. */
bool build_id_of_fd(int fd, char text[BUILD_ID_SIZE]);

/* Of the vdso of this process; others of the same width have the same. */
void build_id_of_vdso(char text[BUILD_ID_SIZE]);

/* Of a file that has the notes of an ELF file, as the kernel shows its own in /sys. */
void build_id_of_notes(const char *path, char text[BUILD_ID_SIZE]);

/* The image of the vdso, NULL if there is none. */
const void *vdso_image(size_t *size);

#endif
