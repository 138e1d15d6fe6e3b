// SPDX-License-Identifier: GPL-2.0-only
/* Tests how pfmon report and script show call chains. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

SUITE(report_chains, 120);

/*
 * Write samples with these call chains:
 * - 6 samples: third() called second(), and second() called first()
 * - 3 samples: third() called first()
 * - 1 sample: first() called the kernel
 * No mapping contains the kernel's addresses.
 */
static const char *write_chains(struct library *library)
{
	static const uint64_t none[] = { 0 };
	const uint64_t in_kernel[] = { 0xffffffff81000010, 0xffffffff81000020, 0 };
	const char *path = synthetic_path();
	struct data_writer writer;

	begin(&writer, path, library);
	add_chain(&writer, 100, none,
		  (uint64_t[]){ library->first + 4, library->second + 8,
				library->third + 8, 0 },
		  6);
	add_chain(&writer, 101, none,
		  (uint64_t[]){ library->first + 7, library->third + 3, 0 }, 3);
	add_chain(&writer, 100, in_kernel, (uint64_t[]){ library->first, 0 }, 1);
	synthetic_end(&writer, 10, 0);
	return path;
}

TEST(callers_are_below_the_functions_that_they_call)
{
	static const char expected[] =
		"\n"
		" Percent       Samples                    Symbol              Object\n"
		"  90.00%             9  ################  first_function      "
		"libfunctions.so\n"
		"                                            + 60.00% second_function\n"
		"                                              60.00% third_function\n"
		"                                            + 30.00% third_function\n"
		"  10.00%             1  ##                0xffffffff81000010  [kernel]\n"
		"                                            10.00% 0xffffffff81000020\n"
		"                                            10.00% first_function\n";
	struct library library;
	const char *output = strstr(report(write_chains(&library), "-g"), "\n Percent");

	ck_assert_ptr_nonnull(output);
	ck_assert_str_eq(output, expected);
}

TEST(callers_in_json_are_nested)
{
	struct library library;
	json_t *object = report_as_json(write_chains(&library), "-g");
	json_t *callers = json_object_get(entry(object, 0, 0), "callers");
	json_t *second = json_array_get(callers, 0);
	json_t *third = json_array_get(json_object_get(second, "callers"), 0);

	ck_assert_uint_eq(json_array_size(callers), 2);
	ck_assert_str_eq(text(second, "symbol"), "second_function");
	ck_assert_int_eq(number(second, "samples"), 6);
	ck_assert_str_eq(text(third, "symbol"), "third_function");
	ck_assert_int_eq(number(third, "samples"), 6);
	ck_assert_uint_eq(json_array_size(json_object_get(third, "callers")), 0);
	json_decref(object);
}

TEST(folded_stacks_are_whole_and_counted)
{
	static const char expected[] =
		"app;first_function;[kernel];[kernel] 1\n"
		"app;third_function;second_function;first_function 6\n"
		"worker one;third_function;first_function 3\n";
	struct library library;

	ck_assert_str_eq(report(write_chains(&library), "--folded"), expected);
}

/*
 * An address without a symbol is shown as a frame with the name of its object, or as "[unknown]" if
 * nothing was mapped there. So samples at different addresses of an object are added up in one
 * line. A thread without a name is shown by its ID.
 */
TEST(folded_stacks_without_symbols_name_the_object)
{
	static const char expected[] = ":102;[unknown] 1\n"
				       "app;[nothing] 3\n"
				       "app;[unknown] 1\n";
	const char *path = synthetic_path();
	struct data_writer writer;
	struct library library;

	begin(&writer, path, &library);
	add(&writer, 100, 0x400010, 1, PERIOD);
	add(&writer, 100, 0x400020, 2, PERIOD);
	add(&writer, 100, 0x20, 1, PERIOD);
	add(&writer, 102, 0x30, 1, PERIOD);
	synthetic_end(&writer, 5, 0);
	ck_assert_str_eq(report(path, "--folded"), expected);
}

/* For each sample, there is a line about the sample, a line for each address, and an empty line. */
TEST(script_has_the_layout_that_scripts_read)
{
	struct library library;
	const char *path = synthetic_path();
	char expected[2048], command[256], output[OUTPUT_SIZE];
	struct pfm_dfl_smpl_entry entry;
	struct data_writer writer;

	begin(&writer, path, &library);
	entry = synthetic_entry(100, 100, CYCLES_PMD, library.first + 0x10,
				12345678901234, PERIOD);
	synthetic_samples(&writer, DATA_FORMAT_NWAY, 0, 1, &entry, sizeof(entry));
	add_chain(&writer, 101, (uint64_t[]){ 0xffffffff81000010, 0 },
		  (uint64_t[]){ library.second, library.third + 3, 0 }, 1);
	synthetic_end(&writer, 2, 0);
	snprintf(expected, sizeof(expected),
		 "app    100 [001]  12345.678901:      10000 cycles:u: \n"
		 "\t%16" PRIx64 " first_function+0x10 (" LIBRARY ")\n"
		 "\n"
		 "worker one    101 [001]      0.000000:      10000 cycles:u: \n"
		 "\tffffffff81000010 [unknown] ([kernel])\n"
		 "\t%16" PRIx64 " second_function+0x0 (" LIBRARY ")\n"
		 "\t%16" PRIx64 " third_function+0x3 (" LIBRARY ")\n"
		 "\n",
		 library.first + 0x10, library.second, library.third + 3);
	snprintf(command, sizeof(command), "script -i %s", path);
	ck_assert_int_eq(pfmon(output, command), 0);
	ck_assert_str_eq(output, expected);
}
