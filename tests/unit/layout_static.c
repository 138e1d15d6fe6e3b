// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does the checks of layout.c at compile time. So these checks also work with a cross compiler,
 * whose programs cannot run here. headers.sh compiles this file with several compilers, if they are
 * installed.
 */
#include <stddef.h>
#include <perfmon/perfmon.h>

#include "layout.h"

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type);
#define OFFSET(type, field, offset)                                                      \
	_Static_assert(offsetof(type, field) == (offset), #type "." #field);
#define VALUE(name, value) _Static_assert((long)(name) == (value), #name);

SIZES(SIZE)
OFFSETS(OFFSET)
VALUES(VALUE)
