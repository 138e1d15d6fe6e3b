// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that pfmon finds the functions that contain given addresses. The fixtures are programs that
 * print their /proc/self/maps, and the name and address of each of their functions. pfmon must find
 * the functions at these addresses.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/pfmon/data/data_write.h"
#include "lookup.h"

SUITE(symbols, 120);

#define MAX_LINES 64

/* Each line that a fixture prints describes a function or a mapping. */
struct said_function {
	char name[64];
	uint64_t address;
};

struct said_mapping {
	struct data_mapping mapping;
	char path[512];
};

/* What a fixture printed: its functions and its mappings of executable memory. */
struct said {
	struct said_function functions[MAX_LINES];
	size_t function_count;
	struct said_mapping mappings[MAX_LINES];
	size_t mapping_count;
};

static void take_mapping(struct said *said, const char *line)
{
	struct said_mapping *mapping = &said->mappings[said->mapping_count];
	char access[8];

	mapping->path[0] = '\0';
	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %511[^\n]",
		   &mapping->mapping.start, &mapping->mapping.end, access,
		   &mapping->mapping.offset, &mapping->mapping.inode,
		   mapping->path) >= 5 &&
	    access[2] == 'x')
		said->mapping_count++;
}

/* Run the fixture @path and store its output in @said. */
static void run(const char *path, struct said *said)
{
	char line[1024];
	FILE *pipe = popen(path, "r");

	memset(said, 0, sizeof(*said));
	ck_assert_ptr_nonnull(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		struct said_function *function = &said->functions[said->function_count];

		ck_assert_uint_lt(said->function_count, MAX_LINES);
		ck_assert_uint_lt(said->mapping_count, MAX_LINES);
		if (sscanf(line, "%63s 0x%" SCNx64, function->name, &function->address) ==
		    2)
			said->function_count++;
		else
			take_mapping(said, line);
	}
	ck_assert_int_eq(pclose(pipe), 0);
	ck_assert_uint_eq(said->function_count, 5);
	ck_assert_uint_gt(said->mapping_count, 0);
}

static void write_mappings(struct data_writer *writer, const struct said *said,
			   uint32_t tgid, const char *build_id)
{
	for (size_t i = 0; i < said->mapping_count; i++) {
		struct data_mapping mapping = said->mappings[i].mapping;
		const char *path = said->mappings[i].path;
		char text[BUILD_ID_SIZE];

		build_id_of_file(path, text);
		mapping.tgid = tgid;
		ck_assert_int_eq(data_write_mapping(writer, &mapping, path,
						    build_id ? build_id : text),
				 0);
	}
}

/*
 * Make a recording of process 1 with the mappings in @said. All mappings get the build-id
 * @build_id. If @build_id is NULL, each mapping gets the build-id of its file.
 */
static void make_recording(struct recording *recording, const struct said *said,
			   const char *build_id)
{
	const char *path = synthetic_path();
	struct data_writer writer;

	synthetic_begin(&writer, path);
	write_mappings(&writer, said, 1, build_id);
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_int_eq(recording_open(recording, path), 0);
}

/* Look up each function in @said by the address of its first byte and by a later address. */
static void check_functions(struct symbols *symbols, const struct said *said)
{
	for (size_t i = 0; i < said->function_count; i++) {
		const struct said_function *function = &said->functions[i];

		check_location(symbols, function->address, function->name, 0);
		check_location(symbols, function->address + 5, function->name, 5);
	}
}

static void check_fixture(const char *path)
{
	struct recording recording;
	struct symbols symbols;
	struct said said;

	run(path, &said);
	make_recording(&recording, &said, NULL);
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	check_functions(&symbols, &said);
	symbols_free(&symbols);
	recording_free(&recording);
}

TEST(functions_of_a_static_program_are_found)
{
	check_fixture(FIXTURE "/static");
}

TEST(functions_of_a_position_independent_program_are_found)
{
	check_fixture(FIXTURE "/pie");
}

TEST(functions_of_a_program_and_its_library_are_found)
{
	check_fixture(FIXTURE "/shared");
}

/*
 * Returns the file offset of the byte that is mapped at @address. This offset does not depend on
 * where the file is mapped.
 */
