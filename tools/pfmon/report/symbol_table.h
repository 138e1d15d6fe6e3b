/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of functions that is sorted by address. */
#ifndef PFMON_SYMBOL_TABLE_H
#define PFMON_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct symbol - a function
 * @address: address where the function begins
 * @size: size in bytes, or 0 if the size is not known. In this case the function ends at @limit or
 *	at the next symbol, whichever comes first
 * @limit: end of the section that contains the function; 0 if it is not known
 * @rank: if several symbols have the same address, the one with the lowest rank is shown
 * @outer: after sorting, index plus 1 of the symbol that contains this symbol; 0 if no symbol
 *	contains it. Only symbols that have a size contain other symbols
 * @name: its name
 * @is_demangled: symbol_demangle() has been called
 */
struct symbol {
	uint64_t address;
	uint64_t size;
	uint64_t limit;
	unsigned int rank;
	size_t outer;
	char *name;
	bool is_demangled;
};

/**
 * struct symbol_table - functions of a program
 * @symbols: the functions, ascending by address after symbol_table_sort()
 * @count: number of @symbols
 */
struct symbol_table {
	struct symbol *symbols;
	size_t count;
};

/*
 * Add a copy of @symbol. In the copy's name, '?' replaces control characters. Returns 0, or -1 if
 * there is no memory.
 */
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/*
 * Sort the symbols, after the last symbol has been added. Keeps one symbol for each address, and
 * removes labels without a size that are inside functions with a size.
 */
void symbol_table_sort(struct symbol_table *table);

/* Returns the symbol that contains @address, or NULL if there is none. */
struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address);

/* Give @symbol the name that it has in the source, if demangle() finds that name. */
void symbol_demangle(struct symbol *symbol);
void symbol_table_free(struct symbol_table *table);

#endif
