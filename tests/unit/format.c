// SPDX-License-Identifier: GPL-2.0-only
/* pfmon: numbers, means and what is written of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include <perfmon/perfmon.h>

#include "../../tools/pfmon/common/format.h"
#include "main.h"

/* Cycles, instructions, and CPU time; one event could not be counted. */
static struct event some_events[] = {
	{ .name = "cycles", .role = ROLE_CYCLES, .modes = MODE_BOTH },
	{ .name = "instructions", .role = ROLE_INSTRUCTIONS, .modes = MODE_BOTH },
	{ .name = "task-clock", .role = ROLE_TASK_CLOCK, .is_time = true },
	{ .name = "branches", .state = EVENT_NOT_COUNTED },
};

static const struct event_list events = { .events = some_events, .count = 4 };
static struct machine machine = { .info.pmu_name = "armv8" };
static char *const command[] = { (char *)"app", (char *)"-x", NULL };

/* Each run is 4 values; the CPU time is that of task-clock. */
static void make_results(struct results *results, const uint64_t (*values)[4],
			 unsigned int runs)
{
	memset(results, 0, sizeof(*results));
	results->machine = &machine;
	results->events = &events;
	results->command = command;
	results->has_usage = true;
	for (unsigned int i = 0; i < runs; i++) {
		struct run *run = results_add_run(results);

		ck_assert_ptr_nonnull(run);
		memcpy(run->values, values[i], sizeof(values[i]));
		run->runtime = values[i][2];
		run->elapsed = 0.5;
	}
}

static const uint64_t one_run[][4] = { { 2000000, 3000000, 1000000, 0 } };
/* Mean 12, standard deviation 2, of the mean 2 / sqrt(3): 9.62 % */
static const uint64_t three_runs[][4] = { { 10, 20, 100, 0 },
					  { 12, 20, 100, 0 },
					  { 14, 20, 100, 0 } };

START_TEST(counts_are_in_groups_of_three)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 123456, "123,456" },
		{ 200000000, "200,000,000" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};
	char buffer[COUNT_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(format_count(cases[i].value, buffer), cases[i].text);
}
END_TEST

START_TEST(spread_is_the_standard_error_in_percent_of_the_mean)
{
	struct results results;
	struct figure figure;

	make_results(&results, three_runs, 3);
	figure = results_value(&results, 0);
	ck_assert_double_eq_tol(figure.mean, 12, 1e-9);
	ck_assert_double_eq_tol(figure.error, 1.1547005, 1e-6);
	ck_assert_double_eq_tol(figure_spread(&figure), 9.6225045, 1e-6);
	figure = results_value(&results, 1);
	ck_assert_double_eq_tol(figure_spread(&figure), 0, 1e-9);
	results_free(&results);
}
END_TEST

START_TEST(a_single_count_keeps_all_of_its_digits)
{
	static const uint64_t large[][4] = { { (1ull << 60) + 1, 0, 0, 0 } };
	struct results results;

	make_results(&results, large, 1);
	ck_assert_uint_eq(results_count(&results, 0), (1ull << 60) + 1);
	results_free(&results);
}
END_TEST

/* What @write leaves in a file, to be freed. */
static char *written_csv(const struct results *results, const char *separator)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	format_csv(file, results, separator);
	fclose(file);
	return text;
}

START_TEST(csv_has_eight_fields_in_each_line)
{
	struct results results;
	char *text;

	make_results(&results, one_run, 1);
	text = written_csv(&results, ";");
	ck_assert_str_eq(text,
			 "2000000;;cycles;;1000000;100.00;2.000;GHz\n"
			 "3000000;;instructions;;1000000;100.00;1.50;insn per cycle\n"
			 "1.000000;msec;task-clock;;1000000;100.00;0.002;CPUs utilized\n"
			 "<not counted>;;branches;;0;0.00;;\n");
	free(text);
	results_free(&results);
}
END_TEST

START_TEST(csv_of_several_runs_has_means_and_spread)
{
	struct results results;
	char *text;

	make_results(&results, three_runs, 3);
	text = written_csv(&results, ",");
	ck_assert_msg(!strncmp(text, "12,,cycles,9.62%,100,100.00,", 28), "%s", text);
	free(text);
	results_free(&results);
}
END_TEST

START_TEST(json_is_one_line_with_every_value)
{
	struct results results;
	json_t *object, *event;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	make_results(&results, three_runs, 3);
	ck_assert_int_eq(format_json(file, &results), 0);
	fclose(file);
	ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);

	object = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(object);
	ck_assert_int_eq(json_integer_value(json_object_get(object, "runs")), 3);
	event = json_array_get(json_object_get(object, "events"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(event, "event")), "cycles");
	ck_assert_double_eq_tol(json_number_value(json_object_get(event, "value")), 12,
				1e-9);
	ck_assert_int_eq(
		json_integer_value(json_array_get(json_object_get(event, "values"), 2)),
		14);
	event = json_array_get(json_object_get(object, "events"), 3);
	ck_assert_ptr_null(json_object_get(event, "value"));
	json_decref(object);
	free(text);
	results_free(&results);
}
END_TEST

START_TEST(json_holds_commands_that_are_no_utf8)
{
	static char bad[] = "a\xff";
	static char *const bad_command[] = { bad, NULL };
	struct results results;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	make_results(&results, one_run, 1);
	results.command = bad_command;
	ck_assert_int_eq(format_json(file, &results), 0);
	fclose(file);
	ck_assert_msg(strstr(text, "[\"a?\"]") != NULL, "%s", text);
	free(text);
	results_free(&results);
}
END_TEST

TESTS("format", counts_are_in_groups_of_three,
      spread_is_the_standard_error_in_percent_of_the_mean,
      a_single_count_keeps_all_of_its_digits, csv_has_eight_fields_in_each_line,
      csv_of_several_runs_has_means_and_spread, json_is_one_line_with_every_value,
      json_holds_commands_that_are_no_utf8)
