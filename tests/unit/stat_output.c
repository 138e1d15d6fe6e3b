// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the means, scaled counts and errors of pfmon stat, and their output as table, CSV and JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include <perfmon/perfmon.h>

#include "../../tools/pfmon/common/text.h"
#include "../../tools/pfmon/stat/stat_csv.h"
#include "../../tools/pfmon/stat/stat_json.h"
#include "../../tools/pfmon/stat/stat_table.h"
#include "suites.h"

SUITE(stat_output, 120);

/* Cycles, instructions, and CPU time were counted; branches could not be counted. */
static struct event some_events[] = {
	{ .name = "cycles", .role = ROLE_CYCLES, .modes = MODE_BOTH },
	{ .name = "instructions", .role = ROLE_INSTRUCTIONS, .modes = MODE_BOTH },
	{ .name = "task-clock", .role = ROLE_TASK_CLOCK, .is_time = true },
	{ .name = "branches", .state = EVENT_NOT_COUNTED },
};

static const struct event_list events = { .events = some_events, .count = 4 };
static struct machine machine = { .info.pmu_name = "armv8" };
static char *const command[] = { (char *)"app", (char *)"-x", NULL };

/* Make results of @runs runs with 4 values each. A run's CPU time is the value of task-clock. */
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
/*
 * Cycles: the mean is 12, the standard deviation 2, and the standard error 2 / sqrt(3), which is
 * 9.62 % of the mean.
 */
static const uint64_t three_runs[][4] = { { 10, 20, 100, 0 },
					  { 12, 20, 100, 0 },
					  { 14, 20, 100, 0 } };

TEST(counts_are_in_groups_of_three)
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
	char buffer[COUNT_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(count_text(cases[i].value, buffer), cases[i].text);
}

TEST(spread_is_the_standard_error_in_percent_of_the_mean)
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

TEST(a_single_count_keeps_all_of_its_digits)
{
	static const uint64_t large[][4] = { { (1ull << 60) + 1, 0, 0, 0 } };
	struct results results;

	make_results(&results, large, 1);
	ck_assert_uint_eq(results_count(&results, 0), (1ull << 60) + 1);
	results_free(&results);
}

/* Returns the text that stat_csv() writes. The caller frees the text. */
static char *written_csv(const struct results *results, const char *separator)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	stat_csv(file, results, separator);
	fclose(file);
	return text;
}

TEST(csv_has_eight_fields_in_each_line)
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

TEST(csv_of_several_runs_has_means_and_spread)
{
	struct results results;
	char *text;

	make_results(&results, three_runs, 3);
	text = written_csv(&results, ",");
	ck_assert_msg(!strncmp(text, "12,,cycles,9.62%,100,100.00,", 28), "%s", text);
	free(text);
	results_free(&results);
}

