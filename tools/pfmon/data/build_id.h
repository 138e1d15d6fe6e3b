/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read build-ids. A build-id identifies a program or library. The linker writes it into the file of
 * the program or library.
 */
#ifndef PFMON_BUILD_ID_H
#define PFMON_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

/* Size of a buffer for a build-id: at most 128 hexadecimal digits, and the zero byte. */
#define BUILD_ID_SIZE 129

/*
 * Store the build-id of a file in @text, or "" if the file has none or cannot be read. Returns
 * false if the file cannot be read or is not an ELF file.
 */
bool build_id_of_file(const char *path, char text[BUILD_ID_SIZE]);

/* Like build_id_of_file(), for an open file. */
bool build_id_of_fd(int fd, char text[BUILD_ID_SIZE]);

/*
 * Store the build-id of this process's vdso in @text, or "" if there is none. Other processes of
 * the same width (32 or 64 bits) have the same vdso.
 */
void build_id_of_vdso(char text[BUILD_ID_SIZE]);

/*
 * Store in @text the build-id from a file that contains only ELF notes, such as /sys/kernel/notes.
 * Stores "" if the file has none in its first 4096 bytes or cannot be read.
 */
void build_id_of_notes(const char *path, char text[BUILD_ID_SIZE]);

/*
 * Returns the address of the vdso in memory and stores the size of the vdso in @size. Returns NULL
 * if there is no vdso.
 */
const void *vdso_image(size_t *size);

#endif
