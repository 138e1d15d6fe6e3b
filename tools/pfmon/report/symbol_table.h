/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions by address. */
#ifndef PFMON_SYMBOL_TABLE_H
#define PFMON_SYMBOL_TABLE_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct symbol - a function
 * @address: where it begins
 * @size: bytes of it, 0 if that is not known: up to the next one, or
 * @limit: an address that it does not reach; 0 if that is not known
 * @rank: of several at an address that with the lowest is shown
 * @outer: the one with a size that it lies in, once they are sorted: its number and 1;
 *	0 for none
 * @name: its name
 */
struct symbol {
	uint64_t address;
	uint64_t size;
	uint64_t limit;
	unsigned int rank;
	size_t outer;
	char *name;
};

/**
 * struct symbol_table - functions of a program
 * @symbols: ascending by address once they are sorted
 * @count: number of @symbols
 */
struct symbol_table {
	struct symbol *symbols;
	size_t count;
};

/*
 * Of characters of the name that a terminal obeys '?' is made.  Returns -1 without
 * memory, or 0.
 */
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/*
 * After the last one.  Leaves one for each address, and no label without a size that
 * lies in a function with one.
 */
void symbol_table_sort(struct symbol_table *table);

/* The one that @address lies in, or NULL. */
const struct symbol *symbol_table_find(const struct symbol_table *table,
				       uint64_t address);
void symbol_table_free(struct symbol_table *table);

#endif