TEST(json_is_one_line_with_all_values)
{
	struct results results;
	json_t *object, *event;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	make_results(&results, three_runs, 3);
	ck_assert_int_eq(stat_json(file, &results), 0);
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

TEST(json_accepts_commands_that_are_no_utf8)
{
	static char bad[] = "a\xff";
	static char *const bad_command[] = { bad, NULL };
	struct results results;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	make_results(&results, one_run, 1);
	results.command = bad_command;
	ck_assert_int_eq(stat_json(file, &results), 0);
	fclose(file);
	ck_assert_msg(strstr(text, "[\"a?\"]") != NULL, "%s", text);
	free(text);
	results_free(&results);
}

/*
 * Three sets take turns of 1 ms. The first set was active for 1 ms, the second one for 3 ms, and
 * the third one had no turn. So the first set counted for a quarter of the time. The third event is
 * counted in every set, and the fourth event is counted only in the third set.
 */
static struct event shared_events[] = {
	{ .name = "cycles", .role = ROLE_CYCLES, .modes = MODE_BOTH, .set = 0 },
	{ .name = "instructions",
	  .role = ROLE_INSTRUCTIONS,
	  .modes = MODE_BOTH,
	  .set = 1 },
	{ .name = "task-clock",
	  .role = ROLE_TASK_CLOCK,
	  .is_time = true,
	  .set = EVERY_SET },
	{ .name = "branches", .role = ROLE_BRANCHES, .modes = MODE_BOTH, .set = 2 },
};

static struct event_set turns[] = {
	{ .flags = PFM_SETFL_TIME_SWITCH, .timeout = 1000000 },
	{ .flags = PFM_SETFL_TIME_SWITCH, .timeout = 1000000 },
	{ .flags = PFM_SETFL_TIME_SWITCH, .timeout = 1000000 },
};

static const struct event_list shared = {
	.events = shared_events,
	.count = 4,
	.sets = turns,
	.set_count = 3,
};

static const uint64_t shared_run[][4] = { { 1000000, 9000000, 4000000, 0 } };

static void make_shared(struct results *results, const uint64_t (*values)[4],
			unsigned int runs, const struct event_list *list)
{
	memset(results, 0, sizeof(*results));
	results->machine = &machine;
	results->events = list;
	results->command = command;
	results->is_scaled = list->sets[0].flags == PFM_SETFL_TIME_SWITCH;
	for (unsigned int i = 0; i < runs; i++) {
		struct run *run = results_add_run(results);

		ck_assert_ptr_nonnull(run);
		memcpy(run->values, values[i], sizeof(values[i]));
		run->sets[0] = (struct set_activity){ 2, 1000000 };
		run->sets[1] = (struct set_activity){ 2, 3000000 };
		run->errors[0] = 0.0123;
		run->errors[1] = -1;
		run->runtime = 4000000;
		run->elapsed = 0.004;
	}
}

TEST(counts_are_scaled_by_the_time_of_their_set)
{
	struct results results;

	make_shared(&results, shared_run, 1, &shared);
	ck_assert_uint_eq(results_count(&results, 0), 4000000);
	ck_assert_uint_eq(results_counted(&results, 0), 1000000);
	ck_assert_double_eq_tol(results_fraction(&results, 0), 0.25, 1e-12);
	ck_assert_uint_eq(results_count(&results, 1), 12000000);
	ck_assert_double_eq_tol(results_fraction(&results, 1), 0.75, 1e-12);
	ck_assert_uint_eq(results_count(&results, 2), 4000000);
	ck_assert_double_eq_tol(results_fraction(&results, 2), 1, 1e-12);
	ck_assert_int_eq(results_state(&results, 2), EVENT_COUNTED);
	ck_assert_int_eq(results_state(&results, 3), EVENT_NOT_COUNTED);
	results_free(&results);
}

TEST(csv_of_sets_has_eleven_fields)
{
	struct results results;
	char *text;

	make_shared(&results, shared_run, 1, &shared);
	text = written_csv(&results, ";");
	ck_assert_str_eq(text,
			 "4000000;;cycles;;1000000;25.00;1.000;GHz;1000000;1.23%;0\n"
			 "12000000;;instructions;;3000000;75.00;3.00;insn per cycle;"
			 "9000000;;1\n"
			 "4.000000;msec;task-clock;;4000000;100.00;1.000;CPUs utilized;"
			 "4.000000;;\n"
			 "<not counted>;;branches;;0;0.00;;;;;2\n");
	free(text);
	results_free(&results);
}

/*
 * Check each line of @text that contains @name: @value must be before @name, and @rest after it.
 * At least one line must contain @name.
 */
static void check_line(const char *text, const char *name, const char *value,
		       const char *rest)
{
	char *copy = strdup(text), *next = copy, *line;
	bool is_found = false;

	while ((line = strsep(&next, "\n"))) {
		char *found = strstr(line, name);

		if (!found)
			continue;
		is_found = true;
		ck_assert_msg(strstr(line, value) && strstr(line, value) < found,
			      "no %s before %s in: %s", value, name, line);
		ck_assert_msg(strstr(found, rest) != NULL, "no '%s' in: %s", rest, line);
	}
	ck_assert_msg(is_found, "no %s in: %s", name, text);
	free(copy);
}

static char *written_table(const struct results *results)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	stat_table(file, results);
	fclose(file);
	return text;
}

