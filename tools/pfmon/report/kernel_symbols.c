// SPDX-License-Identifier: GPL-2.0-only
/* Read the functions of the kernel and its modules from /proc/kallsyms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/errors.h"
#include "../data/kernel.h"
#include "kernel_symbols.h"

int kernel_symbols_read(struct symbol_table *table, const char *root)
{
	FILE *file = kernel_open(root, "/proc/kallsyms");
	struct symbol symbol = { 0 };
	char *line = NULL, type;
	size_t size = 0;
	int result = 0;

	if (!file)
		return 0;
	while (!result && getline(&line, &size, file) != -1)
		if (kernel_parse_symbol(line, &symbol.address, &type, &symbol.name) &&
		    symbol.address && strchr("tTwW", type))
			result = symbol_table_add(table, &symbol);
	free(line);
	fclose(file);
	symbol_table_sort(table);
	return result ? fail("no memory") : 0;
}
