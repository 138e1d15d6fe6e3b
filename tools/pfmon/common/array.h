/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. */
#ifndef PFMON_ARRAY_H
#define PFMON_ARRAY_H

#include <stddef.h>

/*
 * Append a zeroed element to the array that *@array points to.  It has *@count elements
 * of @size bytes, all added by these functions.  Returns the new element, or NULL without
 * memory; the array is unchanged then.
 */
void *array_add(void *array, size_t *count, size_t size);

/*
 * Returns element @index of such an array. If it is missing, first appends zeroed
 * elements up to it.
 */
void *array_reach(void *array, size_t *count, size_t index, size_t size);

#endif
