// SPDX-License-Identifier: GPL-2.0-only
/* Find functions by their addresses. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "../common/text.h"
#include "demangle.h"
#include "symbol_table.h"

int symbol_table_add(struct symbol_table *table, const struct symbol *symbol)
{
	char *name = strdup(symbol->name);
	struct symbol *added;

	if (!name)
		return -1;
	text_defuse(name);
	added = array_add(&table->symbols, &table->count, sizeof(*added));
	if (!added) {
		free(name);
		return -1;
	}
	*added = *symbol;
	added->name = name;
	return 0;
}

/*
 * Compare two names of the same address. The name with fewer underscores at its beginning is sorted
 * before the other one, because names that begin with underscores usually belong to the C library
 * or the compiler. If both names begin with the same number of underscores, strcmp() decides, so
 * that the order is always the same.
 */
static int compare_names(const char *one, const char *other)
{
	size_t a = strspn(one, "_"), b = strspn(other, "_");

	if (a != b)
		return a < b ? -1 : 1;
	return strcmp(one, other);
}

static int compare(const void *one, const void *other)
{
	const struct symbol *a = one, *b = other;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return compare_names(a->name, b->name);
}

static bool lies_in(uint64_t address, const struct symbol *symbol)
{
	if (symbol->size)
		return address - symbol->address < symbol->size;
	return !symbol->limit || address < symbol->limit;
}

/*
 * Among the first @count symbols, find the last one that contains @address. Returns the symbol's
 * index plus 1, or 0 if no symbol contains @address.
 */
static size_t innermost(const struct symbol *symbols, size_t count, uint64_t address)
{
	while (count && !lies_in(address, &symbols[count - 1]))
		count = symbols[count - 1].outer;
	return count;
}

/*
 * For a symbol at @address, find the outer symbol, which contains this symbol. A symbol without a
 * size contains no other symbol, because it ends where the next symbol begins.
 */
static size_t find_outer(const struct symbol *symbols, size_t count, uint64_t address)
{
	size_t outer = innermost(symbols, count, address);

	if (outer && !symbols[outer - 1].size)
		outer = symbols[outer - 1].outer;
	return outer;
}

void symbol_table_sort(struct symbol_table *table)
{
	struct symbol *symbols = table->symbols;
	size_t count = 0;

	if (table->count)
		qsort(symbols, table->count, sizeof(*symbols), compare);
	for (size_t i = 0; i < table->count; i++) {
		struct symbol *symbol = &symbols[i];
		size_t outer = find_outer(symbols, count, symbol->address);

		if ((count && symbols[count - 1].address == symbol->address) ||
		    (!symbol->size && outer)) {
			free(symbol->name);
			continue;
		}
		symbol->outer = outer;
		symbols[count++] = *symbol;
	}
	table->count = count;
}

struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	low = innermost(table->symbols, low, address);
	return low ? &table->symbols[low - 1] : NULL;
}

void symbol_demangle(struct symbol *symbol)
{
	char *name;

	if (symbol->is_demangled)
		return;
	symbol->is_demangled = true;
	name = demangle(symbol->name);
	if (!name)
		return;
	free(symbol->name);
	symbol->name = name;
}

void symbol_table_free(struct symbol_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->symbols[i].name);
	free(table->symbols);
	*table = (struct symbol_table){ 0 };
}
