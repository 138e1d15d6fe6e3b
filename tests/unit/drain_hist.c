// SPDX-License-Identifier: GPL-2.0-only
/* Tests that pfmon takes the entries from the table of format hist and writes them to the file. */
#include <perfmon/perfmon_hist.h>

#include "drain.h"

SUITE(drain_hist, 120);

/*
 * Count a sample in the table entry for address @ip, as the kernel's format does. The sample is
 * lost if the table is full.
 */
static void overflow_hist(uint64_t ip)
{
	struct pfm_hist_hdr *header = (void *)machine.buffer;
	struct pfm_hist_entry *table = (void *)(header + 1);
	uint64_t slot = ip * 7 % HIST_ENTRIES;

	header->produced++;
	for (unsigned int i = 0; i < HIST_ENTRIES; i++) {
		struct pfm_hist_entry *entry = &table[(slot + i) % HIST_ENTRIES];

		if (entry->count && entry->ip != ip)
			continue;
		if (!entry->count)
			header->used++;
		entry->ip = ip;
		entry->pmd = PMD;
		entry->count++;
		entry->sum += PERIOD;
		return;
	}
	header->lost++;
	header->lost_sum += PERIOD;
}

TEST(a_table_is_taken_once_without_its_empty_entries)
{
	struct drain_counts counts;
	struct tally tally;

	begin(DATA_FORMAT_HIST);
	for (uint64_t i = 0; i < 500; i++)
		overflow_hist(i % 20);
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 0);
	drain_tally(&machine.drain, &tally);
	ck_assert_uint_eq(tally.events[PMD], 500 * PERIOD);
	end_of_thread();
	drain_count(&machine.drain, &counts);
	ck_assert_uint_eq(counts.produced, 500);
	ck_assert_uint_eq(counts.written, 500);
	finish();
	ck_assert_uint_eq(file.records, 1);
	ck_assert_uint_eq(file.hist_count, 500);
	ck_assert_uint_eq(file.hist_sum, 500 * PERIOD);
	drain_free(&machine.drain);
}

TEST(the_growth_of_a_table_is_written)
{
	struct drain_counts counts;

	begin(DATA_FORMAT_HIST);
	for (uint64_t i = 0; i < 30; i++) {
		overflow_hist(i % 20);
		overflow_hist(5);
		if (i % 10)
			continue;
		ck_assert_int_eq(drain_early(&machine.drain, &machine.writer), 0);
		drain_count(&machine.drain, &counts);
		ck_assert_uint_eq(counts.written, 2 * (i + 1));
		ck_assert_uint_eq(counts.waiting, 0);
		ck_assert_uint_eq(counts.lost, 0);
	}
	end_of_thread();
	drain_count(&machine.drain, &counts);
	ck_assert_uint_eq(counts.written, 60);
	ck_assert_uint_eq(counts.lost, 0);
	finish();
	ck_assert_uint_eq(file.records, 4);
	ck_assert_uint_eq(file.hist_count, 60);
	ck_assert_uint_eq(file.hist_sum, 60 * PERIOD);
	drain_free(&machine.drain);
}

TEST(samples_lost_by_a_full_table_are_counted)
{
	struct drain_counts counts;

	begin(DATA_FORMAT_HIST);
	for (uint64_t i = 0; i < 2 * HIST_ENTRIES; i++)
		overflow_hist(i);
	end_of_thread();
	drain_count(&machine.drain, &counts);
	ck_assert_uint_eq(counts.produced, 2 * HIST_ENTRIES);
	ck_assert_uint_eq(counts.written, HIST_ENTRIES);
	ck_assert_uint_eq(counts.lost, HIST_ENTRIES);
	ck_assert_uint_eq(counts.lost_sum, HIST_ENTRIES * PERIOD);
	finish();
	drain_free(&machine.drain);
}
