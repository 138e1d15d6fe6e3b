/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits the text of a C file into tokens, to find what libclang does not report. */
#ifndef MUTANTS_TEXT_H
#define MUTANTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text {
	char *bytes;
	size_t size;
};

/* Offsets of the first byte and of the byte after the last one. */
struct range {
	size_t start;
	size_t end;
};

#define ARGUMENTS_MAX 16

/* Text that looks like a call: NAME(ARGUMENT, ...) and nothing more. */
struct call {
	struct range name;
	struct range arguments[ARGUMENTS_MAX];
	unsigned int count;
};

/* Exits if @path cannot be read. */
struct text text_read(const char *path);

/*
 * Sets @token to the first token in @range. A comment is no token. Returns false if there is no
 * token.
 */
bool token_first(const struct text *text, struct range range, struct range *token);
/* Sets @token to the only token in @range. Returns false if @range has no token, or several. */
bool token_only(const struct text *text, struct range range, struct range *token);
/* Sets @token to the last token in @range. @range must not begin inside of a token or comment. */
bool token_last(const struct text *text, struct range range, struct range *token);
bool token_is(const struct text *text, struct range token, const char *word);

/* Returns whether all brackets are balanced, and no comma or semicolon is outside of them. */
bool range_is_whole(const struct text *text, struct range range);
bool range_is_call(const struct text *text, struct range range, struct call *call);
/* Extends @range by the ';' that follows it, if there is one. */
bool range_take_semicolon(const struct text *text, struct range *range);

/*
 * The first three functions return new strings. range_copy() copies the text as it is.
 * range_squeeze() and squeeze() replace each sequence of white space by one space, and remove white
 * space at both ends. range_equals() compares the results of range_squeeze().
 */
char *range_copy(const struct text *text, struct range range);
char *range_squeeze(const struct text *text, struct range range);
char *squeeze(const char *string);
bool range_equals(const struct text *text, struct range a, struct range b);

/* format() and grow() end the program if there is no memory. */
char *format(const char *text, ...) __attribute__((format(printf, 1, 2)));
void *grow(void *array, size_t count, size_t size);

/* Writes tab, newline and backslash as \t, \n and \\, so that a field stays on one line. */
void field_write(FILE *stream, const char *string);
void field_read(char *field);

#endif
