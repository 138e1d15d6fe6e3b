/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. */
#ifndef PFMON_ARRAY_H
#define PFMON_ARRAY_H

#include <stddef.h>

/*
 * A place, zeroed, at the end of the array whose pointer is at @array, of *@count
 * elements of @size bytes, which was filled by this alone.  NULL without memory: the
 * array is what it was then.
 */
void *array_add(void *array, size_t *count, size_t size);

/* The element @index of such an array, after adding zeroed ones until there is one. */
void *array_reach(void *array, size_t *count, size_t index, size_t size);

#endif
