// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon: from addresses to functions.  The truth is what programs say where their
 * functions are, and /proc/self/maps of theirs.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/pfmon/common/symbols.h"
#include "suites.h"
#include "synthetic.h"

SUITE(symbols, 120);

#define MAX_LINES 64

/* A function and where it was; a mapping that code could be in. */
struct function {
	char name[64];
	uint64_t address;
};

struct mapping {
	struct data_mapping mapping;
	char path[512];
};

/* What a fixture said. */
struct said {
	struct function functions[MAX_LINES];
	size_t function_count;
	struct mapping mappings[MAX_LINES];
	size_t mapping_count;
};

static void take_mapping(struct said *said, const char *line)
{
	struct mapping *mapping = &said->mappings[said->mapping_count];
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

/* Run @path of the fixtures and keep what it says. */
static void run(const char *path, struct said *said)
{
	char line[1024];
	FILE *pipe = popen(path, "r");

	memset(said, 0, sizeof(*said));
	ck_assert_ptr_nonnull(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		struct function *function = &said->functions[said->function_count];

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

/* A recording of what @said says of process 1. */
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

/* Where @address of process @tgid is at @time. */
static struct location find_at(struct symbols *symbols, uint32_t tgid, uint64_t time,
			       uint64_t address)
{
	const struct sample sample = {
		.tgid = tgid,
		.time = time,
		.frames = &address,
		.frame_count = 1,
	};

	return symbols_find(symbols, &sample, 0);
}

static struct location find(struct symbols *symbols, uint64_t address)
{
	return find_at(symbols, 1, 0, address);
}

static void check_location(struct symbols *symbols, uint64_t address, const char *name,
			   uint64_t offset)
{
	struct location location = find(symbols, address);

	ck_assert_msg(location.symbol != NULL, "no symbol for %s+0x%" PRIx64, name,
		      offset);
	ck_assert_str_eq(location.symbol->name, name);
	ck_assert_uint_eq(location.offset, offset);
}

/* All of @said's functions that @object has: at their first byte and some behind. */
static void check_functions(struct symbols *symbols, const struct said *said)
{
	for (size_t i = 0; i < said->function_count; i++) {
		const struct function *function = &said->functions[i];

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

/* An address of a file: as the symbols have it, what was mapped where does not matter. */
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

/* "stripped" is "pie" without symbols: what it says of its functions is true of both. */
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

/* "bare" has no debug file; of "stripped" it is in a place that is not looked at. */
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
		location = find(&symbols, address);
		ck_assert_ptr_null(location.symbol);
		ck_assert_str_eq(location.object->path, paths[i]);
		ck_assert_uint_eq(location.offset, file_offset(&said, address));
		symbols_free(&symbols);
		recording_free(&recording);
	}
}

/* What is said on standard error, in @text, from here to the next call. */
static void catch_words(char *text, size_t size)
{
	static int fd = -1;
	ssize_t length;

	if (fd == -1) {
		fd = memfd_create("words", MFD_CLOEXEC);
		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(dup2(fd, STDERR_FILENO), STDERR_FILENO);
		return;
	}
	length = pread(fd, text, size - 1, 0);
	ck_assert_int_ge(length, 0);
	text[length] = '\0';
}

/* How often @part is in @text. */
static unsigned int occurrences(const char *text, const char *part)
{
	unsigned int count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

TEST(a_program_with_another_build_id_is_pointed_out_and_not_looked_up)
{
	struct recording recording;
	struct symbols symbols;
	struct said said;
	char words[4096];

	run(FIXTURE "/pie", &said);
	make_recording(&recording, &said, "00000000000000000000000000000000");
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	catch_words(NULL, 0);
	for (size_t i = 0; i < said.function_count; i++)
		ck_assert_ptr_null(find(&symbols, said.functions[i].address).symbol);
	catch_words(words, sizeof(words));
	ck_assert_uint_eq(occurrences(words, "pie' is not the one that was recorded"), 1);
	symbols_free(&symbols);
	recording_free(&recording);
}

/* "static" has none: another file has another inode. */
TEST(another_file_without_build_id_is_pointed_out_and_not_looked_up)
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
	catch_words(NULL, 0);
	ck_assert_ptr_null(find(&symbols, said.functions[0].address).symbol);
	catch_words(words, sizeof(words));
	ck_assert_uint_eq(occurrences(words, "static' is not the one that was recorded"),
			  1);
	symbols_free(&symbols);
	recording_free(&recording);
}

/* The recording ended in 2023, the fixture has been built since. */
TEST(a_file_written_since_without_build_id_is_not_looked_up)
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
	catch_words(NULL, 0);
	ck_assert_ptr_null(find(&symbols, said.functions[0].address).symbol);
	catch_words(words, sizeof(words));
	ck_assert_uint_eq(occurrences(words, "is not the one that was recorded"), 1);
	symbols_free(&symbols);
	recording_free(&recording);
}

/* A device is no file to be read, whatever the recording says. */
TEST(only_programs_are_looked_into)
{
	static const char *const paths[] = { "/dev/zero", "/nowhere/app", "/etc/passwd",
					     "/proc/self", "" };
	struct said said = { .mapping_count = 1 };
	char words[4096];

	catch_words(NULL, 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct recording recording;
		struct location location;
		struct symbols symbols;

		said.mappings[0].mapping =
			(struct data_mapping){ .start = 0x1000, .end = 0x2000 };
		strcpy(said.mappings[0].path, paths[i]);
		make_recording(&recording, &said, "");
		ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
		location = find(&symbols, 0x1234);
		ck_assert_ptr_null(location.symbol);
		ck_assert_uint_eq(location.offset, 0x234);
		symbols_free(&symbols);
		recording_free(&recording);
	}
	/* Each is named, but for the one without a name. */
	catch_words(words, sizeof(words));
	ck_assert_uint_eq(occurrences(words, "its symbols are left out"), 4);
}

/* The truth is the dynamic linker's: it has the vdso in its list. */
TEST(functions_of_the_vdso_are_found)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *function = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
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
	location = find(&symbols, (uintptr_t)function + 2);
	ck_assert_ptr_nonnull(location.symbol);
	ck_assert_ptr_nonnull(strstr(location.symbol->name, "clock_gettime"));
	ck_assert_uint_eq(location.offset, 2);
	symbols_free(&symbols);
	recording_free(&recording);

	make_recording(&recording, &said, "0123");
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	ck_assert_ptr_null(find(&symbols, (uintptr_t)function).symbol);
	symbols_free(&symbols);
	recording_free(&recording);
	dlclose(vdso);
}

static void make_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

/* A machine below FIXTURE/root whose kernel is 0x1000 above where it was recorded. */
static void make_machine(const char *kallsyms, const char *modules)
{
	static const struct {
		Elf64_Nhdr other;
		char other_name[4];
		Elf64_Nhdr note;
		char name[4];
		unsigned char id[4];
	} notes = {
		{ 4, 0, 6 }, "Lin", { 4, 4, NT_GNU_BUILD_ID }, "GNU", { 0xab, 0xcd, 1, 2 }
	};
	static const char *const directories[] = { "", "/proc", "/sys", "/sys/kernel",
						   "/sys/module" };
	char path[512];

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		snprintf(path, sizeof(path), FIXTURE "/root%s", directories[i]);
		mkdir(path, 0755);
	}
	make_file(FIXTURE "/root/proc/kallsyms", kallsyms, strlen(kallsyms));
	make_file(FIXTURE "/root/proc/modules", modules, strlen(modules));
	make_file(FIXTURE "/root/sys/kernel/notes", &notes, sizeof(notes));
}

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81001000 T _stext\n"
			       "ffffffff81001000 T __startup\n"
			       "ffffffff81001100 T do_work\n"
			       "ffffffff81001100 t __do_work\n"
			       "ffffffff81001200 t helper.isra.0\n"
			       "ffffffff81001280 D some_data\n"
			       "ffffffff81003000 T _etext\n"
			       "ffffffffc0002000 t driver_read\t[driver]\n";
