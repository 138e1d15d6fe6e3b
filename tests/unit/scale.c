// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the scaled counts of pfmon, which are estimates, and the errors of these estimates. All
 * expected figures were computed by hand.
 */
#include "../../tools/pfmon/stat/scale.h"
#include "suites.h"

SUITE(scale, 120);

TEST(a_third_of_the_time_is_scaled_by_three)
{
	ck_assert_uint_eq(scale(1000, 5, 15), 3000);
	ck_assert_uint_eq(scale(1000, 3, 10), 3333);
	ck_assert_uint_eq(scale(0, 3, 10), 0);
}

TEST(a_count_of_the_whole_time_is_unchanged)
{
	ck_assert_uint_eq(scale(UINT64_MAX, 7, 7), UINT64_MAX);
	ck_assert_uint_eq(scale((1ull << 60) + 1, 1000000007, 1000000007),
			  (1ull << 60) + 1);
}

/* The longest time here, 2^63 ns, is 292 years. */
TEST(large_counts_and_times_do_not_wrap)
{
	ck_assert_uint_eq(scale(1ull << 50, 1ull << 40, 1ull << 50), 1ull << 60);
	ck_assert_uint_eq(scale(1ull << 30, 1ull << 62, 1ull << 63), 1ull << 31);
}

static void add_all(struct ratio *ratio, const uint64_t (*increments)[2], size_t count)
{
	*ratio = (struct ratio){ 0 };
	for (size_t i = 0; i < count; i++)
		ratio_add(ratio, increments[i][0], increments[i][1]);
}

/*
 * The counts y are 10, 20, 30 and the times x are 1, 2, 2. So the rate R is 60 / 5 = 12, the
 * residuals y - R x are -2, -4, 6, and the sum of their squares is 56. The event was counted for a
 * quarter of the time T = 20. The variance is 400 * 3/4 * 3/2 * 56 / 25 = 1008, and the estimate is
 * 240.
 */
static const uint64_t three[][2] = { { 10, 1 }, { 20, 2 }, { 30, 2 } };

TEST(the_error_is_that_of_a_ratio_estimate)
{
	struct ratio ratio;
	double error;

	add_all(&ratio, three, 3);
	ck_assert(ratio_error(&ratio, 20, &error));
	ck_assert_double_eq_tol(error, 0.1322875656, 1e-9); /* sqrt(1008) / 240 */
}

/*
 * The counts y are 4, 5, 3, 8 and all times x are 1. So the rate R is 5, and the sum of the squares
 * of y - R x is 1 + 0 + 4 + 9 = 14. With T = 8 the variance is 64 * 1/2 * 4/3 * 14 / 16 = 112/3,
 * and the estimate is 40. The usual formula for a total that is estimated from the mean of a sample
 * gives the same variance: 8^2 (1 - 1/2) (14/3) / 4.
 */
static const uint64_t even[][2] = { { 4, 1 }, { 5, 1 }, { 3, 1 }, { 8, 1 } };

TEST(with_equal_times_the_error_is_that_of_a_mean)
{
	struct ratio ratio;
	double error;

	add_all(&ratio, even, 4);
	ck_assert(ratio_error(&ratio, 8, &error));
	ck_assert_double_eq_tol(error, 0.1527525232, 1e-9); /* sqrt(112 / 3) / 40 */
}

TEST(a_count_of_the_whole_time_has_no_error)
{
	struct ratio ratio;
	double error;

	add_all(&ratio, three, 3);
	ck_assert(ratio_error(&ratio, 5, &error));
	ck_assert_double_eq(error, 0);
	/* If the times x add up to more than the time T, the count is regarded as complete. */
	ck_assert(ratio_error(&ratio, 4, &error));
	ck_assert_double_eq(error, 0);
}

TEST(an_even_rate_has_no_error)
{
	static const uint64_t same[][2] = { { 3000000, 1000 },
					    { 6000000, 2000 },
					    { 1500000, 500 } };
	struct ratio ratio;
	double error;

	add_all(&ratio, same, 3);
	ck_assert(ratio_error(&ratio, 1000000, &error));
	ck_assert_double_eq_tol(error, 0, 1e-12);
}

/*
 * The counts y are 10^12 + d, where d is 0, 1, -1. All times x are 10^6. So the rate R is 10^6, and
 * the sum of the squares of y - R x is 2. The event was counted for a thousandth of the time
 * T = 3 * 10^9. The squares of the counts are about 10^24. If ratio_add() added up such large
 * numbers, the sum of the squares of y - R x, which is only 2, would be lost by rounding. The error
 * is sqrt(0.999 * 3/2 * 2) / (3 * 10^12).
 */
TEST(small_differences_of_large_counts_are_not_lost)
{
	static const uint64_t large[][2] = { { 1000000000000, 1000000 },
					     { 1000000000001, 1000000 },
					     { 999999999999, 1000000 } };
	struct ratio ratio;
	double error;

	add_all(&ratio, large, 3);
	ck_assert(ratio_error(&ratio, 3000000000, &error));
	ck_assert_double_eq_tol(error * 1e12, 0.5770615, 1e-4);
}

TEST(too_few_increments_give_no_error)
{
	struct ratio ratio;
	double error;

	add_all(&ratio, three, 2);
	ck_assert(!ratio_error(&ratio, 20, &error));
	/*
	 * If the thread did not run between two readings, the time of the increment is 0, and
	 * ratio_add() ignores the increment.
	 */
	ratio_add(&ratio, 0, 0);
	ck_assert(!ratio_error(&ratio, 20, &error));
	ratio_add(&ratio, 30, 2);
	ck_assert(ratio_error(&ratio, 20, &error));
}

TEST(a_count_of_zero_has_no_relative_error)
{
	static const uint64_t none[][2] = { { 0, 5 }, { 0, 5 }, { 0, 5 }, { 0, 5 } };
	struct ratio ratio;
	double error;

	add_all(&ratio, none, 4);
	ck_assert(!ratio_error(&ratio, 100, &error));
}
