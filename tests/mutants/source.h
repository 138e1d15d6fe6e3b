/* SPDX-License-Identifier: GPL-2.0-only */
/* A file to be changed, what libclang found in it, and its mutants. */
#ifndef MUTANTS_SOURCE_H
#define MUTANTS_SOURCE_H

#include <clang-c/Index.h>

#include "text.h"

struct function {
	char *name;
	struct range range;
	CXType returns;
};

/*
 * A change of the file: its place, the replacement, and its name. The name consists of the fields
 * from @kind to @occurrence.
 */
struct mutant {
	struct range place;
	char *replacement;
	const char *kind;
	const char *function;
	char *from; /* what is changed, in one line */
	char *to; /* what it becomes, in one line */
	unsigned int occurrence; /* number of equal changes earlier in the function */
	unsigned int line;
};

/* A statement that takes or releases a lock. */
struct lock {
	struct range statement;
	struct range argument; /* empty if there is none */
	/* function that releases the lock; NULL if @statement does so */
	const char *release;
	const char *name;
};

struct source {
	const char *path;
	struct text text;
	CXTranslationUnit unit;
	CXFile file;
	struct function *functions;
	size_t function_count;
	struct lock *locks;
	size_t lock_count;
	struct mutant *mutants;
	size_t mutant_count;
};

/*
 * Adds the mutant that has @replacement at @place. Takes ownership of @replacement, @from and @to.
 * If @from is NULL, the mutant's name contains the text at @place instead. If @to is NULL, the name
 * contains @replacement instead.
 */
void mutant_add_named(struct source *source, const char *kind, struct range place,
		      char *replacement, char *from, char *to);
void mutant_add(struct source *source, const char *kind, struct range place,
		char *replacement);
/* Sorts the mutants, and removes duplicates. */
void mutants_finish(struct source *source);
void mutants_print(const struct source *source, FILE *stream);

/* Returns the function that contains offset @at, or NULL. */
const struct function *source_function(const struct source *source, size_t at);
/* Sets @range to the place of @cursor's text. Returns false if the text is not in the file. */
bool source_range(const struct source *source, CXCursor cursor, struct range *range);

/* The mutation operators. Each one makes mutants of a cursor, of a range, or of the whole file. */
void mutate_expression(struct source *source, CXCursor cursor);
void mutate_condition(struct source *source, CXCursor cursor, CXCursor parent);
void mutate_constant(struct source *source, CXCursor cursor);
void mutate_macro(struct source *source, CXCursor cursor);
void mutate_access(struct source *source, struct range range);
void mutate_statement(struct source *source, CXCursor cursor, CXCursor parent);
void mutate_compound(struct source *source, CXCursor cursor);
void mutate_locks(struct source *source);

/* Return whether @name is the name of a barrier, of an ordered access, or of an errno value. */
bool is_barrier(const struct text *text, struct range name);
bool is_access(const struct text *text, struct range name);
bool is_errno(const struct text *text, struct range name);
bool lock_find(const struct text *text, const struct call *call, struct lock *lock);

int draw(unsigned long long seed, unsigned int count, FILE *list);

#endif