static const char modules[] = "driver 4096 0 - Live 0xffffffffc0002000\n";

TEST(the_kernel_and_its_modules_are_found_where_they_are_now)
{
	static const struct data_mapping recorded[] = {
		{ .start = 0xffffffff81000000,
		  .end = 0xffffffff81002000,
		  .flags = DATA_MAPPING_KERNEL },
		{ .start = 0xffffffffc0001000,
		  .end = 0xffffffffc0002000,
		  .flags = DATA_MAPPING_KERNEL },
	};
	static const struct {
		uint64_t address;
		const char *name;
		uint64_t offset;
	} expected[] = {
		{ 0xffffffff81000000, "_stext", 0 },
		{ 0xffffffff81000104, "do_work", 4 },
		{ 0xffffffff81000290, "helper.isra.0", 0x90 },
		{ 0xffffffffc0001008, "driver_read", 8 },
	};
	const char *path = synthetic_path();
	struct recording recording;
	struct data_writer writer;
	struct location location;
	struct symbols symbols;

	make_machine(kallsyms, modules);
	synthetic_begin(&writer, path);
	data_write_mapping(&writer, &recorded[0], "[kernel]", "abcd0102");
	data_write_mapping(&writer, &recorded[1], "[driver]", "");
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_int_eq(recording_open(&recording, path), 0);
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	symbols.objects.root = FIXTURE "/root";
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		check_location(&symbols, expected[i].address, expected[i].name,
			       expected[i].offset);
	/* Neither in the kernel's text nor in a module. */
	location = find(&symbols, 0xffffffff90000000);
	ck_assert_ptr_null(location.object);
	ck_assert_str_eq(object_name(NULL, location.is_kernel), "[kernel]");
	symbols_free(&symbols);
	recording_free(&recording);
}

