// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that pfmon finds the mapping that contained an address at a given time, and the innermost
 * function around the address.
 */
#include <stdio.h>
#include <string.h>

#include "../../tools/pfmon/data/data_write.h"
#include "lookup.h"

SUITE(mappings, 120);

/* Returns the path of the mapping that contained address 0x1800 of process 1 at @time. */
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

TEST(a_mapping_is_valid_until_another_replaces_it)
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

TEST(a_later_mapping_is_used_if_there_is_no_earlier_one)
{
	const char *path = synthetic_path();
	struct data_writer writer;

	synthetic_begin(&writer, path);
	map_at(&writer, 200, "[second]");
	map_at(&writer, 100, "[first]");
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_str_eq(path_at(path, 50), "[first]");
}

TEST(an_exec_ends_all_earlier_mappings)
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

static void fork_at(struct data_writer *writer, uint64_t time, uint32_t tgid,
		    uint32_t parent)
{
	const struct data_fork fork = {
		.time = time,
		.tid = tgid,
		.tgid = tgid,
		.parent_tid = parent,
		.parent_tgid = parent,
	};

	ck_assert_int_eq(data_write_fork(writer, &fork), 0);
}

static void exec_at(struct data_writer *writer, uint64_t time, uint32_t tgid)
{
	const struct data_thread exec = {
		.time = time, .tid = tgid, .tgid = tgid, .flags = DATA_THREAD_EXEC
	};

	ck_assert_int_eq(data_write_thread(writer, &exec, "next"), 0);
}

/* Process 3 is the parent of process 2, and process 2 is the parent of process 1. */
TEST(a_process_begins_with_the_mappings_of_its_parent)
{
	const char *path = synthetic_path();
	struct data_writer writer;

	synthetic_begin(&writer, path);
	synthetic_mapping(&writer, 3, 0x1000, 0x2000, 0, "[of the grandparent]");
	fork_at(&writer, 150, 1, 2);
	fork_at(&writer, 100, 2, 3);
	exec_at(&writer, 120, 3);
	exec_at(&writer, 200, 1);
	map_at(&writer, 210, "[own]");
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_str_eq(path_at(path, 160), "[of the grandparent]");
	ck_assert_str_eq(path_at(path, 220), "[own]");
}

TEST(a_pid_that_is_used_again_has_no_mappings_of_its_first_process)
{
	const char *path = synthetic_path();
	struct data_writer writer;

	synthetic_begin(&writer, path);
	map_at(&writer, 0, "[first]");
	fork_at(&writer, 100, 1, 2);
	synthetic_mapping(&writer, 2, 0x1000, 0x2000, 0, "[of the parent]");
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_str_eq(path_at(path, 99), "[first]");
	ck_assert_str_eq(path_at(path, 100), "[of the parent]");
}

/* In a damaged file, two processes can be parents of each other. Even then, the search must end. */
TEST(parents_in_a_circle_have_no_mappings)
{
	const char *path = synthetic_path();
	struct data_writer writer;

	synthetic_begin(&writer, path);
	fork_at(&writer, 100, 1, 2);
	fork_at(&writer, 100, 2, 1);
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_str_eq(path_at(path, 150), "none");
}

/* Add a symbol. A symbol without a size ends at the next symbol, and at 0x400 at the latest. */
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
