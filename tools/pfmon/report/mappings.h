/* SPDX-License-Identifier: GPL-2.0-only */
/* Find what was mapped at a given address at a given time. */
#ifndef PFMON_MAPPINGS_H
#define PFMON_MAPPINGS_H

#include "recording.h"

/**
 * struct span - a mapping in the memory of a process or of the kernel
 * @recorded: the mapping
 * @owner: number of the process that has the mapping; for the kernel, a number that no process has
 * @program: number of the program that @owner was executing when the memory was mapped. Each
 *	program of @owner has its own number
 * @reach: the highest end address of this span and of all spans of @owner before it in
 *	mappings.spans
 */
struct span {
	const struct recorded_mapping *recorded;
	uint64_t owner;
	size_t program;
	uint64_t reach;
};

/**
 * struct change - a process began, or executed another program
 * @owner: the process
 * @time: when the process began, or executed the program
 * @parent: process that created @owner, if @is_fork
 * @is_fork: the process began and has the mappings of @parent; false: it executed another program
 */
struct change {
	uint64_t owner;
	uint64_t time;
	uint32_t parent;
	bool is_fork;
};

/**
 * struct mappings - all mappings, sorted for searching
 * @spans: the mappings, ascending by owner and start address
 * @span_count: number of @spans
 * @changes: when processes began or executed a program, ascending by owner and time
 * @change_count: number of @changes
 */
struct mappings {
	struct span *spans;
	size_t span_count;
	struct change *changes;
	size_t change_count;
};

/* Returns -1 if there is no memory, else 0; the caller calls mappings_free() in any case. */
int mappings_make(struct mappings *mappings, const struct recording *recording);
void mappings_free(struct mappings *mappings);

/*
 * Returns whether @address is an address of the kernel. On all architectures that perfmon supports,
 * only addresses of the kernel have the highest bit set.
 */
static inline bool is_kernel_address(uint64_t address)
{
	return address >> 63;
}

/*
 * Find what was mapped at @address at @time. A kernel address is looked up in the mappings of the
 * kernel, any other address in the mappings of process @tgid. If nothing was mapped there at @time,
 * returns the first later mapping of @address. Returns NULL if there is no later mapping either.
 */
const struct recorded_mapping *mappings_find(const struct mappings *mappings,
					     uint32_t tgid, uint64_t time,
					     uint64_t address);

#endif
