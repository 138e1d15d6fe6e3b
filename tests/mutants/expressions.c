// SPDX-License-Identifier: GPL-2.0-only
/* Mutation operators for expressions: conditions, comparisons, bits, arithmetic, arguments. */
#include <stdlib.h>
#include <string.h>

#include "source.h"

static const struct change {
	const char *from, *to, *kind;
} changes[] = {
	{ "<", "<=", "comparison" },  { "<=", "<", "comparison" },
	{ ">", ">=", "comparison" },  { ">=", ">", "comparison" },
	{ "==", "!=", "comparison" }, { "!=", "==", "comparison" },
	{ "&&", "||", "condition" },  { "||", "&&", "condition" },
	{ "&", "|", "bits" },	      { "|", "&", "bits" },
	{ "^", "|", "bits" },	      { "<<", ">>", "bits" },
	{ ">>", "<<", "bits" },	      { "&=", "|=", "bits" },
	{ "|=", "&=", "bits" },	      { "^=", "|=", "bits" },
	{ "<<=", ">>=", "bits" },     { ">>=", "<<=", "bits" },
	{ "+", "-", "arithmetic" },   { "-", "+", "arithmetic" },
	{ "*", "/", "arithmetic" },   { "/", "*", "arithmetic" },
	{ "%", "/", "arithmetic" },   { "+=", "-=", "arithmetic" },
	{ "-=", "+=", "arithmetic" }, { "*=", "/=", "arithmetic" },
	{ "/=", "*=", "arithmetic" }, { "%=", "/=", "arithmetic" },
	{ "++", "--", "arithmetic" }, { "--", "++", "arithmetic" },
};

#define CHILDREN_MAX 8

struct children {
	CXCursor cursors[CHILDREN_MAX];
	unsigned int count;
};

static enum CXChildVisitResult child_add(CXCursor cursor, CXCursor parent,
					 CXClientData data)
{
	struct children *children = data;

	(void)parent;
	if (children->count == CHILDREN_MAX)
		return CXChildVisit_Break;
	children->cursors[children->count++] = cursor;
	return CXChildVisit_Continue;
}

static struct children children_of(CXCursor cursor)
{
	struct children children = {};

	clang_visitChildren(cursor, child_add, &children);
	return children;
}

/* Finds the ranges of two operands in the file, and the single token between them. */
static bool operands(const struct source *source, CXCursor first, CXCursor second,
		     struct range *left, struct range *right, struct range *between)
{
	if (!source_range(source, first, left) || !source_range(source, second, right) ||
	    left->end > right->start)
		return false;
	return token_only(&source->text, (struct range){ left->end, right->start },
			  between);
}

static void change_operator(struct source *source, CXCursor cursor, struct range operator)
{
	struct range whole;
	size_t i;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct change *change = &changes[i];

		if (!token_is(&source->text, operator, change->from))
			continue;
		if (source_range(source, cursor, &whole))
			mutant_add_named(source, change->kind, operator,
					 format("%s", change->to),
					 range_squeeze(&source->text, whole),
					 format("%s", change->to));
	}
}

static void binary(struct source *source, CXCursor cursor)
{
	struct children children = children_of(cursor);
	struct range left, right, operator;

	if (children.count == 2 &&
	    operands(source, children.cursors[0], children.cursors[1], &left, &right,
		     &operator))
		change_operator(source, cursor, operator);
}

/* Replaces ~x by x, x++ by x--, and the like. */
static void unary(struct source *source, CXCursor cursor)
{
	struct range range, token;

	if (!source_range(source, cursor, &range) ||
	    !token_first(&source->text, range, &token))
		return;
	if (token_is(&source->text, token, "~") &&
	    range_is_whole(&source->text, (struct range){ token.end, range.end })) {
		mutant_add_named(source, "bits", token, format(" "),
				 range_squeeze(&source->text, range), format("no ~"));
		return;
	}
	if (!token_is(&source->text, token, "++") &&
	    !token_is(&source->text, token, "--") &&
	    !token_last(&source->text, range, &token))
		return;
	if (token_is(&source->text, token, "++") || token_is(&source->text, token, "--"))
		change_operator(source, cursor, token);
}

/*
 * Returns whether @cursor is x == y or x != y. negate() leaves such a condition out, because
 * binary() makes the same mutant by changing the operator.
 */
