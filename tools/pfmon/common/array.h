/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. */
#ifndef PFMON_ARRAY_H
#define PFMON_ARRAY_H

#include <stddef.h>

/*
 * Append a zeroed element to the array that *@array points to. The array has *@count elements of
 * @size bytes; only array_add() and array_reach() may have added them. Returns the new element. If
 * there is no memory, returns NULL and leaves the array as it was.
 */
void *array_add(void *array, size_t *count, size_t size);

/*
 * Returns element @index of an array that array_add() made. If the array has no such element yet,
 * first appends zeroed elements. Returns NULL if there is no memory; some of the elements may have
 * been appended.
 */
void *array_reach(void *array, size_t *count, size_t index, size_t size);

#endif
