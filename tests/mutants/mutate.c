// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon-mutate: lists the mutants of a C file, draws some of them, or prints one of them. A
 * mutant is the file with one mistake.
 *
 * libclang parses the preprocessor's output. In this output, the text of some expressions and
 * statements comes from the bodies of macros. perfmon-mutate changes only expressions and
 * statements whose text is in the file itself, at the place that libclang reports.
 */
#include <stdlib.h>
#include <string.h>

#include "source.h"

static void usage(FILE *stream)
{
	fputs("Usage: perfmon-mutate list FILE [UNIT] -- FLAG...\n"
	      "       perfmon-mutate draw SEED COUNT <LIST\n"
	      "       perfmon-mutate apply FILE <LINE\n\n"
	      "list prints all mutants of FILE, one on each line.  FILE is compiled with these\n"
	      "FLAGs; a header is compiled as part of UNIT.  A line has these fields:\n\n"
	      "  ID FILE OFFSET LENGTH LINE KIND FUNCTION OCCURRENCE FROM TO REPLACEMENT\n\n"
	      "Tabs separate the fields.  In a field, \\t, \\n and \\\\ stand for tab, newline\n"
	      "and backslash.  ID depends only on FILE, KIND, FUNCTION, OCCURRENCE, FROM and TO.\n"
	      "draw chooses COUNT lines of LIST and prints them.  apply prints FILE with the\n"
	      "mutant of LINE.\n",
	      stream);
}

static void function_add(struct source *source, CXCursor cursor)
{
	CXString name = clang_getCursorSpelling(cursor);
	struct function function = {
		.name = format("%s", clang_getCString(name)),
		.returns = clang_getResultType(clang_getCursorType(cursor)),
	};

	clang_disposeString(name);
	if (!source_range(source, cursor, &function.range))
		return;
	source->functions =
		grow(source->functions, source->function_count, sizeof(function));
	source->functions[source->function_count++] = function;
}

static enum CXChildVisitResult visit_inside(CXCursor cursor, CXCursor parent,
					    CXClientData data)
{
	struct source *source = data;
	enum CXCursorKind kind = clang_getCursorKind(cursor);

	if (kind == CXCursor_StaticAssert || clang_isAttribute(kind))
		return CXChildVisit_Continue;
	if (kind == CXCursor_CompoundStmt)
		mutate_compound(source, cursor);
	if (clang_isExpression(kind)) {
		struct range range;

		mutate_expression(source, cursor);
		mutate_condition(source, cursor, parent);
		mutate_constant(source, cursor);
		if (kind == CXCursor_UnexposedExpr &&
		    source_range(source, cursor, &range))
			mutate_access(source, range);
	}
	mutate_statement(source, cursor, parent);
	return CXChildVisit_Recurse;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent,
					 CXClientData data)
{
	struct source *source = data;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	CXFile file;

	(void)parent;
	clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
	if (!file || !clang_File_isEqual(file, source->file))
		return CXChildVisit_Continue;
	if (kind == CXCursor_FunctionDecl || kind == CXCursor_VarDecl)
		clang_visitChildren(cursor, visit_inside, source);
	else if (kind == CXCursor_MacroExpansion || kind == CXCursor_MacroDefinition)
		mutate_macro(source, cursor);
	return CXChildVisit_Continue;
}

/*
 * Collects the functions before any mutant is made. In the syntax tree, the macros come before the
 * functions, but the mutant of a macro needs the name of the function that uses the macro.
 */
static enum CXChildVisitResult visit_functions(CXCursor cursor, CXCursor parent,
					       CXClientData data)
{
	(void)parent;
	if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl &&
	    clang_isCursorDefinition(cursor))
		function_add(data, cursor);
	return CXChildVisit_Continue;
}

static int list(const char *path, const char *unit, const char *const *flags, int count)
{
	struct source source = { .path = path, .text = text_read(path) };
	CXIndex index = clang_createIndex(0, 0);
	CXCursor top;

	clang_parseTranslationUnit2(index, unit, flags, count, NULL, 0,
				    CXTranslationUnit_DetailedPreprocessingRecord |
					    CXTranslationUnit_KeepGoing,
				    &source.unit);
	source.file = source.unit ? clang_getFile(source.unit, path) : NULL;
	if (!source.file) {
		fprintf(stderr, "perfmon-mutate: libclang cannot read %s in %s\n", path,
			unit);
		return 1;
	}
	top = clang_getTranslationUnitCursor(source.unit);
	clang_visitChildren(top, visit_functions, &source);
	clang_visitChildren(top, visit_top, &source);
	mutate_locks(&source);
	mutants_finish(&source);
	mutants_print(&source, stdout);
	clang_disposeTranslationUnit(source.unit);
	clang_disposeIndex(index);
	return 0;
}

#define FIELDS 11

static int apply(const char *path)
{
	struct text text = text_read(path);
	char *fields[FIELDS], *line = NULL, *rest;
	size_t size = 0, offset, length, i;

	if (getline(&line, &size, stdin) <= 0)
		return 2;
	line[strcspn(line, "\n")] = 0;
	rest = line;
	for (i = 0; i < FIELDS; i++)
		fields[i] = strsep(&rest, "\t");
	if (!fields[FIELDS - 1] || rest)
		return 2;
	field_read(fields[FIELDS - 1]);
	offset = strtoul(fields[2], NULL, 10);
	length = strtoul(fields[3], NULL, 10);
	if (offset + length > text.size)
		return 2;
	fwrite(text.bytes, 1, offset, stdout);
	fputs(fields[FIELDS - 1], stdout);
	fwrite(text.bytes + offset + length, 1, text.size - offset - length, stdout);
	return fflush(stdout) ? 2 : 0;
}

int main(int argc, char **argv)
{
	int flags = 1;

	while (flags < argc && strcmp(argv[flags], "--"))
		flags++;
	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		usage(stdout);
		return 0;
	}
	if (argc > 2 && flags < argc && flags <= 4 && !strcmp(argv[1], "list"))
		return list(argv[2], argv[flags == 4 ? 3 : 2],
			    (const char *const *)argv + flags + 1, argc - flags - 1);
	if (argc == 4 && !strcmp(argv[1], "draw"))
		return draw(strtoull(argv[2], NULL, 0), (unsigned int)atoi(argv[3]),
			    stdin);
	if (argc == 3 && !strcmp(argv[1], "apply"))
		return apply(argv[2]);
	usage(stderr);
	return 2;
}
