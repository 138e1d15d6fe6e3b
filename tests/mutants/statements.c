// SPDX-License-Identifier: GPL-2.0-only
/* Mutation operators for statements (remove, move, return early) and for locks. */
#include <stdlib.h>
#include <string.h>

#include "source.h"

#define NAME_LENGTH 60

static char *shorten(char *string)
{
	if (strlen(string) > NAME_LENGTH)
		string[NAME_LENGTH] = 0;
	return string;
}

static bool is_statement_parent(enum CXCursorKind kind)
{
	return kind == CXCursor_CompoundStmt || kind == CXCursor_IfStmt ||
	       kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
	       kind == CXCursor_DoStmt || kind == CXCursor_SwitchStmt ||
	       kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt ||
	       kind == CXCursor_LabelStmt;
}

static enum CXChildVisitResult last_child(CXCursor cursor, CXCursor parent,
					  CXClientData data)
{
	(void)parent;
	*(CXCursor *)data = cursor;
	return CXChildVisit_Continue;
}

/*
 * Returns whether @cursor is a statement in @parent. In "for (a; b; c)" a semicolon follows a and
 * b, but these are not statements.
 */
static bool is_in_place(CXCursor cursor, CXCursor parent)
{
	CXCursor last;

	if (clang_getCursorKind(parent) != CXCursor_ForStmt)
		return is_statement_parent(clang_getCursorKind(parent));
	clang_visitChildren(parent, last_child, &last);
	return clang_equalCursors(cursor, last);
}

/*
 * Returns whether a statement can begin where @range begins. For example, none can begin at MACRO
 * in "x = MACRO();".
 */
static bool begins_statement(const struct source *source, struct range range)
{
	const struct function *function = source_function(source, range.start);
	struct range before;

	if (!function ||
	    !token_last(&source->text,
			(struct range){ function->range.start, range.start }, &before))
		return false;
	return strchr(";{}):", source->text.bytes[before.start]) ||
	       token_is(&source->text, before, "else") ||
	       token_is(&source->text, before, "do");
}

