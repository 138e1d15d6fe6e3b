// SPDX-License-Identifier: GPL-2.0-only
/* Arrays that grow. */
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* The array has room for *@count elements, rounded up to a power of two. */
void *array_add(void *array, size_t *count, size_t size)
{
	void *elements, *added;

	/* On Linux, pointers to objects of all types have the same representation as void *. */
	memcpy(&elements, array, sizeof(elements));
	if (!(*count & (*count - 1))) {
		elements = reallocarray(elements, *count ? 2 * *count : 1, size);
		if (!elements)
			return NULL;
		memcpy(array, &elements, sizeof(elements));
	}
	added = (char *)elements + (*count)++ * size;
	return memset(added, 0, size);
}

void *array_reach(void *array, size_t *count, size_t index, size_t size)
{
	void *elements;

	while (*count <= index)
		if (!array_add(array, count, size))
			return NULL;
	memcpy(&elements, array, sizeof(elements));
	return (char *)elements + index * size;
}