/* Zeros are what kptr_restrict shows. */
TEST(kernels_that_are_hidden_or_others_have_no_symbols)
{
	static const struct data_mapping recorded = {
		.start = 0xffffffff81000000,
		.end = 0xffffffff81002000,
		.flags = DATA_MAPPING_KERNEL,
	};
	static const struct {
		const char *kallsyms;
		const char *build_id;
		const char *words;
	} cases[] = {
		{ "0000000000000000 T _stext\n0000000000000000 T _etext\n", "abcd0102",
		  "does not show its symbols" },
		{ kallsyms, "12345678", "is not the one that was recorded" },
	};
	char words[4096];

	catch_words(NULL, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = synthetic_path();
		struct recording recording;
		struct data_writer writer;
		struct location location;
		struct symbols symbols;

		make_machine(cases[i].kallsyms, "");
		synthetic_begin(&writer, path);
		data_write_mapping(&writer, &recorded, "[kernel]", cases[i].build_id);
		ck_assert_int_eq(data_close(&writer), 0);
		ck_assert_int_eq(recording_open(&recording, path), 0);
		ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
		symbols.objects.root = FIXTURE "/root";
		location = find(&symbols, 0xffffffff81000104);
		ck_assert_ptr_null(location.symbol);
		ck_assert_uint_eq(location.offset, 0x104);
		catch_words(words, sizeof(words));
		ck_assert_uint_eq(occurrences(words, cases[i].words), 1);
		symbols_free(&symbols);
		recording_free(&recording);
	}
}

/* Mappings of process 1 at 0x1000 to 0x2000, by their paths. */
static const char *path_at(const char *file, uint64_t time)
{
	struct recording recording;
	struct symbols symbols;
	struct location location;
	static char path[64];

	ck_assert_int_eq(recording_open(&recording, file), 0);
	ck_assert_int_eq(symbols_make(&symbols, &recording), 0);
	location = find_at(&symbols, 1, time, 0x1800);
	snprintf(path, sizeof(path), "%s",
		 location.object ? location.object->path : "none");
	symbols_free(&symbols);
	recording_free(&recording);
	return path;
}

static void map_at(struct data_writer *writer, uint64_t time, const char *path)
{
	const struct data_mapping mapping = {
		.time = time, .tgid = 1, .start = 0x1000, .end = 0x2000
	};

	ck_assert_int_eq(data_write_mapping(writer, &mapping, path, NULL), 0);
}

TEST(a_mapping_is_there_from_its_time_until_another_takes_its_place)
{
	const char *path = synthetic_path();
	struct data_writer writer;

	synthetic_begin(&writer, path);
	map_at(&writer, 300, "[third]");
	map_at(&writer, 100, "[first]");
	map_at(&writer, 200, "[second]");
	map_at(&writer, 200, "[again]");
	synthetic_mapping(&writer, 1, 0, 0x1801, 0, "[wide, from the beginning]");
	synthetic_mapping(&writer, 2, 0x1000, 0x2000, 0, "[of another process]");
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_str_eq(path_at(path, 50), "[wide, from the beginning]");
	ck_assert_str_eq(path_at(path, 100), "[first]");
	ck_assert_str_eq(path_at(path, 199), "[first]");
	ck_assert_str_eq(path_at(path, 250), "[again]");
	ck_assert_str_eq(path_at(path, UINT64_MAX), "[third]");
}

