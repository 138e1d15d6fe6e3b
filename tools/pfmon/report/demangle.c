// SPDX-License-Identifier: GPL-2.0-only
/*
 * Use libiberty to find the names that functions have in the source. The parts of libiberty that
 * pfmon is linked with have licences that permit this: cp-demangle.c is GPL-2.0-or-later, and the
 * other parts are LGPL-2.0-or-later.
 */
#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "../common/text.h"
#include "demangle.h"

#define OPTIONS	     (DMGL_PARAMS | DMGL_ANSI)

/*
 * Maximum length of a demangled name in bytes. A limit is necessary, because a mangled name of 230
 * characters can stand for a name of 50 MB.
 */
#define LONGEST_NAME 8192

struct demangling {
	char name[LONGEST_NAME + 1];
	size_t length;
	jmp_buf is_too_long;
};

/*
 * Append @part to the name. libiberty calls this function for each part. Only longjmp() can stop
 * libiberty when the name becomes too long.
 */
static void add_part(const char *part, size_t length, void *argument)
{
	struct demangling *demangling = argument;

	if (length > LONGEST_NAME - demangling->length)
		longjmp(demangling->is_too_long, 1);
	memcpy(demangling->name + demangling->length, part, length);
	demangling->length += length;
}

char *demangle(const char *name)
{
	struct demangling demangling = { .length = 0 };

	if (setjmp(demangling.is_too_long))
		return NULL;
	/*
	 * A name that an older Rust compiler has mangled is a valid mangled C++ name, too. So try
	 * Rust first.
	 */
	if (!rust_demangle_callback(name, OPTIONS, add_part, &demangling)) {
		demangling.length = 0;
		if (!cplus_demangle_v3_callback(name, OPTIONS, add_part, &demangling))
			return NULL;
	}
	demangling.name[demangling.length] = '\0';
	/* Mangled Rust names contain encoded characters, which may be control characters. */
	text_defuse(demangling.name);
	return strdup(demangling.name);
}
