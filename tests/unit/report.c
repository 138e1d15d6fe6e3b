// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon report and script on recordings that are made up: the figures follow from the
 * samples, the functions are those of a library that the dynamic linker says is where.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <jansson.h>

#include "../../tools/pfmon/data/data_write.h"
#include "../../tools/pfmon/data/build_id.h"
#include "../../tools/pfmon/data/data_read.h"
#include "suites.h"
#include "synthetic.h"

SUITE(report, 120);

#define LIBRARY	    FIXTURE "/libfunctions.so"
#define OUTPUT_SIZE 65536
#define PERIOD	    10000

/* Where the functions of the library are in this process, as it is in that of the samples. */
struct library {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t first;
	uint64_t second;
	uint64_t third;
};

static uint64_t address_of(void *handle, const char *name)
{
	void *function = dlsym(handle, name);

	ck_assert_ptr_nonnull(function);
	return (uintptr_t)function;
}

static void load_library(struct library *library)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW);
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024], access[8];

	ck_assert_ptr_nonnull(handle);
	ck_assert_ptr_nonnull(maps);
	library->first = address_of(handle, "first_function");
	library->second = address_of(handle, "second_function");
	library->third = address_of(handle, "third_function");
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64, &library->start,
			   &library->end, access, &library->offset) == 4 &&
		    access[2] == 'x' && library->first >= library->start &&
		    library->first < library->end)
			break;
	fclose(maps);
	ck_assert_uint_ge(library->first, library->start);
	ck_assert_uint_lt(library->third, library->end);
}

/* A recording of process 100 with the library, and "app" without a file at 0x400000. */
static void begin(struct data_writer *writer, const char *path, struct library *library)
{
	struct data_mapping mapping = { .tgid = 100 };
	char build_id[BUILD_ID_SIZE];

	load_library(library);
	ck_assert(build_id_of_file(LIBRARY, build_id));
	mapping.start = library->start;
	mapping.end = library->end;
	mapping.offset = library->offset;
	synthetic_begin(writer, path);
	synthetic_event(writer, "cycles:u", CYCLES_PMD, PERIOD, 0);
	synthetic_thread(writer, 100, 100, 0, "app");
	synthetic_thread(writer, 101, 100, 1, "worker one");
	ck_assert_int_eq(data_write_mapping(writer, &mapping, LIBRARY, build_id), 0);
	synthetic_mapping(writer, 100, 0x400000, 0x500000, 0x1000, "[nothing]");
}

/* @count samples of @tid at @ip, each of @period events. */
static void add(struct data_writer *writer, uint32_t tid, uint64_t ip, unsigned int count,
		uint64_t period)
{
	struct pfm_dfl_smpl_entry entries[1000];

	ck_assert_uint_le(count, 1000);
	for (unsigned int i = 0; i < count; i++)
		entries[i] =
			synthetic_entry(tid, 100, CYCLES_PMD, ip, 1000000 * i, period);
	synthetic_samples(writer, DATA_FORMAT_DEFAULT, tid - 100, count, entries,
			  count * sizeof(entries[0]));
}

#define MAX_FRAMES 8

/* A sample with a call chain; @frames ends with 0. */
static void add_chain(struct data_writer *writer, uint32_t tid, const uint64_t *kernel,
		      const uint64_t *user, unsigned int count)
{
	struct {
		struct pfm_callchain_entry entry;
		uint64_t frames[MAX_FRAMES];
	} chain = {
		.entry.sample = synthetic_entry(
			tid, 100, CYCLES_PMD, kernel[0] ? kernel[0] : user[0], 1, PERIOD),
	};
	uint64_t *next = chain.frames;
	size_t size;

	for (; kernel[chain.entry.kernel_count]; chain.entry.kernel_count++)
		*next++ = kernel[chain.entry.kernel_count];
	for (; user[chain.entry.user_count]; chain.entry.user_count++)
		*next++ = user[chain.entry.user_count];
	size = (size_t)((char *)next - (char *)&chain);
	while (count--)
		synthetic_samples(writer, DATA_FORMAT_CALLCHAIN, tid - 100, 1, &chain,
				  size);
}

