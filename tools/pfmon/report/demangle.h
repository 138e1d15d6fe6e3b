/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of functions as in the source. */
#ifndef PFMON_DEMANGLE_H
#define PFMON_DEMANGLE_H

/*
 * Returns the name that a function of C++ or Rust has in its source, with the types of
 * its arguments, as c++filt(1) writes it; the caller frees it.  Returns NULL for other
 * names and for names that are too long, and if there is no memory.
 */
char *demangle(const char *name);

#endif