TEST(lines_of_intervals_begin_with_the_time)
{
	struct results results;
	char *text;

	make_results(&results, one_run, 1);
	results.part.kind = PART_INTERVAL;
	results.part.time = 1.5;
	results.stamp = "1.500000000";
	text = written_csv(&results, ";");
	ck_assert_msg(!strncmp(text, "1.500000000;2000000;;cycles;;", 29), "%s", text);
	ck_assert_msg(strstr(text, "\n1.500000000;<not counted>;;branches;") != NULL,
		      "%s", text);
	free(text);
	text = written_table(&results);
	/* The table of an interval has neither a title nor the times of the whole run. */
	ck_assert_msg(!strncmp(text, "      1.500000000 ", 18), "%s", text);
	check_line(text, "cycles ", "1.500000000          2,000,000", "2.000 GHz");
	ck_assert_msg(strstr(text, "elapsed") == NULL, "%s", text);
	free(text);
	results_free(&results);
}

TEST(json_of_an_interval_has_its_time)
{
	static int ids[] = { 5, 7 };
	static const struct targets targets = { .threads = { ids, 2 } };
	struct results results;
	json_t *object;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	make_results(&results, one_run, 1);
	results.targets = &targets;
	ck_assert_int_eq(stat_json(file, &results), 0);
	results.part.kind = PART_INTERVAL;
	results.part.time = 1.5;
	ck_assert_int_eq(stat_json(file, &results), 0);
	fclose(file);

	object = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	ck_assert_ptr_null(json_object_get(object, "interval"));
	ck_assert_ptr_null(json_object_get(object, "processes"));
	ck_assert_int_eq(
		json_integer_value(json_array_get(json_object_get(object, "threads"), 1)),
		7);
	json_decref(object);
	object = json_loads(strchr(text, '\n'), JSON_DISABLE_EOF_CHECK, NULL);
	ck_assert_double_eq_tol(json_number_value(json_object_get(object, "interval")),
				1.5, 1e-9);
	ck_assert_uint_eq(json_array_size(json_object_get(object, "events")), 4);
	ck_assert_ptr_null(json_object_get(object, "runs"));
	json_decref(object);
	free(text);
	results_free(&results);
}

TEST(the_table_of_sets_has_scaled_and_unscaled_counts)
{
	struct results results;
	char *text;

	make_shared(&results, shared_run, 1, &shared);
	text = written_table(&results);
	ck_assert_msg(strstr(text, "3 event sets in turns of 1 ms") != NULL, "%s", text);
	check_line(text, "cycles ", "4,000,000", "+-  1.23%   25.00%          1,000,000");
	check_line(text, "instructions ", "12,000,000", " 75.00%          9,000,000");
	check_line(text, "task-clock ", "4.00 msec", "100.00%               4.00");
	check_line(text, "branches", "<not counted>", "");
	/*
	 * "3.00 insn per cycle" is a ratio of scaled counts. The error of the instructions is not
	 * known, so the line shows no error.
	 */
	check_line(text, "instructions ", "12,000,000", "3.00  insn per cycle  ");
	free(text);
	results_free(&results);
}

TEST(the_error_of_several_runs_is_their_spread)
{
	static const uint64_t runs[][4] = { { 10, 20, 100, 0 },
					    { 12, 20, 100, 0 },
					    { 14, 20, 100, 0 } };
	struct results results;

	make_shared(&results, runs, 3, &shared);
	ck_assert_uint_eq(results_count(&results, 0), 48);
	ck_assert_uint_eq(results_counted(&results, 0), 12);
	ck_assert_double_eq_tol(results_error(&results, 0), 9.6225045, 1e-6);
	results_free(&results);
}

TEST(the_mean_excludes_runs_without_a_turn)
{
	static const uint64_t runs[][4] = { { 10, 0, 100, 0 }, { 12, 20, 100, 0 } };
	struct results results;

	make_shared(&results, runs, 2, &shared);
	results.runs[0].sets[1].duration = 0;
	results.runs[0].sets[0].duration = 4000000;
	/*
	 * The scaled counts of cycles are 10 and 12 * 4, so the mean is 29. Instructions were
	 * counted only in the second run; their scaled count is 20 * 4 / 3, rounded down.
	 */
	ck_assert_uint_eq(results_count(&results, 0), 29);
	ck_assert_uint_eq(results_count(&results, 1), 26);
	ck_assert_uint_eq(results_counted(&results, 1), 20);
	/* Only one run counted instructions, so the error of their mean cannot be computed. */
	ck_assert_double_gt(results_error(&results, 0), 0);
	ck_assert_double_lt(results_error(&results, 1), 0);
	results_free(&results);
}