/* Returns whether a call of @name only checks something. */
static bool says_nothing(const struct text *text, struct range name)
{
	static const char *const prefixes[] = { "lockdep_", "BUILD_BUG_ON", "might_sleep",
						"static_assert", "WARN" };
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(text->bytes + name.start, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static const char *call_kind(const struct text *text, const struct call *call)
{
	struct lock lock;

	if (says_nothing(text, call->name) || lock_find(text, call, &lock))
		return NULL;
	if (is_barrier(text, call->name))
		return "barrier";
	return is_access(text, call->name) ? "statement" : "call";
}

static bool is_last_of_function(const struct source *source, struct range range)
{
	const struct function *function = source_function(source, range.start);
	struct range token;

	range_take_semicolon(&source->text, &range);
	return function &&
	       token_only(&source->text, (struct range){ range.end, function->range.end },
			  &token);
}

/* Returns the kind of the mutant that removes the statement, or NULL if there is no such mutant. */
static const char *removal_kind(const struct source *source, CXCursor cursor,
				struct range range)
{
	struct call call;

	switch (clang_getCursorKind(cursor)) {
	case CXCursor_ReturnStmt:
		return is_last_of_function(source, range) ? NULL : "return";
	case CXCursor_BreakStmt:
	case CXCursor_ContinueStmt:
	case CXCursor_GotoStmt:
		return "statement";
	default:
		break;
	}
	if (range_is_call(&source->text, range, &call))
		return call_kind(&source->text, &call);
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_BinaryOperator:
	case CXCursor_CompoundAssignOperator:
	case CXCursor_UnaryOperator:
		return "statement";
	case CXCursor_CallExpr:
	case CXCursor_CStyleCastExpr:
	case CXCursor_UnexposedExpr:
		return "call";
	default:
		return NULL;
	}
}

static void lock_note(struct source *source, struct range statement,
		      const struct call *call)
{
	struct lock lock = { .statement = statement };
	size_t i;

	if (!lock_find(&source->text, call, &lock))
		return;
	for (i = 0; i < source->lock_count; i++)
		if (source->locks[i].statement.start == statement.start)
			return;
	source->locks = grow(source->locks, source->lock_count, sizeof(lock));
	source->locks[source->lock_count++] = lock;
}

void mutate_statement(struct source *source, CXCursor cursor, CXCursor parent)
{
	struct range range, statement;
	struct call call;
	const char *kind;

	if (!is_in_place(cursor, parent) || !source_range(source, cursor, &range))
		return;
	statement = range;
	if (!range_take_semicolon(&source->text, &statement) ||
	    !range_is_whole(&source->text, range) || !begins_statement(source, range))
		return;
	if (range_is_call(&source->text, range, &call))
		lock_note(source, statement, &call);
	kind = removal_kind(source, cursor, range);
	if (kind)
		mutant_add(source, kind, statement, format("{ }"));
}

/* ---- neighbours ---- */

#define STATEMENTS_MAX 256

struct statement {
	struct range range; /* with its semicolon */
	enum CXCursorKind kind;
};

struct compound {
	struct source *source;
	struct statement statements[STATEMENTS_MAX];
	size_t count;
	bool broken; /* a statement is not in the file, two overlap, or there are too many */
};

static enum CXChildVisitResult statement_add(CXCursor cursor, CXCursor parent,
					     CXClientData data)
{
	struct compound *compound = data;
	struct statement *statement = &compound->statements[compound->count];

	(void)parent;
	if (compound->count == STATEMENTS_MAX ||
	    !source_range(compound->source, cursor, &statement->range)) {
		compound->broken = true;
		return CXChildVisit_Break;
	}
	statement->kind = clang_getCursorKind(cursor);
	if (statement->kind != CXCursor_DeclStmt)
		range_take_semicolon(&compound->source->text, &statement->range);
	if (compound->count && statement[-1].range.end > statement->range.start)
		compound->broken = true;
	compound->count++;
	return CXChildVisit_Continue;
}

/* A declaration, or a statement with a label or a case, is not moved. */
static bool is_movable(enum CXCursorKind kind)
{
	return kind != CXCursor_DeclStmt && kind != CXCursor_LabelStmt &&
	       kind != CXCursor_CaseStmt && kind != CXCursor_DefaultStmt;
}

/*
 * Exchanges @first and the statement after it. @mover is one of the two. The mutant's name says
 * that @mover was moved.
 */
static void exchange(struct source *source, const char *kind,
		     const struct statement *first, const struct statement *mover)
{
	const struct statement *second = first + 1,
			       *other = mover == first ? second : first;
	const struct range between = { first->range.end, second->range.start };
	char *a, *b, *space, *name;

	if (!is_movable(first->kind) || !is_movable(second->kind))
		return;
	a = range_copy(&source->text, first->range);
	b = range_copy(&source->text, second->range);
	space = range_copy(&source->text, between);
	name = shorten(range_squeeze(&source->text, other->range));
	mutant_add_named(
		source, kind, (struct range){ first->range.start, second->range.end },
		format("%s%s%s", b, space, a), range_squeeze(&source->text, mover->range),
		format("moved %s %s", mover == first ? "behind" : "before", name));
	free(a);
	free(b);
	free(space);
	free(name);
}

static void move(struct source *source, const struct compound *compound, size_t number)
{
	const struct statement *statement = &compound->statements[number];
	struct range range = { statement->range.start, statement->range.end - 1 };
	bool has_previous = number > 0, has_next = number + 1 < compound->count;
	struct call call;
	struct lock lock;

	if (statement->kind == CXCursor_ReturnStmt && has_previous)
		exchange(source, "return", statement - 1, statement);
	if (!range_is_call(&source->text, range, &call))
		return;
	if (lock_find(&source->text, &call, &lock)) {
		if (lock.release && has_next && statement[1].kind != CXCursor_ReturnStmt)
			exchange(source, "lock", statement, statement);
		else if (!lock.release && has_previous)
			exchange(source, "lock", statement - 1, statement);
	} else if (is_barrier(&source->text, call.name)) {
		if (has_next && statement[1].kind != CXCursor_ReturnStmt)
			exchange(source, "barrier", statement, statement);
		if (has_previous)
			exchange(source, "barrier", statement - 1, statement);
	}
}

static void return_early(struct source *source, const struct statement *statement,
			 const char *value)
{
	struct range place = { statement->range.start, statement->range.start };

	mutant_add_named(source, "return", place, format("return%s; ", value),
			 shorten(range_squeeze(&source->text, statement->range)),
			 format("return%s before it", value));
}

static void leave(struct source *source, const struct statement *statement)
{
	const struct function *function = source_function(source, statement->range.start);
	CXType returns;

	if (!function || !is_movable(statement->kind) ||
	    statement->kind == CXCursor_ReturnStmt)
		return;
	returns = clang_getCanonicalType(function->returns);
	if (returns.kind == CXType_Void)
		return_early(source, statement, "");
	else if (returns.kind != CXType_Record)
		return_early(source, statement, " 0");
	if (returns.kind == CXType_Bool)
		return_early(source, statement, " 1");
}

void mutate_compound(struct source *source, CXCursor cursor)
{
	struct compound *compound;
	struct range range;
	size_t i;

	if (!source_range(source, cursor, &range) ||
	    source->text.bytes[range.start] != '{' ||
	    source->text.bytes[range.end - 1] != '}')
		return;
	compound = calloc(1, sizeof(*compound));
	if (!compound)
		exit(2);
	compound->source = source;
	clang_visitChildren(cursor, statement_add, compound);
	for (i = 0; !compound->broken && i < compound->count; i++) {
		move(source, compound, i);
		leave(source, &compound->statements[i]);
	}
	free(compound);
}

/* ---- pairs ---- */

static bool is_released_by(const struct source *source, const struct lock *lock,
			   const struct lock *release)
{
	return !strcmp(release->name, lock->release) &&
	       range_equals(&source->text, lock->argument, release->argument);
}

static bool is_taken_again(const struct source *source, const struct lock *lock,
			   const struct lock *other)
{
	return other->release && !strcmp(other->release, lock->release) &&
	       range_equals(&source->text, lock->argument, other->argument);
}

static int compare_locks(const void *a, const void *b)
{
	const struct lock *first = a, *second = b;

	return (first->statement.start > second->statement.start) -
	       (first->statement.start < second->statement.start);
}

/*
 * Removes the statement that takes @lock. Also removes the later statements of the function that
 * release the lock, up to the next statement that takes the lock.
 */
static void remove_pair(struct source *source, const struct lock *lock)
{
	const struct function *function = source_function(source, lock->statement.start);
	const struct lock *end = source->locks + source->lock_count, *other;
	struct range place = lock->statement;
	char *text = format("{ }"), *more, *between;

	for (other = lock + 1; other < end; other++) {
		if (source_function(source, other->statement.start) != function ||
		    is_taken_again(source, lock, other))
			break;
		if (!is_released_by(source, lock, other))
			continue;
		between = range_copy(&source->text,
				     (struct range){ place.end, other->statement.start });
		more = format("%s%s{ }", text, between);
		free(text);
		free(between);
		text = more;
		place.end = other->statement.end;
	}
	if (place.end == lock->statement.end)
		free(text);
	else
		mutant_add_named(source, "lock", place, text,
				 range_squeeze(&source->text, lock->statement),
				 format("removed with %s", lock->release));
}

/*
 * Adds mutants in which one lock is neither taken nor released. Called after all statements have
 * been visited.
 */
void mutate_locks(struct source *source)
{
	size_t i;

	if (source->lock_count)
		qsort(source->locks, source->lock_count, sizeof(source->locks[0]),
		      compare_locks);
	for (i = 0; i < source->lock_count; i++)
		if (source->locks[i].release)
			remove_pair(source, &source->locks[i]);
}
