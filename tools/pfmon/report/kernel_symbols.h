/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of the kernel and its modules. */
#ifndef PFMON_KERNEL_SYMBOLS_H
#define PFMON_KERNEL_SYMBOLS_H

#include "symbol_table.h"

/*
 * Read them into @table, which is empty; @root is what stands before "/proc": "".  It
 * stays empty if the addresses may not be seen.  Without memory, reports that and returns
 * -1, else returns 0.
 */
int kernel_symbols_read(struct symbol_table *table, const char *root);

#endif
