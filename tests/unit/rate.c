// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests how pfmon adapts sampling periods to a sampling frequency. A period without a random part
 * is the number of events per second, divided by the frequency, unless RATE_MOST requires a longer
 * period.
 */
#include <string.h>

#include "../../tools/pfmon/record/rate.h"
#include "suites.h"

SUITE(rate, 120);

#define SECOND 1000000000ull

static const struct event cycles = { .role = ROLE_CYCLES };
static const struct event misses = { .role = ROLE_CACHE_MISSES };
static const struct event task_clock = { .role = ROLE_TASK_CLOCK, .is_time = true };

TEST(a_fixed_period_does_not_change)
{
	struct rate rate;

	rate_fix(&rate, 12345, 0xff);
	ck_assert_uint_eq(rate.period, 12345);
	ck_assert(!rate_follow(&rate, 1000000 * SECOND, SECOND, false));
	ck_assert_uint_eq(rate.period, 12345);
}

TEST(the_period_of_time_events_is_right_from_the_first_sample_on)
{
	struct rate rate;

	rate_begin(&rate, 1000, 0, &task_clock, &pmu_soft);
	ck_assert_uint_eq(rate.period, 1000000);
	ck_assert(!rate_follow(&rate, 5 * SECOND, SECOND, false));
	rate_begin(&rate, 97, 0, &task_clock, &pmu_soft);
	ck_assert_uint_eq(rate.period, 10309278); /* 10309278.35 */
}

TEST(the_random_part_makes_the_period_longer)
{
	struct rate rate;

	/* The random part is 524287.5 on average. */
	rate_begin(&rate, 1000, 0xfffff, &task_clock, &pmu_soft);
	ck_assert_uint_eq(rate.period, 1000000 - 524288 + 1);
	rate_begin(&rate, 1000, 0xffffff, &task_clock, &pmu_soft);
	ck_assert_uint_eq(rate.period, 1);
}

TEST(the_period_follows_the_events)
{
	struct rate rate;

	rate_begin(&rate, 1000, 0, &cycles, &pmu_armv8);
	/* 3 GHz for 100 ms, then 600 MHz for 100 ms. */
	ck_assert(rate_follow(&rate, 300000000, SECOND / 10, false));
	ck_assert_uint_eq(rate.period, 3000000);
	ck_assert(rate_follow(&rate, 360000000, SECOND / 5, false));
	ck_assert_uint_eq(rate.period, 600000);
}

TEST(a_small_difference_does_not_change_the_period)
{
	struct rate rate;

	rate_begin(&rate, 1000, 0, &cycles, &pmu_armv8);
	ck_assert(rate_follow(&rate, SECOND * 2, SECOND, false));
	ck_assert_uint_eq(rate.period, 2000000);
	ck_assert(!rate_follow(&rate, SECOND * 2 + SECOND * 23 / 10, 2 * SECOND, false));
	ck_assert_uint_eq(rate.period, 2000000);
	ck_assert(rate_follow(&rate, SECOND * 7, 3 * SECOND, false));
	ck_assert_uint_eq(rate.period, 2700000);
}

TEST(a_rate_is_not_computed_from_too_little_time)
{
	struct rate rate;

	rate_begin(&rate, 1000, 0, &cycles, &pmu_armv8);
	ck_assert(!rate_follow(&rate, 4000000, 1000000, false));
	ck_assert(rate_follow(&rate, 80000000, 20000000, false));
	ck_assert_uint_eq(rate.period, 4000000);
}

TEST(without_events_the_period_does_not_change)
{
	struct rate rate;
	uint64_t period;

	rate_begin(&rate, 1000, 0, &misses, &pmu_armv8);
	period = rate.period;
	ck_assert(!rate_follow(&rate, 0, SECOND, false));
	ck_assert_uint_eq(rate.period, period);
	/* The rate is computed from all 2 s, including the first second, which had no events. */
	ck_assert(rate_follow(&rate, 20, 2 * SECOND, false));
	ck_assert_uint_eq(rate.period, 1);
}

TEST(a_period_never_becomes_too_short)
{
	struct rate rate;

	rate_begin(&rate, 1000, 0, &cycles, &pmu_armv8);
	ck_assert(rate_follow(&rate, 3 * SECOND, SECOND, false));
	/*
	 * The thread is nearly idle now, so its period becomes shorter. But even if the thread
	 * becomes as busy as before, the new period gives at most RATE_MOST samples per second.
	 */
	ck_assert(rate_follow(&rate, 3 * SECOND + 1000, 2 * SECOND, false));
	ck_assert_uint_eq(rate.period, 3 * SECOND / RATE_MOST);
}

TEST(missing_samples_do_not_shorten_the_period)
{
	struct rate rate;

	rate_begin(&rate, 1000, 0, &cycles, &pmu_armv8);
	ck_assert(!rate_follow(&rate, SECOND / 2, SECOND, true));
	ck_assert_uint_eq(rate.period, 1000000);
	ck_assert(rate_follow(&rate, SECOND / 2 + 2 * SECOND, 2 * SECOND, true));
	ck_assert_uint_eq(rate.period, 2000000);
}
