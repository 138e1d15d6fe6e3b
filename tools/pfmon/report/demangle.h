/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the names that functions have in the source. */
#ifndef PFMON_DEMANGLE_H
#define PFMON_DEMANGLE_H

/*
 * Returns the source name of the C++ or Rust function whose mangled name is @name. The source name
 * includes the types of the arguments, as c++filt(1) writes it; the caller frees it. Returns NULL
 * if @name is not a mangled name, if the source name would be too long, or if there is no memory.
 */
char *demangle(const char *name);

#endif
