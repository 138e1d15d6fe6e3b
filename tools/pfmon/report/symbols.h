/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the functions that contain given addresses. */
#ifndef PFMON_SYMBOLS_H
#define PFMON_SYMBOLS_H

#include "mappings.h"
#include "object.h"
#include "samples.h"

/**
 * struct symbols - all that is needed to find functions
 * @recording: the recording with the addresses
 * @mappings: mappings of @recording
 * @objects: objects of @recording
 * @demangles: give functions the names that they have in the source; symbols_make() sets
 *	@demangles to false
 */
struct symbols {
	const struct recording *recording;
	struct mappings mappings;
	struct object_list objects;
	bool demangles;
};

/**
 * struct location - where an address is
 * @object: program, library or part of the kernel; NULL if nothing was mapped there
 * @symbol: the function; NULL if it is not known
 * @offset: offset in the function; if the function is not known, offset in @object; if the object
 *	is not known either, the address
 * @is_kernel: the address is in the kernel
 */
struct location {
	const struct object *object;
	const struct symbol *symbol;
	uint64_t offset;
	bool is_kernel;
};

/* Returns -1 if there is no memory, else 0; the caller calls symbols_free() in any case. */
int symbols_make(struct symbols *symbols, const struct recording *recording);
void symbols_free(struct symbols *symbols);

/* Find the location of frame @index of @sample. */
struct location symbols_find(struct symbols *symbols, const struct sample *sample,
			     unsigned int index);

/*
 * Returns whether frame @index of @sample belongs to the call chain. All frames belong to it, with
 * one exception: the value of the link register does not belong to it if this value is left over
 * from an earlier call, or is equal to the next frame.
 */
bool symbols_is_frame(struct symbols *symbols, const struct sample *sample,
		      unsigned int index);

/* Returns a text for an object, such as "libc.so.6", "[kernel]" or "[unknown]". */
const char *object_name(const struct object *object, bool is_kernel);

#endif
