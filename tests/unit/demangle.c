// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that pfmon report and script show the names of functions as in the source. The fixture,
 * libnames.so, has a table of these names. The mangled names are in the symbol table of
 * libnames.so, and dladdr() returns them.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/pfmon/data/build_id.h"
#include "../../tools/pfmon/report/demangle.h"
#include "fixture/names.h"
#include "report.h"

SUITE(demangle, 120);

#define NAMES FIXTURE "/libnames.so"

static const struct named_function *load_names(void)
{
	void *handle = dlopen(NAMES, RTLD_NOW);
	const struct named_function *functions;

	ck_assert_msg(handle != NULL, "%s", dlerror());
	functions = dlsym(handle, "named_functions");
	ck_assert_ptr_nonnull(functions);
	return functions;
}

/*
 * Returns the function's name in the symbol table, or NULL for a local function, which dladdr()
 * does not find.
 */
static const char *linker_name(const struct named_function *function)
{
	Dl_info info;

	ck_assert_int_ne(dladdr(function->address, &info), 0);
	return info.dli_saddr == function->address ? info.dli_sname : NULL;
}

static void write_mapping(struct data_writer *writer, void *inside)
{
	struct data_mapping mapping = { .tgid = 100 };
	char line[1024], access[8], build_id[BUILD_ID_SIZE];
	FILE *maps = fopen("/proc/self/maps", "r");

	ck_assert_ptr_nonnull(maps);
	ck_assert(build_id_of_file(NAMES, build_id));
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64, &mapping.start,
			   &mapping.end, access, &mapping.offset) == 4 &&
		    (uintptr_t)inside >= mapping.start && (uintptr_t)inside < mapping.end)
			break;
	fclose(maps);
	ck_assert_uint_lt((uintptr_t)inside, mapping.end);
	ck_assert_int_eq(data_write_mapping(writer, &mapping, NAMES, build_id), 0);
}

/* Writes a recording with a sample in each of @functions. */
static const char *write_names(const struct named_function *functions)
{
	const char *path = synthetic_path();
	struct data_writer writer;
	unsigned int count = 0;

	synthetic_begin(&writer, path);
	synthetic_event(&writer, "cycles:u", CYCLES_PMD, PERIOD, 0);
	synthetic_thread(&writer, 100, 100, 0, "app");
	write_mapping(&writer, functions->address);
	for (; functions[count].name; count++)
		add(&writer, 100, (uintptr_t)functions[count].address, 1, PERIOD);
	ck_assert_uint_gt(count, 5);
	synthetic_end(&writer, count, 0);
	return path;
}

static const char *script(const char *path, const char *options)
{
	static char output[OUTPUT_SIZE];
	char command[256];

	snprintf(command, sizeof(command), "script -i %s %s", path, options);
	ck_assert_int_eq(pfmon(output, command), 0);
	return output;
}

/* Checks that @output contains @before, directly followed by @name and @behind. */
static void check_name(const char *output, const char *before, const char *name,
		       const char *behind)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s%s", before, name, behind);
	ck_assert_msg(strstr(output, text) != NULL, "no '%s' in\n%s", text, output);
}

TEST(functions_have_the_names_of_the_source_wherever_they_are_shown)
{
	const struct named_function *functions = load_names();
	const char *path = write_names(functions);

	for (; functions->name; functions++) {
		const char *name = functions->name;

		check_name(script(path, ""), " ", name, "+0x0 (" NAMES ")\n");
		check_name(report(path, ""), "  ", name, "  ");
		check_name(report(path, "--json"), "\"symbol\": \"", name, "\"");
		check_name(report(path, "--folded"), "app;", name, " 1\n");
	}
}

TEST(without_demangling_functions_have_their_mangled_names)
{
	const struct named_function *functions = load_names();
	const char *path = write_names(functions);

	for (; functions->name; functions++) {
		const char *name = linker_name(functions);

		if (!name)
			continue;
		check_name(script(path, "--no-demangle"), " ", name, "+0x0 (");
		check_name(report(path, "--no-demangle"), "  ", name, "  ");
		check_name(report(path, "--no-demangle --folded"), "app;", name, " 1\n");
	}
	ck_assert_ptr_null(strstr(report(path, "--no-demangle"), "::"));
}

/*
 * The third name is in the form that Rust used before RFC 2603. The other names are in the form of
 * this RFC. The last one contains the control character U+0085.
 */
TEST(names_of_rust_are_those_of_the_source)
{
	static const struct {
		const char *name;
		const char *source;
	} cases[] = {
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "_RNvNtNtCs1234_7mycrate3foo3bar3baz", "mycrate::foo::bar::baz" },
		{ "_ZN7mycrate3foo3bar17h0123456789abcdefE", "mycrate::foo::bar" },
		{ "_RNvC7mycrateu8gdel_5qa", "mycrate::g\u00f6del" },
		{ "_RNvC7mycrateu4a_la", "mycrate::a??" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *source = demangle(cases[i].name);

		ck_assert_msg(source != NULL, "'%s' was not demangled", cases[i].name);
		ck_assert_str_eq(source, cases[i].source);
		free(source);
	}
}

TEST(other_names_are_left_alone)
{
	static const char *const names[] = {
		"", "main", "i", "_Z", "_ZN", "_R", "__libc_start_main"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *source = demangle(names[i]);

		ck_assert_msg(source == NULL, "'%s' becomes '%s'", names[i], source);
	}
}

/*
 * Type n is a template with type n - 1 as both of its arguments, so the length of the name doubles
 * each time that n grows by 1.
 */
TEST(a_name_that_demangles_to_a_megabyte_is_left_alone)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512] = "_Z1f1A", last[8] = "S_";

	for (unsigned int i = 0; i < 17; i++) {
		size_t length = strlen(name);

		snprintf(name + length, sizeof(name) - length, "1%cI%s%sE", 'a' + i, last,
			 last);
		snprintf(last, sizeof(last), "S%c_", digits[2 * i + 1]);
	}
	ck_assert_ptr_null(demangle(name));
}