/*
 * If the turn of a set ends after a number of events, not after a time, the sets count different
 * parts of the program. So pfmon scales no counts.
 */
TEST(sets_that_end_after_events_are_not_scaled)
{
	static char first_name[] = "first", second_name[] = "second";
	static struct event_set sets[] = {
		{ .name = first_name, .flags = PFM_SETFL_OVFL_SWITCH },
		{ .name = second_name },
	};
	static struct event members[] = {
		{ .name = "cycles", .role = ROLE_CYCLES, .modes = MODE_BOTH },
		{ .name = "ending", .switch_after = 7, .modes = MODE_BOTH },
		{ .name = "instructions",
		  .role = ROLE_INSTRUCTIONS,
		  .modes = MODE_BOTH,
		  .set = 1 },
	};
	static const struct event_list list = {
		.events = members,
		.count = 3,
		.sets = sets,
		.set_count = 2,
	};
	static const uint64_t run[][4] = { { 2000000, 77, 9000000, 0 } };
	struct results results;
	char *text;

	make_shared(&results, run, 1, &list);
	text = written_csv(&results, ",");
	/*
	 * GHz is computed from the time during which the first set was active. Instructions per
	 * cycle are not shown, because the instructions and the cycles were counted at different
	 * times.
	 */
	ck_assert_str_eq(text,
			 "2000000,,cycles,,1000000,25.00,2.000,GHz,2000000,,first\n"
			 "9000000,,instructions,,3000000,75.00,3.000,G/sec,9000000,,"
			 "second\n");
	free(text);
	text = written_table(&results);
	check_line(text, "cycles", "2,000,000", "2.000 GHz");
	check_line(text, "'second'", " set ",
		   "active 2 times, 3.00 msec, 75.00% of all:");
	ck_assert_ptr_null(strstr(text, "ending"));
	free(text);
	results_free(&results);
}

TEST(json_of_sets_has_the_unscaled_counts)
{
	struct results results;
	json_t *object, *event, *sets;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	make_shared(&results, shared_run, 1, &shared);
	ck_assert_int_eq(stat_json(file, &results), 0);
	fclose(file);
	object = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(object);
	ck_assert(json_is_true(json_object_get(object, "scaled")));
	sets = json_object_get(object, "sets");
	ck_assert_uint_eq(json_array_size(sets), 3);
	ck_assert_double_eq(json_number_value(json_object_get(json_array_get(sets, 1),
							      "duration-ns")),
			    3000000);
	event = json_array_get(json_object_get(object, "events"), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(event, "value")), 4000000);
	ck_assert_int_eq(json_integer_value(json_object_get(event, "counted")), 1000000);
	ck_assert_double_eq_tol(json_real_value(json_object_get(event, "error")), 1.23,
				1e-9);
	event = json_array_get(json_object_get(object, "events"), 1);
	ck_assert_ptr_null(json_object_get(event, "error"));
	event = json_array_get(json_object_get(object, "events"), 3);
	ck_assert_str_eq(json_string_value(json_object_get(event, "state")),
			 "not counted");
	ck_assert_ptr_null(json_object_get(event, "value"));
	json_decref(object);
	free(text);
	results_free(&results);
}

TEST(unequal_numbers_of_turns_are_detected)
{
	struct results results;
	uint64_t least, most;
	size_t missed;

	make_shared(&results, shared_run, 1, &shared);
	results_turns(&results, &least, &most, &missed);
	ck_assert_uint_eq(missed, 1);
	results.runs[0].sets[2] = (struct set_activity){ 5, 10 };
	results_turns(&results, &least, &most, &missed);
	ck_assert_uint_eq(missed, 0);
	ck_assert_uint_eq(least, 2);
	ck_assert_uint_eq(most, 5);
	results_free(&results);
}

TEST(times_have_the_unit_that_fits)
{
	static const struct {
		uint64_t time;
		const char *text;
	} cases[] = {
		{ 1, "1 ns" },
		{ 999, "999 ns" },
		{ 250000, "250 us" },
		{ 1500000, "1.5 ms" },
		{ 1000000000, "1 s" },
		{ 1234567, "1.234567 ms" },
		{ 3600000000000, "3600 s" },
	};
	char buffer[TIME_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(time_text(cases[i].time, buffer), cases[i].text);
}
