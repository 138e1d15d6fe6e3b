/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of all calls. It describes their structures as they were in the first version of the
 * interface. Sizes and offsets are literal numbers, because they must never change.
 */
#ifndef FIRST_CALLS_H
#define FIRST_CALLS_H

#include "measure.h"

enum state {
	OPENED, /* no context yet */
	CREATED, /* the context has set 1 and a counter in use */
	LOADED, /* loaded on the caller */
};

enum kind {
	IN, /* the kernel reads the structure */
	OUT, /* the kernel writes the structure */
	VECTOR, /* a vector of elements */
	NONE, /* no argument */
};

/*
 * A reserved field. @offset is its distance in bytes from the beginning of the structure. In
 * call->reserved, unused elements have size 0.
 */
struct field {
	unsigned int offset;
	unsigned int size;
};

/**
 * struct call - a call and its argument
 * @size: size of the call's structure in the first version. If the call takes a vector, @size is
 *	the size of an element
 * @fill: fills in the fields that must not be zero. NULL if a structure of zeros is valid
 * @reserved: fields that must be zero if @is_strict is true, and that are ignored if it is false
 * @flags: offset of the field with flags, or NO_FLAGS
 * @known: flags that the header defines, whether this module offers them or not
 */
struct call {
	const char *name;
	unsigned int number;
	enum kind kind;
	unsigned int size;
	enum state state;
	void (*fill)(void *structure);
	bool is_strict;
	struct field reserved[4];
	unsigned int flags;
	uint32_t known;
};

#define NO_FLAGS 9999

/* The name of the last element is NULL. */
extern const struct call first_calls[];

#define for_each_call(call)                                                              \
	for ((call) = first_calls; (call)->name && (subject = (call)->name); (call)++)

/* Returns a descriptor in the state that the call needs. */
int prepare_call(const struct call *call);

/* Turns @structure, which must contain only zeros, into a valid argument. */
void fill_argument(const struct call *call, void *structure);

/* Makes the ioctl of @call. @size: size of @argument; @direction: as in _IOC() */
int do_ioctl(int fd, const struct call *call, unsigned int direction, size_t size,
	     void *argument);

/*
 * Makes the call with a structure of @size bytes at @structure. If the call takes a vector, this
 * structure is its only element.
 */
int do_call(int fd, const struct call *call, size_t size, void *structure);

#endif
