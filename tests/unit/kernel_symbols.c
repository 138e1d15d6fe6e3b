// SPDX-License-Identifier: GPL-2.0-only
/* Tests that pfmon finds the functions for addresses of the kernel and of its modules. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/pfmon/data/data_write.h"
#include "lookup.h"

SUITE(kernel_symbols, 120);

static void make_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

/*
 * Below FIXTURE/root, make the files of /proc and /sys that pfmon reads to find a kernel's symbols.
 * The kernel in these files is loaded 0x1000 bytes above the address in the recording.
 */
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
	/* This address is neither in the kernel's text nor in a module. */
	location = find_symbol(&symbols, 0xffffffff90000000);
	ck_assert_ptr_null(location.object);
	ck_assert_str_eq(object_name(NULL, location.is_kernel), "[kernel]");
	symbols_free(&symbols);
	recording_free(&recording);
}

/* With kptr_restrict, /proc/kallsyms shows every address as 0. */
TEST(hidden_or_other_kernels_have_no_symbols)
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

	catch_stderr(NULL, 0);
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
		location = find_symbol(&symbols, 0xffffffff81000104);
		ck_assert_ptr_null(location.symbol);
		ck_assert_uint_eq(location.offset, 0x104);
		catch_stderr(words, sizeof(words));
		ck_assert_uint_eq(occurrences(words, cases[i].words), 1);
		/*
		 * The message about hidden symbols advises the user to run pfmon as root. Root does
		 * not get this advice.
		 */
		ck_assert_uint_eq(occurrences(words, "run as root"), !i && geteuid());
		symbols_free(&symbols);
		recording_free(&recording);
	}
}
