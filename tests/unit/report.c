// SPDX-License-Identifier: GPL-2.0-only
/* Tests pfmon report and script with samples that have no call chains. */
#include <stdio.h>
#include <string.h>

#include <perfmon/perfmon_hist.h>

#include "report.h"

SUITE(report, 120);

/* Write 750 samples in first_function, 200 in second_function, and 50 elsewhere. */
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

TEST(the_table_sorts_functions_by_samples)
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

TEST(the_table_has_the_columns_of_the_sort_keys)
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

/* The recording has the flag that pfmon record --per-thread sets. */
TEST(each_thread_is_shown_if_the_recording_says_so)
{
	struct library library;
	const char *path;

	synthetic_flags = DATA_PER_THREAD;
	path = write_flat(&library);
	synthetic_flags = 0;
	ck_assert_ptr_nonnull(strstr(report(path, ""), "  Thread            Symbol "));
	ck_assert_ptr_nonnull(
		strstr(report(path, ""), "worker one (101)  second_function"));
	ck_assert_ptr_null(strstr(report(path, "--sort symbol"), "Thread"));
}

TEST(a_program_is_all_threads_of_one_name)
{
	struct library library;
	const char *path = write_flat(&library);
	json_t *object = report_as_json(path, "--sort program");
	const char *output = report(path, "--sort=program --percent-limit 0");

	output = strstr(output, "\n Percent");
	ck_assert_ptr_nonnull(output);
	ck_assert_str_eq(output,
			 "\n"
			 " Percent       Samples                    Program\n"
			 "  75.00%           750  ################  app\n"
			 "  25.00%           250  #####             worker one\n");
	ck_assert_str_eq(text(entry(object, 0, 1), "program"), "worker one");
	ck_assert_int_eq(number(entry(object, 0, 1), "samples"), 250);
	json_decref(object);
}

/* Samples of format hist do not name a CPU, so pfmon shows the CPU of their context. */
TEST(samples_are_sorted_by_cpu_and_program)
{
	const struct data_cpu cpu = { .context = 1, .cpu = 7 };
	const struct pfm_hist_entry table = {
		.tgid = 100, .pmd = CYCLES_PMD, .count = 30, .sum = 30 * PERIOD, .ip = 1
	};
	const char *path = synthetic_path(), *output;
	struct pfm_dfl_smpl_entry sample;
	struct data_writer writer;
	struct library library;
	json_t *object;

	begin(&writer, path, &library);
	for (uint32_t i = 0; i < 70; i++) {
		sample = synthetic_entry(i < 60 ? 100 : 101, 100, CYCLES_PMD, 1, i,
					 PERIOD);
		sample.cpu = i < 40 ? 3 : 12;
		synthetic_samples(&writer, DATA_FORMAT_DEFAULT, 0, 1, &sample,
				  sizeof(sample));
	}
	synthetic_samples(&writer, DATA_FORMAT_HIST, 1, 1, &table, sizeof(table));
	ck_assert_int_eq(data_write_cpu(&writer, &cpu), 0);
	synthetic_end(&writer, 100, 0);
	output = strstr(report(path, "-s cpu,program 2>/dev/null"), "\n Percent");
	ck_assert_ptr_nonnull(output);
	ck_assert_str_eq(output,
			 "\n"
			 " Percent       Samples                    CPU  Program\n"
			 "  40.00%            40  ################  3    app\n"
			 "  30.00%            30  ############      7    worker one\n"
			 "  20.00%            20  ########          12   app\n"
			 "  10.00%            10  ####              12   worker one\n");
	object = report_as_json(path, "-s cpu 2>/dev/null");
	ck_assert_int_eq(number(entry(object, 0, 1), "cpu"), 7);
	json_decref(object);
}

TEST(bars_are_blocks_on_utf8_terminals)
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
	/*
	 * The bar for 75 % is 16 characters long. The bar for 20 % is 4.27 characters long: it
	 * consists of four full blocks and one block that is two eighths wide.
	 */
	bar = strstr(output, "200  \u2588\u2588\u2588\u2588\u258e  ");
	ck_assert_ptr_nonnull(bar);
}

TEST(json_has_the_figures_of_the_table)
{
	struct library library;
	json_t *object = report_as_json(write_flat(&library), "");
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

TEST(threads_are_distinguished)
{
	struct library library;
	json_t *object = report_as_json(write_flat(&library), "-s thread");

	ck_assert_int_eq(number(entry(object, 0, 0), "thread"), 100);
	ck_assert_str_eq(text(entry(object, 0, 0), "name"), "app");
	ck_assert_int_eq(number(entry(object, 0, 0), "samples"), 750);
	ck_assert_int_eq(number(entry(object, 0, 1), "thread"), 101);
	ck_assert_str_eq(text(entry(object, 0, 1), "name"), "worker one");
	ck_assert_int_eq(number(entry(object, 0, 1), "samples"), 250);
	ck_assert_ptr_null(entry(object, 0, 2));
	json_decref(object);
}

/* Half of the samples represent a tenth of the events. */
TEST(samples_are_weighted_by_their_period)
{
	const char *path = synthetic_path();
	struct data_writer writer;
	struct library library;
	json_t *object;

	begin(&writer, path, &library);
	add(&writer, 100, library.first, 100, 1000);
	add(&writer, 100, library.second, 100, 9000);
	synthetic_end(&writer, 200, 0);
	object = report_as_json(path, "");
	ck_assert_str_eq(text(entry(object, 0, 0), "symbol"), "second_function");
	ck_assert_double_eq_tol(percent(entry(object, 0, 0)), 90, 1e-9);
	ck_assert_double_eq_tol(percent(entry(object, 0, 1)), 10, 1e-9);
	ck_assert_int_eq(number(entry(object, 0, 1), "samples"), 100);
	json_decref(object);
	ck_assert_ptr_nonnull(
		strstr(report(path, ""), "200 samples, about 1,000,000 events"));
}

/* Samples of format hist do not name a thread, so pfmon shows the thread of their context. */
TEST(entries_of_hist_count_as_their_samples)
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
	object = report_as_json(path, "--sort thread,symbol");
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

TEST(each_event_has_its_own_profile)
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
	object = report_as_json(path, "");
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
	ck_assert_str_eq(output,
			 "pfmon: the file has 3 events: choose one with -e, for example "
			 "'-e cycles:u'\n");
}
