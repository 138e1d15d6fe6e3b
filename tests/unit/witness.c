// SPDX-License-Identifier: GPL-2.0-only
/* Tests how pfmon record computes the number of counted events that belong to no sample. */
#include "../../tools/pfmon/data/unsampled.h"
#include "../../tools/pfmon/record/witness.h"
#include "suites.h"

SUITE(witness, 120);

static struct data_unsampled compare(uint64_t counted, struct explained explained)
{
	struct data_unsampled record = { 0 };

	witness_compare(&record, counted, &explained);
	ck_assert_uint_eq(record.counted, counted);
	return record;
}

TEST(events_in_periods_of_samples_are_not_missing)
{
	struct data_unsampled record;

	record = compare(10500, (struct explained){ .periods = 10000,
						    .samples = 10,
						    .period = 1000,
						    .rest = 500 });
	ck_assert_uint_eq(record.events, 0);
	ck_assert_uint_eq(record.samples, 0);
	record = compare(15500, (struct explained){ .periods = 10000,
						    .samples = 10,
						    .period = 500,
						    .rest = 500,
						    .dropped = 2000,
						    .lost = 3 });
	ck_assert_uint_eq(record.events, 0);
	record = compare(100, (struct explained){ .periods = 200, .samples = 2 });
	ck_assert_uint_eq(record.events, 0);
}

TEST(events_without_an_explanation_are_missing)
{
	struct data_unsampled record;

	record = compare(329,
			 (struct explained){ .periods = 12, .samples = 12, .period = 1 });
	ck_assert_uint_eq(record.events, 317);
	ck_assert_uint_eq(record.samples, 317);
	ck_assert(unsampled_matters(&record));
	record = compare(20000, (struct explained){ .periods = 10000,
						    .samples = 10,
						    .period = 2000,
						    .lost = 9,
						    .lost_sum = 5000 });
	ck_assert_uint_eq(record.events, 5000);
	ck_assert_uint_eq(record.samples, 5);
}

/*
 * pfmon divides the number of missing events by the mean period of the samples to get the number of
 * missing samples. If there are no samples, it divides by the current period. If the current period
 * is 0, the number of missing samples is 0.
 */
TEST(without_samples_the_current_period_gives_their_number)
{
	struct data_unsampled record =
		compare(5000, (struct explained){ .period = 1000 });

	ck_assert_uint_eq(record.samples, 5);
	record = compare(5000, (struct explained){ .period = 0 });
	ck_assert_uint_eq(record.samples, 0);
}

/*
 * Ten threads have ended, each of them before a period of 1000 events was over. So the ends of
 * threads can explain up to 10,000 missing events. witness_compare() returns the number of missing
 * events that it attributes to the ends of threads.
 */
TEST(events_in_the_last_periods_of_threads_are_told_apart)
{
	struct data_unsampled record;
	struct explained explained = {
		.periods = 20000, .samples = 20, .period = 1000, .cut = 10 * 1000
	};

	ck_assert_uint_eq(witness_compare(&record, 26000, &explained), 6000);
	ck_assert_uint_eq(record.events, 0);
	ck_assert_uint_eq(witness_compare(&record, 33000, &explained), 10000);
	ck_assert_uint_eq(record.events, 3000);
	ck_assert_uint_eq(record.samples, 3);
}

TEST(few_events_after_a_late_interrupt_cause_no_warning)
{
	struct data_unsampled record = compare(
		1000000,
		(struct explained){ .periods = 995000, .samples = 995, .period = 1000 });

	ck_assert_uint_eq(record.samples, 5);
	ck_assert(!unsampled_matters(&record));
	record = compare(1000000, (struct explained){ .periods = 980000,
						      .samples = 980,
						      .period = 1000 });
	ck_assert(unsampled_matters(&record));
}
