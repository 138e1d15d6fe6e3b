// SPDX-License-Identifier: GPL-2.0-only
/* Tests level 1 of the top-down method in pfmon stat. The expected values were computed by hand. */
#include <string.h>

#include "../../tools/pfmon/stat/metrics.h"
#include "suites.h"

SUITE(topdown, 120);

#define MOST 6

/*
 * four_wide is a model with four slots per cycle, but without an event that counts slots.
 * counts_slots is a model with such an event.
 */
static const struct pmu four_wide = { .name = "intel", .slots_per_cycle = 4 };
static const struct pmu counts_slots = { .name = "intel" };

static struct machine machine;
static struct event events[MOST];
static struct event_list list = { .events = events };
static struct results results;

static void begin(const struct pmu *pmu)
{
	machine.pmu = pmu;
	list.count = 0;
	results = (struct results){ .machine = &machine, .events = &list };
}

static void add(enum event_role role, unsigned int modes)
{
	static char name[] = "event";

	ck_assert_uint_lt(list.count, MOST);
	events[list.count++] = (struct event){
		.name = name,
		.role = role,
		.modes = modes,
		.needs_counter = true,
	};
}

static void count(const uint64_t *values)
{
	struct run *run = results_add_run(&results);

	ck_assert_ptr_nonnull(run);
	memcpy(run->values, values, list.count * sizeof(*values));
	run->runtime = 1000000000;
	run->elapsed = 1;
}

static void check(size_t event, double value, const char *unit)
{
	struct metric metric = results_metric(&results, event);

	ck_assert_str_eq(metric.unit, unit);
	ck_assert_double_eq_tol(metric.value, value, 1e-9);
}

static void add_four_wide(unsigned int modes)
{
	add(ROLE_CYCLES, modes);
	add(ROLE_SLOTS_ISSUED, modes);
	add(ROLE_SLOTS_RETIRED, modes);
	add(ROLE_SLOTS_UNFILLED, modes);
	add(ROLE_RECOVERY, modes);
}

/*
 * 1000 cycles have 4000 slots. 1200 slots were issued, and 1000 of them retired, so 200 were wasted
 * by bad speculation. 50 cycles of recovery cost another 200 slots. 600 slots were unfilled: they
 * are frontend bound. The other 2000 slots are backend bound.
 */
static const uint64_t four_wide_counts[] = { 1000, 1200, 1000, 600, 50 };

TEST(models_that_count_no_slots_have_four_per_cycle)
{
	begin(&four_wide);
	add_four_wide(MODE_USER);
	count(four_wide_counts);
	check(1, 50, "% backend bound");
	check(2, 25, "% retiring");
	check(3, 15, "% frontend bound");
	check(4, 10, "% bad speculation");
	results_free(&results);
}

/*
 * Of 2000 slots, 500 retired, 300 were unfilled, and 1000 were stalled. The other 200 slots were
 * wasted by bad speculation.
 */
TEST(the_four_parts_add_up_to_the_counted_slots)
{
	static const uint64_t counts[] = { 2000, 500, 300, 1000 };

	begin(&counts_slots);
	add(ROLE_SLOTS, MODE_USER);
	add(ROLE_SLOTS_RETIRED, MODE_USER);
	add(ROLE_SLOTS_UNFILLED, MODE_USER);
	add(ROLE_SLOTS_STALLED, MODE_USER);
	count(counts);
	check(0, 10, "% bad speculation");
	check(1, 25, "% retiring");
	check(2, 15, "% frontend bound");
	check(3, 50, "% backend bound");
	results_free(&results);
}

TEST(a_count_of_0_is_no_missing_event)
{
	static const uint64_t counts[] = { 1000, 1000, 1000, 0, 0 };

	begin(&four_wide);
	add_four_wide(MODE_BOTH);
	count(counts);
	check(1, 75, "% backend bound");
	check(2, 25, "% retiring");
	check(3, 0, "% frontend bound");
	check(4, 0, "% bad speculation");
	results_free(&results);
}

/*
 * An event's comment may be computed from the counts of several events. If one of these counts is
 * missing, the comment shows the rate of the event instead.
 */
TEST(a_missing_part_leaves_the_rate_as_comment)
{
	static const uint64_t counts[] = { 1000, 1200, 1000 };

	begin(&four_wide);
	add(ROLE_CYCLES, MODE_USER);
	add(ROLE_SLOTS_ISSUED, MODE_USER);
	add(ROLE_SLOTS_RETIRED, MODE_USER);
	count(counts);
	check(1, 1.2, "K/sec");
	check(2, 25, "% retiring");
	results_free(&results);
}

TEST(slots_of_unknown_width_are_not_computed)
{
	begin(&counts_slots);
	add_four_wide(MODE_USER);
	count(four_wide_counts);
	for (size_t i = 1; i < list.count; i++)
		ck_assert_ptr_null(strchr(results_metric(&results, i).unit, '%'));
	results_free(&results);
}

TEST(cycles_of_other_levels_are_not_used)
{
	begin(&four_wide);
	add(ROLE_CYCLES, MODE_KERNEL);
	add(ROLE_SLOTS_RETIRED, MODE_USER);
	count(four_wide_counts);
	check(1, 1.2, "K/sec");
	results_free(&results);
}
