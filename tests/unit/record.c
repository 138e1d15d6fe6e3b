// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the command line of pfmon record, and the arguments that it passes to the sampling formats.
 * Also tests what pfmon record does if the output file exists already, and when the output file has
 * reached the size or age at which a new file begins.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/pfmon/common/text.h"
#include "../../tools/pfmon/record/output.h"
#include "../../tools/pfmon/record/progress.h"
#include "../../tools/pfmon/record/record_options.h"
#include "../../tools/pfmon/record/sampling_format.h"
#include "suites.h"

SUITE(record, 120);

#define MAX_WORDS 32

/* Parse a command line; its words are separated by single blanks. */
static int parse(const char *line, struct record_options *options)
{
	static char copy[1024];
	static char *words[MAX_WORDS];
	char *rest = copy;
	int count = 1, result;

	snprintf(copy, sizeof(copy), "%s", line);
	words[0] = (char *)"pfmon record";
	while (rest && *rest)
		words[count++] = strsep(&rest, " ");
	words[count] = NULL;
	optind = 0;
	result = record_options_parse(count, words, options);
	return result;
}

TEST(by_default_there_are_a_thousand_samples_per_second)
{
	struct record_options options;

	ck_assert_int_eq(parse("app -x --help", &options), 0);
	ck_assert_str_eq(options.command[0], "app");
	ck_assert_str_eq(options.command[2], "--help");
	ck_assert_uint_eq(options.frequency, 1000);
	ck_assert_uint_eq(options.period, 0);
	ck_assert_uint_eq(options.format, 0);
	ck_assert_uint_eq(options.buffer, 0);
	ck_assert_uint_eq(options.targets.threads.count, 0);
	ck_assert_str_eq(options.output, "pfmon.data");
	ck_assert(options.is_traced && !options.is_quiet && !options.is_verbose);
	ck_assert(options.is_inherited);
	record_options_free(&options);
}

TEST(every_option_is_accepted)
{
	struct record_options options;

	ck_assert_int_eq(
		parse("-e a,b -e c -c 12345 --format hist --random 0xff0 "
		      "--buffer 64k --pmu soft -o file -t 3,5 -t 4 -q -v --no-ptrace --no-inherit --per-thread -- -x",
		      &options),
		0);
	ck_assert_uint_eq(options.events.count, 2);
	ck_assert_str_eq(options.events.texts[0], "a,b");
	ck_assert_uint_eq(options.period, 12345);
	ck_assert_uint_eq(options.frequency, 0);
	ck_assert_int_eq(options.format, DATA_FORMAT_HIST);
	ck_assert_uint_eq(options.random_mask, 0xff0);
	ck_assert_uint_eq(options.buffer, 65536);
	ck_assert_str_eq(options.pmu, "soft");
	ck_assert_str_eq(options.output, "file");
	ck_assert_uint_eq(options.targets.threads.count, 3);
	ck_assert_int_eq(options.targets.threads.ids[0], 3);
	ck_assert_int_eq(options.targets.threads.ids[1], 5);
	ck_assert_int_eq(options.targets.threads.ids[2], 4);
	ck_assert(!options.is_traced && options.is_quiet && options.is_verbose);
	ck_assert(!options.is_inherited);
	ck_assert(options.is_per_thread);
	ck_assert_str_eq(options.command[0], "-x");
	record_options_free(&options);
}

TEST(processes_can_be_recorded)
{
	struct record_options options;

	ck_assert_int_eq(parse("-p 3,5 -p 4", &options), 0);
	ck_assert_uint_eq(options.targets.processes.count, 3);
	ck_assert_int_eq(options.targets.processes.ids[2], 4);
	ck_assert_uint_eq(options.targets.threads.count, 0);
	ck_assert_ptr_null(options.command);
	record_options_free(&options);
}

TEST(call_chains_use_format_callchain)
{
	struct record_options options;

	ck_assert_int_eq(parse("-g app", &options), 0);
	ck_assert_int_eq(options.format, DATA_FORMAT_CALLCHAIN);
	ck_assert_int_eq(parse("--format callchain -g app", &options), 0);
	ck_assert_int_eq(options.format, DATA_FORMAT_CALLCHAIN);
	ck_assert_int_eq(parse("--format nway --format default app", &options), 0);
	ck_assert_int_eq(options.format, DATA_FORMAT_DEFAULT);
}

