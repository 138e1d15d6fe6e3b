// SPDX-License-Identifier: GPL-2.0-only
/* Collects, sorts and prints the mutants of a file. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

const struct function *source_function(const struct source *source, size_t at)
{
	size_t i;

	for (i = 0; i < source->function_count; i++) {
		const struct function *function = &source->functions[i];

		if (at >= function->range.start && at < function->range.end)
			return function;
	}
	return NULL;
}

bool source_range(const struct source *source, CXCursor cursor, struct range *range)
{
	CXSourceRange extent = clang_getCursorExtent(cursor);
	unsigned int start, end;
	CXFile first, last;

	clang_getFileLocation(clang_getRangeStart(extent), &first, NULL, NULL, &start);
	clang_getFileLocation(clang_getRangeEnd(extent), &last, NULL, NULL, &end);
	*range = (struct range){ start, end };
	return first && last && clang_File_isEqual(first, source->file) &&
	       clang_File_isEqual(last, source->file) && start < end &&
	       end <= source->text.size;
}

static unsigned int lines(const char *string, size_t size)
{
	unsigned int count = 0;

	while (size--)
		count += *string++ == '\n';
	return count;
}

/*
 * Adds newlines to @replacement until it has as many as the text at @place, so that __LINE__ does
 * not change in the rest of the file.
 */
static char *keep_lines(const struct source *source, struct range place,
			char *replacement)
{
	unsigned int before =
		lines(source->text.bytes + place.start, place.end - place.start);
	unsigned int after = lines(replacement, strlen(replacement));
	char *padded;

	for (; after < before; after++) {
		padded = format("%s\n", replacement);
		free(replacement);
		replacement = padded;
	}
	return replacement;
}

void mutant_add_named(struct source *source, const char *kind, struct range place,
		      char *replacement, char *from, char *to)
{
	struct mutant mutant = {
		.place = place,
		.replacement = keep_lines(source, place, replacement),
		.kind = kind,
		.function = "-",
		.line = 1 + lines(source->text.bytes, place.start),
	};
	const struct function *function = source_function(source, place.start);

	if (function)
		mutant.function = function->name;
	mutant.from = from ? from : range_squeeze(&source->text, place);
	mutant.to = to ? to : squeeze(mutant.replacement);
	source->mutants = grow(source->mutants, source->mutant_count, sizeof(mutant));
	source->mutants[source->mutant_count++] = mutant;
}

void mutant_add(struct source *source, const char *kind, struct range place,
		char *replacement)
{
	mutant_add_named(source, kind, place, replacement, NULL, NULL);
}

static int compare_places(const struct mutant *a, const struct mutant *b)
{
	if (a->place.start != b->place.start)
		return a->place.start < b->place.start ? -1 : 1;
	if (a->place.end != b->place.end)
		return a->place.end < b->place.end ? -1 : 1;
	return strcmp(a->replacement, b->replacement);
}

static int compare(const void *a, const void *b)
{
	const struct mutant *first = a, *second = b;
	int order = compare_places(first, second);

	return order ? order : strcmp(first->kind, second->kind);
}

/*
 * Removes duplicates. The syntax tree contains a macro's argument as many times as the macro uses
 * it.
 */
static void drop_doubles(struct source *source)
{
	size_t i, kept = 0;

	for (i = 0; i < source->mutant_count; i++)
		if (!kept ||
		    compare_places(&source->mutants[kept - 1], &source->mutants[i]))
			source->mutants[kept++] = source->mutants[i];
	source->mutant_count = kept;
}

static bool is_same(const struct mutant *a, const struct mutant *b)
{
	return !strcmp(a->kind, b->kind) && !strcmp(a->function, b->function) &&
	       !strcmp(a->from, b->from) && !strcmp(a->to, b->to);
}

void mutants_finish(struct source *source)
{
	size_t i, j;

	if (!source->mutant_count)
		return;
	qsort(source->mutants, source->mutant_count, sizeof(source->mutants[0]), compare);
	drop_doubles(source);
	for (i = 0; i < source->mutant_count; i++)
		for (j = 0; j < i; j++)
			source->mutants[i].occurrence +=
				is_same(&source->mutants[i], &source->mutants[j]);
}

static void hash(uint64_t *value, const char *string)
{
	/* FNV-1a; the zero byte at the end of the string is hashed, too */
	do {
		*value = (*value ^ (unsigned char)*string) * 0x100000001b3;
	} while (*string++);
}

/*
 * The id is computed from the file's path and the mutant's name. So it stays the same when other
 * lines are added or removed.
 */
static uint64_t identify(const struct source *source, const struct mutant *mutant)
{
	uint64_t value = 0xcbf29ce484222325;
	char occurrence[16];

	snprintf(occurrence, sizeof(occurrence), "%u", mutant->occurrence);
	hash(&value, source->path);
	hash(&value, mutant->function);
	hash(&value, mutant->kind);
	hash(&value, mutant->from);
	hash(&value, mutant->to);
	hash(&value, occurrence);
	return value >> 16;
}

void mutants_print(const struct source *source, FILE *stream)
{
	size_t i;

	for (i = 0; i < source->mutant_count; i++) {
		const struct mutant *mutant = &source->mutants[i];

		fprintf(stream, "%012" PRIx64 "\t%s\t%zu\t%zu\t%u\t%s\t%s\t%u\t",
			identify(source, mutant), source->path, mutant->place.start,
			mutant->place.end - mutant->place.start, mutant->line,
			mutant->kind, mutant->function, mutant->occurrence);
		field_write(stream, mutant->from);
		putc('\t', stream);
		field_write(stream, mutant->to);
		putc('\t', stream);
		field_write(stream, mutant->replacement);
		putc('\n', stream);
	}
}