/* Run "pfmon @command" and keep what it writes.  Returns the exit status. */
static int pfmon(char output[OUTPUT_SIZE], const char *command)
{
	char line[1024];
	size_t size;
	FILE *pipe;
	int status;

	snprintf(line, sizeof(line), "LC_ALL=C TZ=UTC %s %s", PFMON, command);
	pipe = popen(line, "r");
	ck_assert_ptr_nonnull(pipe);
	size = fread(output, 1, OUTPUT_SIZE - 1, pipe);
	output[size] = '\0';
	status = pclose(pipe);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static const char *report(const char *path, const char *options)
{
	static char output[OUTPUT_SIZE];
	char command[256];

	snprintf(command, sizeof(command), "report -i %s %s", path, options);
	ck_assert_int_eq(pfmon(output, command), 0);
	return output;
}

static json_t *report_json(const char *path, const char *options)
{
	char more[128];
	json_error_t error;
	json_t *object;

	snprintf(more, sizeof(more), "--json %s", options);
	object = json_loads(report(path, more), 0, &error);
	ck_assert_msg(object != NULL, "%s", error.text);
	return object;
}

static json_t *entry(json_t *report, size_t event, size_t index)
{
	json_t *events = json_object_get(report, "events");
	json_t *profile = json_object_get(json_array_get(events, event), "profile");

	return json_array_get(profile, index);
}

static const char *text(json_t *object, const char *name)
{
	const char *value = json_string_value(json_object_get(object, name));

	ck_assert_msg(value != NULL, "no text '%s'", name);
	return value;
}

static json_int_t number(json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	ck_assert_msg(json_is_integer(value), "no number '%s'", name);
	return json_integer_value(value);
}

static double percent(json_t *object)
{
	return json_real_value(json_object_get(object, "percent"));
}

/* 750 samples here, 200 there and 50 elsewhere. */
static const char *write_flat(struct library *library)
{
	const char *path = synthetic_path();
	struct data_writer writer;

	begin(&writer, path, library);
	add(&writer, 100, library->first + 4, 700, PERIOD);
	add(&writer, 101, library->first, 50, PERIOD);
	add(&writer, 101, library->second + 1, 200, PERIOD);
	add(&writer, 100, 0x400040, 46, PERIOD);
	add(&writer, 100, 0x9000, 4, PERIOD);
	synthetic_losses(&writer, 0, 30, 2);
	synthetic_end(&writer, 1000, 30);
	return path;
}

TEST(a_table_has_the_symbols_by_their_samples)
{
	static const char expected[] =
		"\n"
		" Profile of 'app --size 100'\n"
		" recorded 2023-11-14 22:13:20 on Linux 6.1.0-44-amd64, x86_64, PMU soft "
		"(any machine's PMU)\n"
		" 1,000 samples, 30 lost, throttled 2 times; the file is complete\n"
		"\n"
		" cycles:u, one in 10,000: 1,000 samples, about 10,000,000 events\n"
		"\n"
		" Percent       Samples                    Symbol            Object\n"
		"  75.00%           750  ################  first_function    "
		"libfunctions.so\n"
		"  20.00%           200  ####              second_function   "
		"libfunctions.so\n"
		"   4.60%            46  #                 [nothing]+0x1040  [nothing]\n"
		"   0.40%             4                    1 more below 0.5%\n";
	struct library library;

	ck_assert_str_eq(report(write_flat(&library), ""), expected);
}

TEST(a_table_of_threads_and_objects_has_what_was_sorted_by)
{
	static const char expected[] =
		"\n"
		" Percent       Samples                    Thread            Object\n"
		"  70.00%           700  ################  app (100)         "
		"libfunctions.so\n"
		"  25.00%           250  ######            worker one (101)  "
		"libfunctions.so\n"
		"   4.60%            46  #                 app (100)         [nothing]\n"
		"   0.40%             4                    app (100)         [unknown]\n";
	struct library library;
	const char *output =
		report(write_flat(&library), "--sort=thread,object --percent-limit 0");

	output = strstr(output, "\n Percent");
	ck_assert_ptr_nonnull(output);
	ck_assert_str_eq(output, expected);
}

TEST(bars_are_blocks_where_the_terminal_has_them)
{
	struct library library;
	const char *path = write_flat(&library);
	char command[256], output[OUTPUT_SIZE];
	const char *bar;

	snprintf(command, sizeof(command), "report -i %s", path);
	ck_assert_int_eq(pfmon(output, command), 0);
	ck_assert_ptr_null(strstr(output, "\u2588"));
	snprintf(command, sizeof(command),
		 "help >/dev/null; LC_ALL=C.UTF-8 %s report -i %s", PFMON, path);
	ck_assert_int_eq(pfmon(output, command), 0);
	/* 16 characters are 75 %; of 20 % that is 4.27, which is 4 and 2 eighths. */
	bar = strstr(output, "200  \u2588\u2588\u2588\u2588\u258e  ");
	ck_assert_ptr_nonnull(bar);
}

TEST(json_has_the_same_figures)
{
	struct library library;
	json_t *object = report_json(write_flat(&library), "");
	json_t *first = entry(object, 0, 0), *third = entry(object, 0, 2);

	ck_assert_str_eq(text(first, "symbol"), "first_function");
	ck_assert_str_eq(text(first, "object"), LIBRARY);
	ck_assert_int_eq(number(first, "samples"), 750);
	ck_assert_int_eq(number(first, "events"), 7500000);
	ck_assert_double_eq_tol(percent(first), 75, 1e-9);
	ck_assert_ptr_null(json_object_get(first, "callers"));
	ck_assert_str_eq(text(third, "object"), "[nothing]");
	ck_assert_int_eq(number(third, "offset"), 0x1040);
	ck_assert_int_eq(number(entry(object, 0, 3), "address"), 0x9000);
	ck_assert_ptr_null(entry(object, 0, 4));
	ck_assert(json_is_true(json_object_get(object, "complete")));
	ck_assert_int_eq(number(object, "lost"), 30);
	ck_assert_int_eq(number(object, "produced"), 1030);
	ck_assert_int_eq(number(object, "throttled"), 2);
	ck_assert_str_eq(text(object, "kernel"), "6.1.0-44-amd64");
	ck_assert_uint_eq(json_array_size(json_object_get(object, "command")), 3);
	json_decref(object);
}

TEST(threads_are_told_apart)
{
	struct library library;
	json_t *object = report_json(write_flat(&library), "-s thread");

	ck_assert_int_eq(number(entry(object, 0, 0), "thread"), 100);
	ck_assert_str_eq(text(entry(object, 0, 0), "name"), "app");
	ck_assert_int_eq(number(entry(object, 0, 0), "samples"), 750);
	ck_assert_int_eq(number(entry(object, 0, 1), "thread"), 101);
	ck_assert_str_eq(text(entry(object, 0, 1), "name"), "worker one");
	ck_assert_int_eq(number(entry(object, 0, 1), "samples"), 250);
	ck_assert_ptr_null(entry(object, 0, 2));
	json_decref(object);
}

/* Half of the samples stand for a tenth of the events. */
TEST(samples_weigh_as_much_as_their_period)
{
	const char *path = synthetic_path();
	struct data_writer writer;
	struct library library;
	json_t *object;

	begin(&writer, path, &library);
	add(&writer, 100, library.first, 100, 1000);
	add(&writer, 100, library.second, 100, 9000);
	synthetic_end(&writer, 200, 0);
	object = report_json(path, "");
	ck_assert_str_eq(text(entry(object, 0, 0), "symbol"), "second_function");
	ck_assert_double_eq_tol(percent(entry(object, 0, 0)), 90, 1e-9);
	ck_assert_double_eq_tol(percent(entry(object, 0, 1)), 10, 1e-9);
	ck_assert_int_eq(number(entry(object, 0, 1), "samples"), 100);
	json_decref(object);
	ck_assert_ptr_nonnull(
		strstr(report(path, ""), "200 samples, about 1,000,000 events"));
}

/*
 * 6 x first <- second <- third, 3 x first <- third, 1 x kernel <- first: the kernel's
 * address is in no mapping.
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

TEST(callers_are_below_what_they_call)
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
	json_t *object = report_json(write_chains(&library), "-g");
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

/* Two addresses of an object without symbols are one; so is a thread without a name. */
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

/* Each sample's first line, an address a line, an empty line. */
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

/* The table says neither thread nor time: the thread is that of the context. */
TEST(a_table_of_the_kernel_counts_as_its_samples)
{
	const char *path = synthetic_path();
	char output[OUTPUT_SIZE], command[256];
	struct data_writer writer;
	struct library library;
	json_t *object;

	begin(&writer, path, &library);
	synthetic_samples(&writer, DATA_FORMAT_HIST, 1, 2,
			  (struct pfm_hist_entry[]){ { .tgid = 100,
						       .pmd = CYCLES_PMD,
						       .ip = library.first,
						       .count = 30,
						       .sum = 300 },
						     { .tgid = 100,
						       .pmd = CYCLES_PMD,
						       .ip = library.second,
						       .count = 10,
						       .sum = 100 } },
			  2 * sizeof(struct pfm_hist_entry));
	synthetic_end(&writer, 40, 0);
	object = report_json(path, "--sort thread,symbol");
	ck_assert_str_eq(text(entry(object, 0, 0), "name"), "worker one");
	ck_assert_str_eq(text(entry(object, 0, 0), "symbol"), "first_function");
	ck_assert_int_eq(number(entry(object, 0, 0), "samples"), 30);
	ck_assert_double_eq_tol(percent(entry(object, 0, 0)), 75, 1e-9);
	json_decref(object);
	ck_assert_str_eq(report(path, "--folded"), "worker one;first_function 30\n"
						   "worker one;second_function 10\n");
	snprintf(command, sizeof(command), "script -i %s", path);
	ck_assert_int_eq(pfmon(output, command), 0);
	ck_assert_ptr_nonnull(strstr(
		output, "worker one    101 [000]      0.000000:        300 cycles:u"));
}

TEST(each_event_has_a_profile_of_its_own)
{
	const char *path = synthetic_path();
	struct pfm_dfl_smpl_entry fault;
	char output[OUTPUT_SIZE], command[256];
	struct data_writer writer;
	struct library library;
	json_t *object;

	begin(&writer, path, &library);
	synthetic_event(&writer, "page-faults", FAULTS_PMD, 10, 0);
	synthetic_event(&writer, "never", 5, 1000, 0);
	add(&writer, 100, library.first, 30, PERIOD);
	fault = synthetic_entry(100, 100, FAULTS_PMD, library.second, 1, 10);
	synthetic_samples(&writer, DATA_FORMAT_DEFAULT, 0, 1, &fault, sizeof(fault));
	synthetic_end(&writer, 31, 0);
	object = report_json(path, "");
	ck_assert_int_eq(number(entry(object, 0, 0), "samples"), 30);
	ck_assert_str_eq(text(entry(object, 1, 0), "symbol"), "second_function");
	ck_assert_double_eq_tol(percent(entry(object, 1, 0)), 100, 1e-9);
	ck_assert_ptr_null(entry(object, 2, 0));
	json_decref(object);
	ck_assert_ptr_nonnull(
		strstr(report(path, ""), "never, one in 1,000: no samples"));
	ck_assert_str_eq(report(path, "--folded -e page-faults"),
			 "app;second_function 1\n");
	snprintf(command, sizeof(command), "report -i %s --folded 2>&1", path);
	ck_assert_int_eq(pfmon(output, command), 125);
	ck_assert_str_eq(output, "pfmon: the file has 3 events: choose one with -e, as "
				 "'-e cycles:u'\n");
}

/* What is said of a file, and the exit status. */
static void check_words(const char *command, int status, const char *words)
{
	char output[OUTPUT_SIZE];

	ck_assert_int_eq(pfmon(output, command), status);
	ck_assert_msg(strstr(output, words) != NULL, "%s: '%s' is not in '%s'", command,
		      words, output);
}

TEST(what_is_no_recording_is_refused_in_a_sentence)
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
		  "version 2.3 of the format, this pfmon reads version 1" },
		{ "report extra 2>&1", "takes no arguments" },
		{ "script extra 2>&1", "takes no arguments" },
		{ "report --sort=size 2>&1", "cannot sort by 'size'" },
		{ "report --percent-limit=much 2>&1", "'much' is not a limit" },
		{ "report --percent-limit=nan 2>&1", "'nan' is not a limit" },
		{ "report --folded --json 2>&1", "exclude each other" },
		{ "report --wrong 2>&1", "there is no option '--wrong'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_words(cases[i].command, 125, cases[i].words);
}

TEST(what_is_missing_is_told)
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

/* What was throttled was not sampled, and nobody knows how much that was. */
TEST(none_lost_is_not_said_of_what_was_throttled)
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

TEST(all_threads_of_a_recording_are_named)
{
	static const int tids[] = { 11, 12, 13 };
	const char *path = synthetic_path();
	struct data_writer writer;
	char command[256];

	ck_assert_int_eq(data_create(&writer, path), 0);
	ck_assert_int_eq(data_write_command(&writer, NULL, tids, 3), 0);
	synthetic_end(&writer, 0, 0);
	snprintf(command, sizeof(command), "report -i %s 2>&1", path);
	check_words(command, 0, "\n Profile of threads 11,12,13\n");
}

TEST(a_recording_that_could_not_go_on_says_so)
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
