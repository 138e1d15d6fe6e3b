// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

struct text text_read(const char *path)
{
	struct text text = {};
	FILE *file = fopen(path, "r");
	size_t count;

	if (!file)
		fail(path);
	do {
		text.bytes = realloc(text.bytes, text.size + 65536);
		if (!text.bytes)
			fail(path);
		count = fread(text.bytes + text.size, 1, 65535, file);
		text.size += count;
	} while (count);
	if (ferror(file))
		fail(path);
	fclose(file);
	text.bytes[text.size] = 0;
	return text;
}

static size_t skip_comment(const struct text *text, size_t at, size_t end)
{
	if (text->bytes[at + 1] == '/') {
		while (at < end && text->bytes[at] != '\n')
			at++;
		return at;
	}
	for (at += 2; at + 1 < end; at++)
		if (text->bytes[at] == '*' && text->bytes[at + 1] == '/')
			return at + 2;
	return end;
}

static size_t skip_space(const struct text *text, size_t at, size_t end)
{
	const char *bytes = text->bytes;

	while (at < end) {
		if (isspace((unsigned char)bytes[at]))
			at++;
		else if (bytes[at] == '\\' && bytes[at + 1] == '\n')
			at += 2;
		else if (bytes[at] == '/' &&
			 (bytes[at + 1] == '/' || bytes[at + 1] == '*'))
			at = skip_comment(text, at, end);
		else
			break;
	}
	return at < end ? at : end;
}

static size_t quoted_length(const char *bytes)
{
	size_t length = 1;

	while (bytes[length] && bytes[length] != bytes[0])
		length += bytes[length] == '\\' && bytes[length + 1] ? 2 : 1;
	return length + 1;
}

static size_t operator_length(const char *bytes)
{
	static const char *const operators[] = {
		"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
		"&&",  "||",  "*=",  "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##",
	};
	size_t i;

	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strncmp(bytes, operators[i], strlen(operators[i])))
			return strlen(operators[i]);
	return 1;
}

static bool is_word_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

static size_t number_length(const char *bytes)
{
	size_t length = 0;

	while (is_word_byte(bytes[length]) || bytes[length] == '.' ||
	       (length && strchr("+-", bytes[length]) && bytes[length] &&
		bytes[0] != '0' && strchr("eE", bytes[length - 1])))
		length++;
	return length;
}

static size_t token_length(const char *bytes)
{
	size_t length = 0;

	if (bytes[0] == '"' || bytes[0] == '\'')
		return quoted_length(bytes);
	if (isdigit((unsigned char)bytes[0]))
		return number_length(bytes);
	while (is_word_byte(bytes[length]))
		length++;
	return length ? length : operator_length(bytes);
}

bool token_first(const struct text *text, struct range range, struct range *token)
{
	token->start = skip_space(text, range.start, range.end);
	if (token->start >= range.end)
		return false;
	token->end = token->start + token_length(text->bytes + token->start);
	return token->end <= range.end;
}

bool token_only(const struct text *text, struct range range, struct range *token)
{
	return token_first(text, range, token) &&
	       skip_space(text, token->end, range.end) == range.end;
}

bool token_last(const struct text *text, struct range range, struct range *token)
{
	struct range next;
	bool found = false;

	while (token_first(text, range, &next)) {
		*token = next;
		range.start = next.end;
		found = true;
	}
	return found;
}

bool token_is(const struct text *text, struct range token, const char *word)
{
	return strlen(word) == token.end - token.start &&
	       !strncmp(text->bytes + token.start, word, strlen(word));
}

static int depth_change(char byte)
{
	if (strchr("([{", byte))
		return 1;
	return strchr(")]}", byte) ? -1 : 0;
}

bool range_is_whole(const struct text *text, struct range range)
{
	struct range token;
	int depth = 0;

	while (token_first(text, range, &token)) {
		char byte = text->bytes[token.start];

		depth += depth_change(byte);
		if (depth < 0 || byte == '#' || (!depth && strchr(",;", byte)))
			return false;
		range.start = token.end;
	}
	return !depth && skip_space(text, range.start, range.end) == range.end;
}

static bool is_name(const struct text *text, struct range token)
{
	char byte = text->bytes[token.start];

	return isalpha((unsigned char)byte) || byte == '_';
}

static void argument_add(struct call *call, size_t start, size_t end)
{
	if (call->count < ARGUMENTS_MAX)
		call->arguments[call->count++] = (struct range){ start, end };
}

bool range_is_call(const struct text *text, struct range range, struct call *call)
{
	struct range token;
	size_t begun;
	int depth = 1;

	call->count = 0;
	if (!token_first(text, range, &call->name) || !is_name(text, call->name))
		return false;
	range.start = call->name.end;
	if (!token_first(text, range, &token) || !token_is(text, token, "("))
		return false;
	begun = token.end;
	while (depth) {
		range.start = token.end;
		if (!token_first(text, range, &token))
			return false;
		depth += depth_change(text->bytes[token.start]);
		if (!depth || (depth == 1 && token_is(text, token, ","))) {
			argument_add(call, skip_space(text, begun, token.start),
				     token.start);
			begun = token.end;
		}
	}
	return skip_space(text, token.end, range.end) == range.end;
}

bool range_take_semicolon(const struct text *text, struct range *range)
{
	struct range token;

	if (!token_first(text, (struct range){ range->end, text->size }, &token) ||
	    !token_is(text, token, ";"))
		return false;
	range->end = token.end;
	return true;
}

char *range_copy(const struct text *text, struct range range)
{
	return format("%.*s", (int)(range.end - range.start), text->bytes + range.start);
}

char *squeeze(const char *string)
{
	char *copy = format("%s", string), *to = copy;

	for (; *string; string++) {
		if (!isspace((unsigned char)*string))
			*to++ = *string;
		else if (to > copy && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > copy && to[-1] == ' ')
		to--;
	*to = 0;
	return copy;
}

char *range_squeeze(const struct text *text, struct range range)
{
	char *copy = range_copy(text, range), *squeezed = squeeze(copy);

	free(copy);
	return squeezed;
}

bool range_equals(const struct text *text, struct range a, struct range b)
{
	char *first = range_squeeze(text, a), *second = range_squeeze(text, b);
	bool equal = !strcmp(first, second);

	free(first);
	free(second);
	return equal;
}

char *format(const char *text, ...)
{
	va_list arguments;
	char *string;

	va_start(arguments, text);
	if (vasprintf(&string, text, arguments) < 0)
		fail("format");
	va_end(arguments);
	return string;
}

void *grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	array = reallocarray(array, count ? 2 * count : 1, size);
	if (!array)
		fail("grow");
	return array;
}

void field_write(FILE *stream, const char *string)
{
	for (; *string; string++) {
		if (*string == '\n')
			fputs("\\n", stream);
		else if (*string == '\t')
			fputs("\\t", stream);
		else if (*string == '\\')
			fputs("\\\\", stream);
		else
			putc(*string, stream);
	}
}

void field_read(char *field)
{
	char *to = field;

	for (; *field; field++) {
		if (*field != '\\' || !field[1]) {
			*to++ = *field;
			continue;
		}
		field++;
		*to++ = *field == 'n' ? '\n' : *field == 't' ? '\t' : *field;
	}
	*to = 0;
}
