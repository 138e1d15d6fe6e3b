/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the names that functions have in the source. */
#ifndef PFMON_DEMANGLE_H
#define PFMON_DEMANGLE_H

/*
 * Demangle @name, the mangled name of a C++ or Rust function. Returns the name in the source with
 * the types of the arguments, as c++filt(1) writes it; the caller frees this name. Returns NULL if
 * @name is not a mangled name, if the source name would be too long, or if there is no memory.
 */
char *demangle(const char *name);

#endif
