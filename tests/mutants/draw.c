// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws mutants from a list. A mutant's weight is L / (K * M). L is the number of lines of its
 * file, K is the number of kinds of mutants in this file, and M is the number of mutants of the
 * same kind in this file. So neither a kind with many mutants nor a file with many mutants
 * dominates.
 *
 * Each mutant gets a random key, from an exponential distribution with the mean 1 / weight. The
 * mutants with the smallest keys are drawn. This is weighted sampling without replacement (P.
 * Efraimidis and P. Spirakis, "Weighted random sampling with a reservoir", 2006). The key depends
 * only on the seed, the mutant's id and its weight. So most of the drawn mutants stay the same when
 * the code changes a little.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

struct line {
	char *text;
	const char *id, *file, *kind;
	double key;
};

struct lines {
	struct line *lines;
	size_t count;
};

/* Returns field @number of a line that mutants_print() wrote. */
static char *field(const char *line, unsigned int number)
{
	size_t length;

	while (--number) {
		line = strchr(line, '\t');
		if (!line)
			return NULL;
		line++;
	}
	length = strcspn(line, "\t\n");
	return format("%.*s", (int)length, line);
}

static struct lines lines_read(FILE *list)
{
	struct lines all = {};
	char *text = NULL;
	size_t size = 0;

	while (getline(&text, &size, list) > 0) {
		struct line line = { .id = field(text, 1),
				     .file = field(text, 2),
				     .kind = field(text, 6) };

		if (!line.file || !line.kind) {
			fprintf(stderr, "perfmon-mutate: not a mutant: %s", text);
			exit(2);
		}
		line.text = format("%s", text);
		all.lines = grow(all.lines, all.count, sizeof(line));
		all.lines[all.count++] = line;
	}
	free(text);
	return all;
}

static size_t count_lines(const char *path)
{
	struct text text = text_read(path);
	size_t i, count = 0;

	for (i = 0; i < text.size; i++)
		count += text.bytes[i] == '\n';
	free(text.bytes);
	return count;
}

static bool is_same_kind(const struct line *a, const struct line *b)
{
	return !strcmp(a->file, b->file) && !strcmp(a->kind, b->kind);
}

static int by_file_and_kind(const void *a, const void *b)
{
	const struct line *one = a, *other = b;
	int order = strcmp(one->file, other->file);

	return order ?: strcmp(one->kind, other->kind);
}

static int by_key(const void *a, const void *b)
{
	const struct line *one = a, *other = b;

	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return strcmp(one->text, other->text);
}

/* Returns a random number between 0 and 1, both excluded. It is computed as in splitmix64. */
static double random_of(unsigned long long seed, const char *id)
{
	unsigned long long value = (seed + 1) * 0x9e3779b97f4a7c15 ^
				   strtoull(id, NULL, 16);
	int round;

	for (round = 0; round < 2; round++) {
		value += 0x9e3779b97f4a7c15;
		value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
		value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
		value ^= value >> 31;
	}
	return ((double)(value >> 11) + 0.5) / (double)(1ull << 53);
}

/*
 * Sets the keys of all lines whose file is that of @lines[0]. These lines are at the beginning of
 * @lines. Returns their number.
 */
static size_t set_keys(struct line *lines, size_t count, unsigned long long seed)
{
	const double size = (double)count_lines(lines->file);
	size_t i, first, kinds = 1, end = 1;
	double weight;

	for (; end < count && !strcmp(lines[end].file, lines->file); end++)
		kinds += !is_same_kind(&lines[end], &lines[end - 1]);
	for (first = 0; first < end; first = i) {
		for (i = first; i < end && is_same_kind(&lines[i], &lines[first]); i++)
			;
		weight = size / (double)kinds / (double)(i - first);
		for (i = first; i < end && is_same_kind(&lines[i], &lines[first]); i++)
			lines[i].key = -log(random_of(seed, lines[i].id)) / weight;
	}
	return end;
}

int draw(unsigned long long seed, unsigned int count, FILE *list)
{
	struct lines all = lines_read(list);
	size_t i;

	qsort(all.lines, all.count, sizeof(*all.lines), by_file_and_kind);
	for (i = 0; i < all.count;)
		i += set_keys(&all.lines[i], all.count - i, seed);
	qsort(all.lines, all.count, sizeof(*all.lines), by_key);
	for (i = 0; i < all.count && i < count; i++)
		fputs(all.lines[i].text, stdout);
	return 0;
}
