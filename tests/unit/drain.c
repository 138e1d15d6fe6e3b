// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that pfmon writes samples from buffers of formats default, nway and callchain to the file.
 */
#include "drain.h"

SUITE(drain, 120);

TEST(nothing_is_taken_before_a_buffer_is_full)
{
	begin(DATA_FORMAT_DEFAULT);
	samples(LINEAR_ROOM - 1);
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 0);
	samples(1);
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 1);
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 0);
	end_of_thread();
	check_all();
}

TEST(a_partial_buffer_is_taken_at_the_end)
{
	begin(DATA_FORMAT_DEFAULT);
	samples(LINEAR_ROOM);
	drain_all(true);
	samples(17);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, LINEAR_ROOM + 17);
}

TEST(a_buffer_that_could_not_be_handed_back_is_not_taken_twice)
{
	begin(DATA_FORMAT_DEFAULT);
	samples(LINEAR_ROOM);
	drain_all(true);
	samples(LINEAR_ROOM);
	drain_all(false);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, 2 * LINEAR_ROOM);
}

TEST(a_full_buffer_whose_message_came_too_late_is_taken_at_the_end)
{
	begin(DATA_FORMAT_DEFAULT);
	samples(LINEAR_ROOM);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, LINEAR_ROOM);
}

/* The file must contain the samples that drain_early() took, even if pfmon is killed after that. */
TEST(samples_in_a_partial_buffer_are_written)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT, DATA_FORMAT_NWAY,
						    DATA_FORMAT_CALLCHAIN };
	struct drain_counts counts;

	for (size_t i = 0; i < 3; i++) {
		begin(formats[i]);
		samples(3);
		ck_assert_int_eq(drain_early(&machine.drain, &machine.writer), 0);
		samples(2);
		ck_assert_int_eq(drain_early(&machine.drain, &machine.writer), 0);
		ck_assert_int_eq(drain_early(&machine.drain, &machine.writer), 0);
		samples(1);
		drain_count(&machine.drain, &counts);
		ck_assert_uint_eq(counts.written, 5);
		ck_assert_uint_eq(counts.waiting, 1);
		ck_assert_uint_eq(counts.produced, 6);
		finish();
		ck_assert_uint_eq(file.count, 5);
		ck_assert_uint_eq(file.records, 2);
	}
}

TEST(an_empty_buffer_leaves_nothing_in_the_file)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT, DATA_FORMAT_NWAY,
						    DATA_FORMAT_CALLCHAIN };

	for (size_t i = 0; i < 3; i++) {
		begin(formats[i]);
		end_of_thread();
		check_all();
		ck_assert_uint_eq(file.records, 0);
	}
}

TEST(call_chains_of_any_length_are_taken)
{
	begin(DATA_FORMAT_CALLCHAIN);
	for (int i = 0; i < 50; i++) {
		while (!machine.is_masked)
			samples(1);
		drain_all(true);
	}
	samples(5);
	end_of_thread();
	check_all();
	ck_assert_uint_gt(file.count, 50 * 15);
}

TEST(regions_are_taken_in_order_around_the_end_of_the_buffer)
{
	begin(DATA_FORMAT_NWAY);
	for (int i = 0; i < 5 * REGIONS; i++) {
		samples(REGION_ROOM * (1 + i % 3));
		drain_all(true);
	}
	samples(3);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(machine.lost, 0);
}

TEST(the_last_region_is_not_that_of_an_earlier_use)
{
	begin(DATA_FORMAT_NWAY);
	/*
	 * Fill each region once. drain_all() writes the samples to the file and hands the regions
	 * back, but the regions still contain the samples. end_of_thread() must not write these
	 * samples to the file again.
	 */
	samples(REGION_ROOM * REGIONS);
	drain_all(true);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, REGION_ROOM * REGIONS);
}

TEST(all_full_regions_are_taken_and_lost_samples_are_counted)
{
	begin(DATA_FORMAT_NWAY);
	samples(REGION_ROOM * REGIONS + 23);
	ck_assert_uint_eq(machine.lost, 23);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, REGION_ROOM * REGIONS);
}

TEST(regions_that_could_not_be_handed_back_are_not_taken_twice)
{
	begin(DATA_FORMAT_NWAY);
	samples(REGION_ROOM * 2 + 3);
	drain_all(false);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, REGION_ROOM * 2 + 3);
}

TEST(regions_are_handed_back_when_that_is_possible_again)
{
	begin(DATA_FORMAT_NWAY);
	samples(REGION_ROOM * REGIONS);
	drain_all(false);
	for (int i = 0; i < REGIONS; i++) {
		ck_assert(drain_is_owed(&machine.drain));
		ck_assert(restart(true));
		drain_handed_back(&machine.drain);
	}
	ck_assert(!drain_is_owed(&machine.drain));
	samples(REGION_ROOM + 3);
	drain_all(true);
	ck_assert(!drain_is_owed(&machine.drain));
	end_of_thread();
	check_all();
	ck_assert_uint_eq(machine.lost, 0);
}

TEST(a_buffer_is_handed_back_when_that_is_possible_again)
{
	begin(DATA_FORMAT_DEFAULT);
	samples(LINEAR_ROOM);
	drain_all(false);
	ck_assert(drain_is_owed(&machine.drain));
	ck_assert(restart(true));
	drain_handed_back(&machine.drain);
	ck_assert(!drain_is_owed(&machine.drain));
	samples(3);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(machine.lost, 0);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/*
 * The test calls samples(), drain_all() and drain_early() in random order. The thread ends at a
 * random time.
 */
TEST(in_any_order_each_sample_is_taken_once)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT, DATA_FORMAT_NWAY,
						    DATA_FORMAT_CALLCHAIN };
	uint32_t state = 1;

	for (unsigned int round = 0; round < 600; round++) {
		begin(formats[round % 3]);
		for (uint32_t i = next_random(&state) % 60; i; i--) {
			samples(next_random(&state) % 60);
			if (next_random(&state) % 3)
				drain_all(true);
			if (next_random(&state) % 3 == 0)
				ck_assert_int_eq(
					drain_early(&machine.drain, &machine.writer), 0);
		}
		if (next_random(&state) % 2)
			drain_all(false);
		end_of_thread();
		check_all();
	}
}

static void check_tally(void)
{
	struct tally tally;

	drain_tally(&machine.drain, &tally);
	ck_assert_uint_eq(tally.events[PMD], (machine.next - machine.lost) * PERIOD);
	ck_assert_uint_eq(tally.newest, 5000 + machine.next - 1);
}

/*
 * struct tally contains the sum of the samples' periods and the time of the last sample. Both must
 * always be correct, even if pfmon has written a full buffer to the file but has not yet handed the
 * buffer back.
 */
TEST(the_tally_includes_all_samples)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT, DATA_FORMAT_NWAY,
						    DATA_FORMAT_CALLCHAIN };

	for (size_t i = 0; i < 3; i++) {
		begin(formats[i]);
		for (unsigned int count = 0; count < 60; count++) {
			samples(7);
			check_tally();
			if (count % 3 == 0) {
				ck_assert_int_eq(
					drain_early(&machine.drain, &machine.writer), 0);
				check_tally();
			}
			if (drain_full(&machine.drain, &machine.writer) != 1)
				continue;
			check_tally();
			ck_assert(restart(true));
			drain_handed_back(&machine.drain);
			check_tally();
		}
		end_of_thread();
		check_tally();
		check_all();
	}
}
