/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of the kernel and its modules. */
#ifndef PFMON_KERNEL_SYMBOLS_H
#define PFMON_KERNEL_SYMBOLS_H

#include "symbol_table.h"

/*
 * Read the functions from /proc/kallsyms into the empty table @table. @root is put before "/proc":
 * it is "" or, in tests, a directory. @table stays empty if the user may not see addresses.
 * Returns 0, or -1 after reporting that there is no memory.
 */
int kernel_symbols_read(struct symbol_table *table, const char *root);

#endif