TEST(numbers_can_have_units_and_hexadecimal_digits)
{
	static const struct {
		const char *line;
		uint64_t buffer;
		uint64_t mask;
		uint64_t frequency;
	} cases[] = {
		{ "app", 0, 0, 1000 },
		{ "--buffer 4096 app", 4096, 0, 1000 },
		{ "--buffer 4K app", 4096, 0, 1000 },
		{ "--buffer 1M --random 255 app", 1 << 20, 255, 1000 },
		{ "--buffer 1G --random 0xFF app", 1 << 30, 255, 1000 },
		{ "-F 100000 app", 0, 0, 100000 },
		{ "-F 1 app", 0, 0, 1 },
	};
	struct record_options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(!parse(cases[i].line, &options), "%s", cases[i].line);
		ck_assert_uint_eq(options.buffer, cases[i].buffer);
		ck_assert_uint_eq(options.random_mask, cases[i].mask);
		ck_assert_uint_eq(options.frequency, cases[i].frequency);
	}
}

TEST(invalid_options_are_refused)
{
	static const char *const lines[] = {
		"",
		"-c 0 app",
		"-c -5 app",
		"-c 1x app",
		"-c 4611686018427387905 app",
		"-F 0 app",
		"-F 100001 app",
		"-F 99999999999999999999999 app",
		"-c 1000 -F 1000 app",
		"-g --format nway app",
		"--format fancy app",
		"--random 0 app",
		"--random ff app",
		"--random 0xffffffffffffffff app",
		"--buffer 4095 app",
		"--buffer 3k app",
		"--buffer 2G app",
		"--buffer 18446744073709551616k app",
		"--buffer 1T app",
		"--buffer 1kk app",
		"-t 0",
		"-t 1,,2",
		"-t 7,8,7",
		"-t 2147483648",
		"-p 0",
		"-p 1 -t 2",
		"-p 1 -a",
		"-p 1 -C 0",
		"--per-thread -a",
		"--per-thread -C 0 app",
		"--per-thread --format hist app",
		"--per-thread --format hist -p 1",
		"--no-such app",
		"-e",
	};
	struct record_options options;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_msg(parse(lines[i], &options) == -1, "'%s'", lines[i]);
		record_options_free(&options);
	}
	ck_assert_int_eq(parse("-h", &options), 1);
}

/*
 * The argument for a format must describe a buffer that is not larger than requested. Each buffer
 * begins with a header of 128 bytes. An nway buffer also has a structure of 32 bytes for each
 * region, and each entry of a hist buffer has 32 bytes.
 */
TEST(arguments_of_formats_fit_the_buffer)
{
	union sampling_argument argument;

	for (uint64_t size = RECORD_BUFFER_LEAST; size <= RECORD_BUFFER_MOST;
	     size += size / 7) {
		sampling_format_argument(DATA_FORMAT_DEFAULT, size, false, &argument);
		ck_assert_uint_eq(argument.linear.buf_size, size);
		sampling_format_argument(DATA_FORMAT_CALLCHAIN, size, false, &argument);
		ck_assert_uint_eq(argument.callchain.buf_size, size);

		sampling_format_argument(DATA_FORMAT_NWAY, size, false, &argument);
		ck_assert_uint_eq(argument.nway.region_size % 8, 0);
		ck_assert_uint_ge(argument.nway.regions, 2);
		ck_assert_uint_ge(argument.nway.region_size, 900);
		ck_assert_uint_le(128 + argument.nway.regions *
						  (32 + argument.nway.region_size),
				  size);
		ck_assert_uint_gt(128 + argument.nway.regions *
						  (40 + argument.nway.region_size),
				  size);

		sampling_format_argument(DATA_FORMAT_HIST, size, false, &argument);
		ck_assert_uint_eq(argument.hist.entries & (argument.hist.entries - 1), 0);
		ck_assert_uint_ge(argument.hist.entries, 16);
		ck_assert_uint_le(128 + 32ull * argument.hist.entries, size);
		ck_assert(128 + 64ull * argument.hist.entries > size ||
			  argument.hist.entries == PFM_HIST_MAX_ENTRIES);
	}
}

