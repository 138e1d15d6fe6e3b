// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws mutants from a list. For each mutant, draw() first draws a file, then one of the kinds of
 * mutants that the file has, then a mutant of that kind. The probability of a file is proportional
 * to its number of lines. So neither a kind with many mutants nor a file with many mutants
 * dominates. The result depends only on the seed, the list and the number of lines of each file.
 */
#include <stdlib.h>
#include <string.h>

#include "source.h"

struct line {
	char *text;
	const char *file;
	const char *kind;
	bool drawn;
};

/* A file or a kind that may be drawn. The probability is proportional to the weight. */
struct choice {
	const char *name;
	size_t weight;
};

struct lines {
	struct line *lines;
	size_t count;
};

/* splitmix64 */
static unsigned long long random_next(unsigned long long *state)
{
	unsigned long long value = *state += 0x9e3779b97f4a7c15;

	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return value ^ (value >> 31);
}

/*
 * Returns field @number of a line that mutants_print() wrote. Field 2 is the file, and field 6 the
 * kind.
 */
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
		struct line line = { .file = field(text, 2), .kind = field(text, 6) };

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

static struct choice *choice_find(struct choice *choices, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(choices[i].name, name))
			return &choices[i];
	return NULL;
}

static const char *choose(const struct choice *choices, size_t count,
			  unsigned long long *state)
{
	size_t i, sum = 0, number;

	for (i = 0; i < count; i++)
		sum += choices[i].weight;
	number = random_next(state) % sum;
	for (i = 0; number >= choices[i].weight; i++)
		number -= choices[i].weight;
	return choices[i].name;
}

static const char *choose_file(const struct lines *all, unsigned long long *state)
{
	struct choice *files = NULL;
	const char *file;
	size_t i, count = 0;

	for (i = 0; i < all->count; i++) {
		const struct line *line = &all->lines[i];

		if (line->drawn || choice_find(files, count, line->file))
			continue;
		files = grow(files, count, sizeof(*files));
		files[count++] = (struct choice){ line->file, count_lines(line->file) };
	}
	file = count ? choose(files, count, state) : NULL;
	free(files);
	return file;
}

static const char *choose_kind(const struct lines *all, const char *file,
			       unsigned long long *state)
{
	struct choice kinds[32];
	size_t i, count = 0;

	for (i = 0; i < all->count; i++) {
		const struct line *line = &all->lines[i];

		if (!line->drawn && !strcmp(line->file, file) && count < 32 &&
		    !choice_find(kinds, count, line->kind))
			kinds[count++] = (struct choice){ line->kind, 1 };
	}
	return choose(kinds, count, state);
}

static bool is_of(const struct line *line, const char *file, const char *kind)
{
	return !line->drawn && !strcmp(line->file, file) && !strcmp(line->kind, kind);
}

static struct line *choose_line(const struct lines *all, const char *file,
				const char *kind, unsigned long long *state)
{
	size_t i, number, count = 0;

	for (i = 0; i < all->count; i++)
		count += is_of(&all->lines[i], file, kind);
	number = random_next(state) % count;
	for (i = 0; !is_of(&all->lines[i], file, kind) || number--; i++)
		;
	return &all->lines[i];
}

int draw(unsigned long long seed, unsigned int count, FILE *list)
{
	struct lines all = lines_read(list);
	struct line *line;
	const char *file;

	while (count--) {
		file = choose_file(&all, &seed);
		if (!file)
			break;
		line = choose_line(&all, file, choose_kind(&all, file, &seed), &seed);
		line->drawn = true;
		fputs(line->text, stdout);
	}
	return 0;
}
