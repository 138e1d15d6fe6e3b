// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what pfmon report and script print: titles, errors, and warnings about incomplete
 * recordings.
 */
#include <stdio.h>
#include <string.h>

#include "report.h"

SUITE(report_warnings, 120);

/* Check that "pfmon @command" ends with @status, and that its output contains @words. */
static void check_words(const char *command, int status, const char *words)
{
	char output[OUTPUT_SIZE];

	ck_assert_int_eq(pfmon(output, command), status);
	ck_assert_msg(strstr(output, words) != NULL, "%s: '%s' is not in '%s'", command,
		      words, output);
}

TEST(other_files_are_refused_with_one_sentence)
{
	static const struct {
		const char *command;
		const char *words;
	} cases[] = {
		{ "report -i /nowhere/file 2>&1", "there is no file '/nowhere/file'" },
		{ "report -i / 2>&1", "cannot read '/': Is a directory" },
		{ "report -i /dev/null 2>&1", "'/dev/null' is empty" },
		{ "script -i /proc/self/comm 2>&1", "is not a recording of pfmon" },
		{ "help | " PFMON " report -i - 2>&1",
		  "'standard input' is not a recording of pfmon" },
		{ "help >/dev/null; printf 'PFMDA' | " PFMON " report -i - 2>&1",
		  "was cut short within its header" },
		{ "help >/dev/null; printf 'PERFILE2more' | " PFMON " report -i - 2>&1",
		  "is a recording of perf" },
		{ "help >/dev/null; printf 'PFMDATA\\0\\003\\0\\002\\0\\020\\0\\0\\0' | " PFMON
		  " report -i - 2>&1",
		  "has file version 2.3, but this pfmon reads version 1" },
		{ "report extra 2>&1", "there is no file 'extra'" },
		{ "script extra 2>&1", "there is no file 'extra'" },
		{ "report --sort=size 2>&1", "cannot sort by 'size'" },
		{ "report --percent-limit=much 2>&1", "'much' is not a limit" },
		{ "report --percent-limit=nan 2>&1", "'nan' is not a limit" },
		{ "report --folded --json 2>&1", "exclude each other" },
		{ "report --wrong 2>&1", "there is no option '--wrong'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_words(cases[i].command, 125, cases[i].words);
}

TEST(missing_parts_are_reported)
{
	const char *path = synthetic_path();
	struct data_writer writer;
	struct library library;
	char command[256];

	begin(&writer, path, &library);
	add(&writer, 100, library.first, 10, PERIOD);
	synthetic_losses(&writer, 0, 7, 0);
	snprintf(command, sizeof(command), "report -i %s 2>&1", path);
	check_words(command, 0, "10 samples, 7 lost; the file was cut short");
	snprintf(command, sizeof(command), "script -i %s 2>&1", path);
	check_words(command, 0, "warning: the file was cut short");
	snprintf(command, sizeof(command), "report -i %s -e instructions 2>&1", path);
	check_words(command, 125, "there is no event 'instructions' in the file");
	snprintf(command, sizeof(command), "report -i %s -g 2>&1", path);
	check_words(command, 0, "there are no call chains in the file");
	synthetic_end(&writer, 12, 0);
	snprintf(command, sizeof(command), "report -i %s 2>&1", path);
	check_words(command, 0, "12 samples were written to the file, 10 are in it");
}

/*
 * While a context was throttled, nothing was sampled. pfmon does not know how many samples are
 * missing, so it must not report "none lost".
 */
TEST(a_throttled_recording_is_not_reported_as_none_lost)
{
	const char *path = synthetic_path();
	char output[OUTPUT_SIZE], command[256];
	struct data_writer writer;
	struct library library;

	begin(&writer, path, &library);
	add(&writer, 100, library.first, 10, PERIOD);
	synthetic_losses(&writer, 0, 0, 7);
	synthetic_end(&writer, 10, 0);
	snprintf(command, sizeof(command), "report -i %s 2>&1", path);
	ck_assert_int_eq(pfmon(output, command), 0);
	ck_assert_ptr_nonnull(
		strstr(output, " 10 samples, throttled 7 times; the file is complete\n"));
	snprintf(command, sizeof(command), "script -i %s 2>&1", path);
	check_words(command, 0, "warning: monitoring was throttled 7 times");
	snprintf(command, sizeof(command), "report --folded -i %s 2>&1", path);
	check_words(command, 0, "warning: monitoring was throttled 7 times");
}

TEST(all_cpus_of_a_recording_are_named)
{
	static int numbers[] = { 0, 2, 3 };
	const struct id_list cpus = { numbers, 3 }, none = { 0 };
	const char *path = synthetic_path();
	struct data_writer writer;
	char command[256];

	ck_assert_int_eq(data_create(&writer, path), 0);
	ck_assert_int_eq(data_write_command(&writer, NULL, &none, &cpus, &none), 0);
	synthetic_end(&writer, 0, 0);
	snprintf(command, sizeof(command), "report -i %s 2>&1", path);
	check_words(command, 0, "\n Profile of CPUs 0,2,3\n");
	snprintf(command, sizeof(command), "report -i %s -j", path);
	check_words(command, 0, "\"cpus\": [0, 2, 3]");
}

/* One sample of CPU 2 was neither written to the file nor counted as lost. */
TEST(the_samples_of_each_cpu_add_up)
{
	const struct data_cpu good = { .produced = 5, .lost = 5, .context = 0, .cpu = 1 };
	const struct data_cpu bad = { .produced = 5, .lost = 4, .context = 1, .cpu = 2 };
	const char *path = synthetic_path();
	struct data_writer writer;
	char command[256];

	synthetic_begin(&writer, path);
	ck_assert_int_eq(data_write_cpu(&writer, &good), 0);
	ck_assert_int_eq(data_write_cpu(&writer, &bad), 0);
	synthetic_end(&writer, 0, 9);
	snprintf(command, sizeof(command), "report -i %s 2>&1", path);
	check_words(command, 0,
		    "warning: the kernel took 5 samples on CPU 2, but 0 were written and "
		    "4 lost");
}

TEST(all_threads_of_a_recording_are_named)
{
	static int tids[] = { 11, 12, 13 };
	const struct id_list threads = { tids, 3 }, none = { 0 };
	const char *path = synthetic_path();
	struct data_writer writer;
	char command[256];

	ck_assert_int_eq(data_create(&writer, path), 0);
	ck_assert_int_eq(data_write_command(&writer, NULL, &threads, &none, &none), 0);
	synthetic_end(&writer, 0, 0);
	snprintf(command, sizeof(command), "report -i %s 2>&1", path);
	check_words(command, 0, "\n Profile of threads 11,12,13\n");
}

TEST(an_interrupted_recording_is_reported)
{
	const struct data_end end = { .written = 10, .flags = DATA_END_FAILED };
	const char *path = synthetic_path();
	struct data_writer writer;
	struct library library;
	char command[256];

	begin(&writer, path, &library);
	add(&writer, 100, library.first, 10, PERIOD);
	ck_assert_int_eq(data_write_end(&writer, &end), 0);
	ck_assert_int_eq(data_close(&writer), 0);
	snprintf(command, sizeof(command), "report -i %s 2>&1", path);
	check_words(command, 0, "the recording ended early");
	check_words(command, 0, "warning: the recording ended before the command did");
}