TEST(a_mapping_that_was_seen_late_is_taken_if_there_is_none)
{
	const char *path = synthetic_path();
	struct data_writer writer;

	synthetic_begin(&writer, path);
	map_at(&writer, 200, "[second]");
	map_at(&writer, 100, "[first]");
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_str_eq(path_at(path, 50), "[first]");
}

TEST(another_program_has_nothing_of_the_one_before)
{
	const struct data_thread exec = {
		.time = 200, .tid = 1, .tgid = 1, .flags = DATA_THREAD_EXEC
	};
	const struct data_thread other = {
		.time = 150, .tid = 2, .tgid = 2, .flags = DATA_THREAD_EXEC
	};
	const char *path = synthetic_path();
	struct data_writer writer;

	synthetic_begin(&writer, path);
	map_at(&writer, 100, "[before]");
	ck_assert_int_eq(data_write_thread(&writer, &exec, "next"), 0);
	ck_assert_int_eq(data_write_thread(&writer, &other, "other"), 0);
	ck_assert_str_eq(path_at(path, 199), "[before]");
	ck_assert_str_eq(path_at(path, 200), "none");
	map_at(&writer, 210, "[after]");
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_str_eq(path_at(path, 199), "[before]");
	ck_assert_str_eq(path_at(path, 205), "[after]");
	ck_assert_str_eq(path_at(path, 220), "[after]");
}

/*
 * A call can be the last instruction of a function: where it returns to is the next one.
 * What was interrupted, in the kernel and in the program, is meant as it is.
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
	/* In place of the kernel's, too: what is looked for is where, not what. */
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

/* Those without a size end at 0x400. */
static void add_symbol(struct symbol_table *table, uint64_t address, uint64_t size,
		       unsigned int rank, const char *name)
{
	const struct symbol symbol = {
		.address = address,
		.size = size,
		.limit = 0x400,
		.rank = rank,
		.name = (char *)name,
	};

	ck_assert_int_eq(symbol_table_add(table, &symbol), 0);
}

static const char *name_of(const struct symbol_table *table, uint64_t address)
{
	const struct symbol *symbol = symbol_table_find(table, address);

	return symbol ? symbol->name : "none";
}

TEST(the_innermost_function_around_an_address_is_found)
{
	struct symbol_table table = { 0 };

	add_symbol(&table, 0x300, 0, 3, "label_of_assembly");
	add_symbol(&table, 0x310, 0x10, 0, "behind_the_label");
	add_symbol(&table, 0x100, 0x100, 0, "outer");
	add_symbol(&table, 0x120, 0x10, 2, "inner");
	add_symbol(&table, 0x180, 0, 3, "label_in_outer");
	add_symbol(&table, 0x100, 0x100, 1, "weak_name_of_outer");
	add_symbol(&table, 0x120, 0x10, 2, "__inner");
	symbol_table_sort(&table);
	ck_assert_uint_eq(table.count, 4);
	ck_assert_str_eq(name_of(&table, 0xff), "none");
	ck_assert_str_eq(name_of(&table, 0x100), "outer");
	ck_assert_str_eq(name_of(&table, 0x120), "inner");
	ck_assert_str_eq(name_of(&table, 0x12f), "inner");
	ck_assert_str_eq(name_of(&table, 0x130), "outer");
	ck_assert_str_eq(name_of(&table, 0x1ff), "outer");
	ck_assert_str_eq(name_of(&table, 0x200), "none");
	ck_assert_str_eq(name_of(&table, 0x30f), "label_of_assembly");
	ck_assert_str_eq(name_of(&table, 0x310), "behind_the_label");
	ck_assert_str_eq(name_of(&table, 0x320), "none");
	symbol_table_free(&table);
	ck_assert_str_eq(name_of(&table, 0x100), "none");

	add_symbol(&table, 0x300, 0, 3, "label\033[2J");
	symbol_table_sort(&table);
	ck_assert_str_eq(name_of(&table, 0x3ff), "label?[2J");
	ck_assert_str_eq(name_of(&table, 0x400), "none");
	symbol_table_free(&table);
}
