/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of the kernel and its modules. */
#ifndef PFMON_KERNEL_SYMBOLS_H
#define PFMON_KERNEL_SYMBOLS_H

#include "symbol_table.h"

/*
 * Read the functions into @table, which is empty; @root is the prefix of "/proc": usually
 * "". @table stays empty if the user may not see addresses.  If there is no memory,
 * reports an error and returns -1, else returns 0.
 */
int kernel_symbols_read(struct symbol_table *table, const char *root);

#endif