static uint64_t file_offset(const struct said *said, uint64_t address)
{
	for (size_t i = 0; i < said->mapping_count; i++) {
		const struct data_mapping *mapping = &said->mappings[i].mapping;

		if (address >= mapping->start && address < mapping->end)
			return address - mapping->start + mapping->offset;
	}
	ck_abort_msg("nothing is mapped at 0x%" PRIx64, address);
}

static void read_program(struct program *program, const char *path, const char *debug)
{
	int fd = open(path, O_RDONLY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(program_read(program, fd, path, (char *)debug), 0);
	close(fd);
}

/* The program "stripped" is "pie" without symbols. Its debug file has the symbols of "pie". */
TEST(functions_of_a_stripped_program_are_found_in_its_debug_file)
{
	struct program program;
	struct said said;

	run(FIXTURE "/stripped", &said);
	read_program(&program, FIXTURE "/stripped", FIXTURE "/debug");
	for (size_t i = 0; i < said.function_count; i++) {
		uint64_t offset = file_offset(&said, said.functions[i].address), inside;
		const struct symbol *symbol = program_find(&program, offset + 3, &inside);

		ck_assert_ptr_nonnull(symbol);
		ck_assert_str_eq(symbol->name, said.functions[i].name);
		ck_assert_uint_eq(inside, 3);
	}
	program_free(&program);
}

/* "bare" has no debug file. The debug file of "stripped" is in a folder that is not searched. */
TEST(a_stripped_program_without_its_debug_file_has_object_and_offset)
{
	static const char *const paths[] = { FIXTURE "/bare", FIXTURE "/stripped" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct recording recording;
		struct location location;
		struct symbols symbols;
		struct said said;
		uint64_t address;

		run(paths[i], &said);
		address = said.functions[0].address;
		make_recording(&recording, &said, NULL);
		ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
		location = find_symbol(&symbols, address);
		ck_assert_ptr_null(location.symbol);
		ck_assert_str_eq(location.object->path, paths[i]);
		ck_assert_uint_eq(location.offset, file_offset(&said, address));
		symbols_free(&symbols);
		recording_free(&recording);
	}
}

TEST(a_program_with_another_build_id_is_reported_and_not_used)
{
	struct recording recording;
	struct symbols symbols;
	struct said said;
	char words[4096];

	run(FIXTURE "/pie", &said);
	make_recording(&recording, &said, "00000000000000000000000000000000");
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	catch_stderr(NULL, 0);
	for (size_t i = 0; i < said.function_count; i++)
		ck_assert_ptr_null(
			find_symbol(&symbols, said.functions[i].address).symbol);
	catch_stderr(words, sizeof(words));
	ck_assert_uint_eq(occurrences(words, "pie' is not the one that was recorded"), 1);
	symbols_free(&symbols);
	recording_free(&recording);
}

/*
 * "static" has no build-id, so pfmon compares inodes to find out whether the file is the recorded
 * one.
 */
TEST(another_file_without_build_id_is_reported_and_not_used)
{
	struct recording recording;
	struct symbols symbols;
	struct said said;
	char words[4096];

	run(FIXTURE "/static", &said);
	for (size_t i = 0; i < said.mapping_count; i++)
		said.mappings[i].mapping.inode++;
	make_recording(&recording, &said, NULL);
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	catch_stderr(NULL, 0);
	ck_assert_ptr_null(find_symbol(&symbols, said.functions[0].address).symbol);
	catch_stderr(words, sizeof(words));
	ck_assert_uint_eq(occurrences(words, "static' is not the one that was recorded"),
			  1);
	symbols_free(&symbols);
	recording_free(&recording);
}

/* The fixture was built after the end of the recording (2023), so it is not the recorded file. */
TEST(a_newer_file_without_build_id_is_not_used)
{
	const char *path = synthetic_path();
	struct recording recording;
	struct data_writer writer;
	struct symbols symbols;
	struct said said;
	char words[4096];

	run(FIXTURE "/static", &said);
	synthetic_begin(&writer, path);
	write_mappings(&writer, &said, 1, NULL);
	synthetic_end(&writer, 0, 0);
	ck_assert_int_eq(recording_open(&recording, path), 0);
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	catch_stderr(NULL, 0);
	ck_assert_ptr_null(find_symbol(&symbols, said.functions[0].address).symbol);
	catch_stderr(words, sizeof(words));
	ck_assert_uint_eq(occurrences(words, "is not the one that was recorded"), 1);
	symbols_free(&symbols);
	recording_free(&recording);
}

/* A recording may contain the path of a device. pfmon must not open the device. */
TEST(only_regular_files_are_read)
{
	static const char *const paths[] = { "/dev/zero", "/nowhere/app", "/etc/passwd",
					     "/proc/self", "" };
	struct said said = { .mapping_count = 1 };
	char words[4096];

	catch_stderr(NULL, 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct recording recording;
		struct location location;
		struct symbols symbols;

		said.mappings[0].mapping =
			(struct data_mapping){ .start = 0x1000, .end = 0x2000 };
		strcpy(said.mappings[0].path, paths[i]);
		make_recording(&recording, &said, "");
		ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
		location = find_symbol(&symbols, 0x1234);
		ck_assert_ptr_null(location.symbol);
		ck_assert_uint_eq(location.offset, 0x234);
		symbols_free(&symbols);
		recording_free(&recording);
	}
	/* There is a warning for each path except the empty one. */
	catch_stderr(words, sizeof(words));
	ck_assert_uint_eq(occurrences(words, "its symbols are left out"), 4);
}

/* The dynamic linker knows the symbols of the vdso, so dlsym() returns the expected address. */
TEST(functions_of_the_vdso_are_found)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	const char *name = dlsym(vdso, "__vdso_clock_gettime")
				   ? "__vdso_clock_gettime"
				   : "__kernel_clock_gettime"; /* arm64, powerpc */
	void *function = dlsym(vdso, name);
	struct said said = { 0 };
	struct recording recording;
	struct location location;
	struct symbols symbols;
	char text[BUILD_ID_SIZE], line[1024];
	FILE *maps = fopen("/proc/self/maps", "r");

	ck_assert_ptr_nonnull(function);
	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]"))
			take_mapping(&said, line);
	fclose(maps);
	ck_assert_uint_eq(said.mapping_count, 1);

	build_id_of_vdso(text);
	make_recording(&recording, &said, text);
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	location = find_symbol(&symbols, (uintptr_t)function + 2);
	ck_assert_ptr_nonnull(location.symbol);
	ck_assert_ptr_nonnull(strstr(location.symbol->name, "clock_gettime"));
	ck_assert_uint_eq(location.offset, 2);
	symbols_free(&symbols);
	recording_free(&recording);

	make_recording(&recording, &said, "0123");
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	ck_assert_ptr_null(find_symbol(&symbols, (uintptr_t)function).symbol);
	symbols_free(&symbols);
	recording_free(&recording);
	dlclose(vdso);
}

/*
 * If a call is the last instruction of a function, the return address of the call is in the next
 * function. So pfmon looks up the byte before a return address. The addresses of interrupted
 * instructions are looked up unchanged.
 */
TEST(a_return_address_belongs_to_the_function_of_the_call)
{
	struct recording recording;
	struct sample sample = { .tgid = 1, .frame_count = 4, .kernel_count = 2 };
	struct location location;
	struct symbols symbols;
	struct said said;
	uint64_t frames[4];

	run(FIXTURE "/static", &said);
	make_recording(&recording, &said, NULL);
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	/*
	 * All four frames, including the two of the kernel, have the same address: that of a
	 * function's first byte. pfmon must find this function only for the frames that are not
	 * return addresses.
	 */
	for (size_t i = 0; i < 4; i++)
		frames[i] = said.functions[2].address;
	sample.frames = frames;
	for (unsigned int i = 0; i < 4; i++) {
		bool is_return = i == 1 || i == 3;

		location = symbols_find(&symbols, &sample, i);
		if (location.symbol)
			ck_assert_int_eq(!strcmp(location.symbol->name,
						 said.functions[2].name),
					 !is_return);
		else
			ck_assert(is_return);
	}
	symbols_free(&symbols);
	recording_free(&recording);
}