TEST(formats_are_found_by_name)
{
	static const char *const names[] = { "default", "nway", "callchain", "hist" };

	for (size_t i = 0; i < 4; i++)
		ck_assert_str_eq(sampling_format_name(sampling_format_find(names[i])),
				 names[i]);
	ck_assert_int_eq(sampling_format_find("nwa"), 0);
	ck_assert_int_eq(sampling_format_find(""), 0);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

TEST(an_older_recording_is_renamed_and_no_other_file_is_touched)
{
	char folder[] = "/tmp/record-XXXXXX";
	struct stat status;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(output_prepare("data"), 0);
	write_file("data", "", 0);
	ck_assert_int_eq(output_prepare("data"), 0);
	ck_assert_int_eq(stat("data.old", &status), -1);

	write_file("data", DATA_MAGIC "\0rest", 12);
	ck_assert_int_eq(output_prepare("data"), 0);
	ck_assert_int_eq(stat("data", &status), -1);
	ck_assert_int_eq(stat("data.old", &status), 0);
	ck_assert_int_eq(status.st_size, 12);

	write_file("data", "PFMDAT", 6);
	ck_assert_int_eq(output_prepare("data"), -1);
	ck_assert_int_eq(stat("data", &status), 0);
	ck_assert_int_eq(output_prepare("."), -1);
	ck_assert_int_eq(output_prepare("/dev/null"), -1);
	unlink("data");
	unlink("data.old");
	rmdir(folder);
}

TEST(sizes_have_two_or_three_digits)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 bytes" },	  { 999, "999 bytes" },
		{ 1000, "1.0 kB" },	  { 9949, "9.9 kB" },
		{ 9951, "10 kB" },	  { 592123, "592 kB" },
		{ 999600, "1.0 MB" },	  { 12345678, "12 MB" },
		{ 5000000000, "5.0 GB" }, { UINT64_MAX, "18446744 TB" },
	};
	char text[SIZE_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(size_text(cases[i].bytes, text), cases[i].text);
}

TEST(a_recording_can_have_several_files)
{
	struct record_options options;

	ck_assert_int_eq(parse("--switch-output 100M --switch-max-files 5 -a", &options),
			 0);
	ck_assert_uint_eq(options.rotation.size, 100u << 20);
	ck_assert_uint_eq(options.rotation.time, 0);
	ck_assert_uint_eq(options.rotation.most, 5);
	ck_assert(options.targets.is_whole_machine && options.targets.cpus.count);
	record_options_free(&options);
	ck_assert_int_eq(parse("--switch-output 1.5s app", &options), 0);
	ck_assert_uint_eq(options.rotation.size, 0);
	ck_assert_uint_eq(options.rotation.time, 1500000000);
	record_options_free(&options);
}

TEST(a_file_ends_at_its_size_or_age)
{
	const struct rotation never = { 0 }, by_size = { .size = 100 },
			      by_time = { .time = 100 };

	ck_assert(!rotation_is_due(&never, UINT64_MAX, UINT64_MAX));
	ck_assert(!rotation_is_due(&by_size, 99, UINT64_MAX));
	ck_assert(rotation_is_due(&by_size, 100, 0));
	ck_assert(!rotation_is_due(&by_time, UINT64_MAX, 99));
	ck_assert(rotation_is_due(&by_time, 0, 100));
}

TEST(the_oldest_files_are_removed)
{
	char path[] = "/tmp/rotation.XXXXXX";
	struct rotation rotation = { .most = 1 };
	char *second;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(rotation_keep(&rotation, path), 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	rotation_remove(&rotation);
	ck_assert_uint_eq(rotation.count, 1);
	ck_assert_int_eq(access(rotation.names[0], F_OK), 0);
	/*
	 * rotation_keep() gives the file a name that contains the time in hundredths of a second.
	 * Wait, so that the next file gets another name.
	 */
	usleep(20000);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	ck_assert_int_eq(rotation_keep(&rotation, path), 0);
	second = strdup(rotation.names[1]);
	rotation_remove(&rotation);
	ck_assert_uint_eq(rotation.count, 1);
	ck_assert_uint_eq(rotation.ended, 2);
	ck_assert_str_eq(rotation.names[0], second);
	ck_assert_int_eq(access(second, F_OK), 0);
	unlink(second);
	free(second);
	rotation_free(&rotation);
}