static bool is_equality(const struct source *source, CXCursor cursor)
{
	struct children children = children_of(cursor);
	struct range left, right, operator;

	return clang_getCursorKind(cursor) == CXCursor_BinaryOperator &&
	       children.count == 2 &&
	       operands(source, children.cursors[0], children.cursors[1], &left, &right,
			&operator) &&
	       (token_is(&source->text, operator, "==") ||
		token_is(&source->text, operator, "!="));
}

static bool is_truth(const struct text *text, struct range range)
{
	return token_is(text, range, "true") || token_is(text, range, "false");
}

static void negate(struct source *source, CXCursor cursor)
{
	struct range range;
	char *text;

	if (!source_range(source, cursor, &range) ||
	    !range_is_whole(&source->text, range) || is_equality(source, cursor) ||
	    is_truth(&source->text, range))
		return;
	text = range_copy(&source->text, range);
	mutant_add(source, "condition", range, format("!(%s)", text));
	free(text);
}

static void logical(struct source *source, CXCursor cursor)
{
	struct children children = children_of(cursor);
	struct range left, right, operator;

	if (children.count != 2 ||
	    !operands(source, children.cursors[0], children.cursors[1], &left, &right,
		      &operator))
		return;
	if (!token_is(&source->text, operator, "&&") &&
	    !token_is(&source->text, operator, "||"))
		return;
	negate(source, children.cursors[0]);
	negate(source, children.cursors[1]);
}

/* Negates the condition of c ? a : b. If a macro's body contains the "?", nothing is changed. */
static void ternary(struct source *source, CXCursor cursor)
{
	struct children children = children_of(cursor);
	struct range left, right, operator;

	if (children.count == 3 &&
	    operands(source, children.cursors[0], children.cursors[1], &left, &right,
		     &operator) &&
	    token_is(&source->text, operator, "?"))
		negate(source, children.cursors[0]);
}

/*
 * Returns the name of the type with all typedefs resolved. Two arguments can be exchanged even if
 * their types are different typedefs of one type.
 */
static CXString bare_spelling(CXType type)
{
	return clang_getTypeSpelling(clang_getCanonicalType(type));
}

static const char *skip_qualifiers(const char *spelling)
{
	static const char *const words[] = { "const ", "volatile " };
	size_t i;

	for (i = 0; i < 2; i++)
		if (!strncmp(spelling, words[i], strlen(words[i])))
			return skip_qualifiers(spelling + strlen(words[i]));
	return spelling;
}

static bool is_integer(CXType type)
{
	CXType canonical = clang_getCanonicalType(type);

	return (canonical.kind >= CXType_Bool && canonical.kind <= CXType_Int128) ||
	       canonical.kind == CXType_Enum;
}

static bool have_same_type(CXType a, CXType b)
{
	CXString first, second;
	bool same;

	if (is_integer(a) && is_integer(b))
		return true;
	a = clang_getCanonicalType(a);
	b = clang_getCanonicalType(b);
	if (a.kind == CXType_Pointer && b.kind == CXType_Pointer) {
		a = clang_getPointeeType(a);
		b = clang_getPointeeType(b);
	}
	first = bare_spelling(a);
	second = bare_spelling(b);
	same = !strcmp(skip_qualifiers(clang_getCString(first)),
		       skip_qualifiers(clang_getCString(second)));
	clang_disposeString(first);
	clang_disposeString(second);
	return same;
}

static void swap(struct source *source, CXCursor first, CXCursor second)
{
	struct range left, right, comma;
	char *a, *b, *between;

	if (!operands(source, first, second, &left, &right, &comma) ||
	    !token_is(&source->text, comma, ",") ||
	    !range_is_whole(&source->text, left) ||
	    !range_is_whole(&source->text, right) ||
	    range_equals(&source->text, left, right) ||
	    !have_same_type(clang_getCursorType(first), clang_getCursorType(second)))
		return;
	a = range_copy(&source->text, left);
	b = range_copy(&source->text, right);
	between = range_copy(&source->text, (struct range){ left.end, right.start });
	mutant_add(source, "arguments", (struct range){ left.start, right.end },
		   format("%s%s%s", b, between, a));
	free(a);
	free(b);
	free(between);
}

static void arguments(struct source *source, CXCursor cursor)
{
	int i, count = clang_Cursor_getNumArguments(cursor);

	for (i = 0; i + 1 < count; i++)
		swap(source, clang_Cursor_getArgument(cursor, i),
		     clang_Cursor_getArgument(cursor, i + 1));
}

void mutate_expression(struct source *source, CXCursor cursor)
{
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_BinaryOperator:
		logical(source, cursor);
		binary(source, cursor);
		break;
	case CXCursor_CompoundAssignOperator:
		binary(source, cursor);
		break;
	case CXCursor_UnaryOperator:
		unary(source, cursor);
		break;
	case CXCursor_ConditionalOperator:
		ternary(source, cursor);
		break;
	case CXCursor_CallExpr:
		arguments(source, cursor);
		break;
	default:
		break;
	}
}

/*
 * Returns whether @word is the last token before @at. If @bracket is not NULL, the last two tokens
 * must be @word and @bracket.
 */
static bool follows(const struct source *source, size_t start, size_t at,
		    const char *word, const char *bracket)
{
	const struct text *text = &source->text;
	struct range last;

	if (!token_last(text, (struct range){ start, at }, &last))
		return false;
	if (!bracket)
		return token_is(text, last, word);
	return token_is(text, last, bracket) &&
	       token_last(text, (struct range){ start, last.start }, &last) &&
	       token_is(text, last, word);
}

static bool is_between_semicolons(const struct source *source, struct range statement,
				  struct range range)
{
	struct range token, rest = { range.end, source->text.size };

	return follows(source, statement.start, range.start, ";", NULL) &&
	       token_first(&source->text, rest, &token) &&
	       token_is(&source->text, token, ";");
}

static bool returns_bool(const struct source *source, size_t at)
{
	const struct function *function = source_function(source, at);

	return function && clang_getCanonicalType(function->returns).kind == CXType_Bool;
}

/*
 * Negates a condition. A word such as "if" stands before the condition. If this word comes from the
 * body of a macro, nothing is changed.
 */
void mutate_condition(struct source *source, CXCursor cursor, CXCursor parent)
{
	struct range statement, range;
	bool is_condition = false;

	if (!source_range(source, parent, &statement) ||
	    !source_range(source, cursor, &range) || range.start <= statement.start)
		return;
	switch (clang_getCursorKind(parent)) {
	case CXCursor_IfStmt:
		is_condition = follows(source, statement.start, range.start, "if", "(");
		break;
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
		is_condition =
			follows(source, statement.start, range.start, "while", "(");
		break;
	case CXCursor_ForStmt:
		is_condition = is_between_semicolons(source, statement, range);
		break;
	case CXCursor_ReturnStmt:
		is_condition =
			returns_bool(source, range.start) &&
			follows(source, statement.start, range.start, "return", NULL);
		break;
	default:
		break;
	}
	if (is_condition)
		negate(source, cursor);
}

static bool is_errno_or_flags(const struct text *text, struct range token)
{
	return is_errno(text, token) || !strncmp(text->bytes + token.start, "GFP_", 4) ||
	       token_is(text, token, "NULL");
}

static bool is_constant_name(const struct text *text, struct range token)
{
	size_t i;

	if (strchr("0123456789", text->bytes[token.start]))
		return false;
	for (i = token.start; i < token.end; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", text->bytes[i]))
			return false;
	return !is_errno_or_flags(text, token);
}

static void change_number(struct source *source, struct range token)
{
	char *text = range_copy(&source->text, token), *suffix;

	if (!strtoull(text, &suffix, 0) && strspn(suffix, "uUlL") == strlen(suffix))
		mutant_add(source, "constant", token, format("1%s", suffix));
	else
		mutant_add(source, "constant", token, format("(%s + 1)", text));
	free(text);
}

/* Changes a number, a named constant, true or false. */
void mutate_constant(struct source *source, CXCursor cursor)
{
	const struct text *text = &source->text;
	struct range range, token;
	char *name;

	if (!source_range(source, cursor, &range) || !token_only(text, range, &token) ||
	    token.end != range.end || token.start != range.start)
		return;
	if (is_truth(text, token)) {
		mutant_add(source, "constant", token,
			   format("%s",
				  token_is(text, token, "true") ? "false" : "true"));
	} else if (clang_getCursorKind(cursor) == CXCursor_IntegerLiteral &&
		   strchr("0123456789", text->bytes[token.start])) {
		change_number(source, token);
	} else if (is_integer(clang_getCursorType(cursor)) &&
		   is_constant_name(text, token)) {
		name = range_copy(text, token);
		mutant_add(source, "constant", token, format("(%s + 1)", name));
		free(name);
	}
}
