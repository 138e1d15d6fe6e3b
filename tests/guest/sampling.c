// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periods and samples: perfmon-api.md 1.9, 1.10, 3.5 and 4.1 to 4.3, with the format
 * "default" as the witness.
 *
 * Where the events of a PMU can be counted to the last (samples.h), each sample is
 * compared with a counter of the same event that is never reset.
 */
#include <stdio.h>
#include <time.h>
#include <perfmon/perfmon_power.h>

#include "samples.h"

#define NO_INDEX	    PFM_NO_INDEX
#define MILLION		    1000000ull
#define MIB		    (1ul << 20)

#define INSTRUCTIONS_1_TO_4 0x02ull /* PM_INST_CMPL of POWER */

/* Own thread: until the buffer has so many entries. */
static void fill_to(header_t header, uint64_t entries)
{
	while (header->hdr_count < entries)
		sampled_loop(10000);
}

static struct pfarg_pmd read_back(int fd, unsigned int n)
{
	struct pfarg_pmd pmd = { .reg_num = n };

	must(fd, pfm_read_pmds(fd, &pmd, 1));
	return pmd;
}

/* ---- what a period is ---------------------------------------------------------------- */

/* Three different ones: to begin with, after a sample, after a restart. */
START_TEST(the_first_the_short_and_the_long_period_follow_one_another)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	uint64_t most = entries_until_full(4096, 0), i;
	header_t header;
	entry_t entry;
	int fd, turn;

	need_overflow_interrupts();
	fd = default_context(0, 4096);
	header = map_buffer(fd, 4096);
	program_busy(fd, 1);
	pmd.reg_short_reset = -(PERIOD + 1);
	pmd.reg_long_reset = -(PERIOD + 2);
	write_one(fd, pmd);
	ck_assert_uint_eq(read_back(fd, pmd.reg_num).reg_last_reset_val, -PERIOD);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 3; turn++) {
		spin_until_message(fd);
		must_be_whole(header, 0);
		ck_assert_uint_eq(header->hdr_count, most);
		entry = first_entry(header);
		ck_assert_uint_eq(entry->last_reset_val,
				  turn ? pmd.reg_long_reset : pmd.reg_value);
		for (i = 1; i < most; i++)
			ck_assert_uint_eq(entry[i].last_reset_val, pmd.reg_short_reset);
		/* The overflow that filled it resets nothing before the restart. */
		ck_assert_uint_eq(read_back(fd, pmd.reg_num).reg_last_reset_val,
				  pmd.reg_short_reset);
		ck_assert_int_ge((int64_t)read_pmd(fd, pmd.reg_num), 0);
		next_overflow(fd);
		must(fd, pfm_stop(fd));
		must(fd, pfm_restart(fd));
		ck_assert_uint_eq(read_back(fd, pmd.reg_num).reg_last_reset_val,
				  pmd.reg_long_reset);
		must(fd, pfm_start(fd, NULL));
	}
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* Reset values are told by no read. */
START_TEST(a_read_tells_no_reset_values)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD), back;
	int fd = make_context();

	pmd.reg_random_mask = 0xff;
	add_to(pmd.reg_reset_pmds, PFM_PMD_TASK_CLOCK);
	add_to(pmd.reg_smpl_pmds, PFM_PMD_TASK_CLOCK);
	write_one(fd, pmd);
	back = read_back(fd, pmd.reg_num);
	ck_assert_uint_eq(back.reg_long_reset, 0);
	ck_assert_uint_eq(back.reg_short_reset, 0);
	ck_assert_uint_eq(back.reg_random_mask, 0);
	ck_assert_uint_eq(back.reg_reset_pmds[4], 0);
	ck_assert_uint_eq(back.reg_smpl_pmds[4], 0);
}
END_TEST

/* ---- other PMDs ------------------------------------------------------------------------ */

/* Counter 0 is busy, counters 1 and 2 stand still. */
static void program_quietly(int fd)
{
	write_pmc(fd, pmu()->pmcs[0], pmu()->busy[0]);
	write_pmc(fd, pmu()->pmcs[1], pmu()->quiet[1]);
}

static void write_resettable(int fd, unsigned int n, uint64_t value)
{
	write_one(fd, (struct pfarg_pmd){ .reg_num = n,
					  .reg_value = value,
					  .reg_short_reset = 1000,
					  .reg_long_reset = 2000 });
}

/* Each its own values, virtual PMDs too; who is not listed goes on. */
START_TEST(pmds_to_be_reset_get_their_own_values)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	const unsigned int listed = pmu()->pmds[1], other = pmu()->pmds[2];
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_quietly(fd);
	write_resettable(fd, listed, 5);
	write_resettable(fd, other, 77);
	write_resettable(fd, PFM_PMD_MAJOR_FAULTS, 5);
	write_resettable(fd, PFM_PMD_CPU_MIGRATIONS, BIT(40));
	add_to(pmd.reg_reset_pmds, listed);
	add_to(pmd.reg_reset_pmds, PFM_PMD_MAJOR_FAULTS);
	write_one(fd, pmd);
	pin(0);
	load_and_start(fd, thread_id());
	fill_to(header, 1);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, listed), 1000);
	ck_assert_uint_eq(read_pmd(fd, other), 77);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_MAJOR_FAULTS), 1000);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_CPU_MIGRATIONS), BIT(40));
	ck_assert_uint_eq(read_back(fd, listed).reg_last_reset_val, 1000);
	ck_assert_uint_eq(read_back(fd, other).reg_last_reset_val, 77);
	ck_assert_uint_eq(read_back(fd, PFM_PMD_MAJOR_FAULTS).reg_last_reset_val, 1000);
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

START_TEST(at_a_restart_pmds_to_be_reset_get_their_long_values)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	const unsigned int listed = pmu()->pmds[1], other = pmu()->pmds[2];
	int fd;

	need_overflow_interrupts();
	fd = make_context();
	program_quietly(fd);
	write_resettable(fd, listed, 5);
	write_resettable(fd, other, 77);
	write_resettable(fd, PFM_PMD_MAJOR_FAULTS, 5);
	add_to(pmd.reg_reset_pmds, listed);
	add_to(pmd.reg_reset_pmds, pmd.reg_num); /* makes no difference */
	add_to(pmd.reg_reset_pmds, PFM_PMD_MAJOR_FAULTS);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	spin_until_message(fd);
	/* Without a format nothing is reset at once. */
	ck_assert_uint_eq(read_pmd(fd, listed), 5);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_MAJOR_FAULTS), 5);
	must(fd, pfm_stop(fd));
	must(fd, pfm_restart(fd));
	ck_assert_uint_eq(read_pmd(fd, listed), 2000);
	ck_assert_uint_eq(read_pmd(fd, other), 77);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_MAJOR_FAULTS), 2000);
	ck_assert_uint_eq(read_pmd(fd, pmd.reg_num), -PERIOD);
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* In the order of their numbers, whatever their kind. */
START_TEST(a_sample_has_the_values_asked_for)
{
	static const unsigned int virtual_pmds[] = { PFM_PMD_TASK_CLOCK,
						     PFM_PMD_MINOR_FAULTS,
						     PFM_PMD_MONOTONIC_TIME };
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	const uint64_t *values, *before = NULL;
	uint64_t faults = minor_faults(), clock;
	header_t header;
	entry_t entry;
	int fd, i;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_quietly(fd);
	write_pmd(fd, pmu()->pmds[1], 0x123456789abcdef0);
	write_pmd(fd, pmu()->pmds[2], 0xfedcba9876543210);
	for (i = 0; i < 3; i++) {
		add_to(pmd.reg_smpl_pmds, pmu()->pmds[i]);
		add_to(pmd.reg_smpl_pmds, virtual_pmds[i]);
	}
	pmd.reg_smpl_eventid = ~0ull; /* nothing to this format */
	write_one(fd, pmd);
	clock = monotonic_time();
	load_and_start(fd, thread_id());
	for (i = 0; i < 5; i++) {
		touch_pages(20);
		fill_to(header, header->hdr_count + 3);
	}
	must(fd, pfm_stop(fd));
	clock = monotonic_time() - clock;
	must_be_whole(header, 6);
	for_each_entry(entry, header, 6)
	{
		values = values_of(entry);
		/* Past its overflow, and the others untouched. */
		ck_assert_uint_lt(values[0], BIT(40));
		ck_assert_uint_eq(values[1], 0x123456789abcdef0);
		ck_assert_uint_eq(values[2], 0xfedcba9876543210);
		ck_assert_uint_le(values[3], clock);
		ck_assert_uint_le(values[4], minor_faults() - faults);
		ck_assert_uint_le(values[5], clock);
		for (i = 3; before && i < 6; i++)
			ck_assert_uint_ge(values[i], before[i]);
		before = values;
	}
	ck_assert_uint_ge(before[4], 4 * 20);
	ck_assert_uint_gt(before[3], 0);
	ck_assert_uint_gt(before[5], 0);
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* The same events as differences and as a sum. */
START_TEST(what_a_sample_resets_it_records_as_a_difference)
{
	struct pfarg_pmd pmd = sampling(0, exact_period());
	uint64_t sum = 0;
	header_t header;
	entry_t entry;
	int fd;

	need_exact_work();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_exact(fd, 3);
	write_pmd(fd, pmu()->pmds[1], 0);
	write_pmd(fd, pmu()->pmds[2], 0);
	add_to(pmd.reg_reset_pmds, pmu()->pmds[1]);
	add_to(pmd.reg_smpl_pmds, pmu()->pmds[1]);
	add_to(pmd.reg_smpl_pmds, pmu()->pmds[2]);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	while (header->hdr_count < 20)
		exact_work(exact_period());
	must(fd, pfm_stop(fd));
	must_be_whole(header, 2);
	for_each_entry(entry, header, 2)
	{
		ck_assert_uint_ge(values_of(entry)[0], exact_period());
		sum += values_of(entry)[0];
		ck_assert_uint_eq(values_of(entry)[1], sum);
	}
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[2]),
			  sum + read_pmd(fd, pmu()->pmds[1]));
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* Those that a sampled PMD names count and can be read, in its set only. */
START_TEST(pmds_named_by_a_sampled_one_are_in_use)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	int fd = make_context();

	add_to(pmd.reg_smpl_pmds, pmu()->pmds[1]);
	add_to(pmd.reg_smpl_pmds, PFM_PMD_TASK_CLOCK);
	add_to(pmd.reg_reset_pmds, pmu()->pmds[2]);
	add_to(pmd.reg_reset_pmds, PFM_PMD_MINOR_FAULTS);
	write_one(fd, pmd);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[1]), 0);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[2]), 0);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_TASK_CLOCK), 0);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 0);
	/* And never alters what they hold. */
	write_pmd(fd, pmu()->pmds[1], 4711);
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 4712);
	write_one(fd, pmd);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[1]), 4711);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_TASK_CLOCK), 4712);
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* OVFL_NOTIFY and RANDOM say nothing of what never overflows. */
START_TEST(flags_of_sampling_do_nothing_to_a_plain_pmd)
{
	const struct pfarg_pmd pmd = { .reg_num = PFM_PMD_TASK_CLOCK,
				       .reg_flags = NOTIFY | PFM_REGFL_RANDOM,
				       .reg_value = -1000,
				       .reg_random_mask = 0xffff };
	int fd = busy_context();

	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	sampled_loop(10 * MILLION);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
	ck_assert_int_gt((int64_t)read_pmd(fd, PFM_PMD_TASK_CLOCK), 0);
	must_be_silent(fd);
	count_must_be_right(fd);
}
END_TEST

/* ---- what write_pmds refuses -------------------------------------------------------------- */

static const unsigned int never_there[] = { 255, PFM_PMD_CPU + 1, 319 };

static void must_refuse(int fd, unsigned int n, bool is_reset)
{
	struct pfarg_pmd pmds[3] = { sampling(1, 12345), sampling(0, 77), { 0 } };

	pmds[2] = pmds[0];
	pmds[2].reg_value = 0;
	add_to(is_reset ? pmds[1].reg_reset_pmds : pmds[1].reg_smpl_pmds, n);
	add_to(is_reset ? pmds[1].reg_reset_pmds : pmds[1].reg_smpl_pmds, pmu()->pmds[2]);
	must_fail(fd, pfm_write_pmds(fd, pmds, 3), EINVAL,
		  is_reset ? PFM_REASON_RESET_PMDS : PFM_REASON_SMPL_PMDS, 1);
	/* That before it is written, it itself and what it names are not. */
	ck_assert_uint_eq(read_pmd(fd, pmds[0].reg_num), -12345ull);
	must_fail(fd, pfm_read_pmds(fd, &pmds[1], 1), EINVAL, PFM_REASON_PMD_UNUSED, 0);
	pmds[1].reg_num = pmu()->pmds[2];
	must_fail(fd, pfm_read_pmds(fd, &pmds[1], 1), EINVAL, PFM_REASON_PMD_UNUSED, 0);
}

START_TEST(a_pmd_that_is_not_there_can_be_neither_recorded_nor_reset)
{
	size_t i;
	int fd;

	for (i = 0; i <= COUNT(never_there); i++) {
		unsigned int n = i ? never_there[i - 1] : pmu()->missing_pmd;

		fd = make_context();
		must_refuse(fd, n, false);
		must_refuse(fd, n, true);
		end_sampling(fd);
		count_must_be_right(fd);
		close(fd);
	}
}
END_TEST

START_TEST(a_read_only_pmd_can_be_recorded_but_not_reset)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	int fd;

	if (!pmu_is("power"))
		skip("no PMD of %s is read-only", pmu()->info.pmu_name);
	fd = make_context();
	must_refuse(fd, PFM_POWER_TIMEBASE, true);
	add_to(pmd.reg_smpl_pmds, PFM_POWER_TIMEBASE);
	write_one(fd, pmd);
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* ---- several at once ------------------------------------------------------------------------ */

/* Two sampled counters and a third beside them. */
START_TEST(several_pmds_have_each_their_own_periods)
{
	struct chain chains[2];
	header_t header;
	int fd, i;

	need_exact_work();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_exact(fd, 3);
	chains[0] = chain_begin(fd, 0, 2, exact_period());
	chains[1] = chain_begin(fd, 1, 2, exact_period() * 7 / 3);
	load_and_start(fd, thread_id());
	while (header->hdr_count < 60)
		exact_work(exact_period());
	must(fd, pfm_stop(fd));
	must_be_whole(header, 2);
	for (i = 0; i < 2; i++) {
		chain_follow(&chains[i], header);
		chain_end(&chains[i], fd);
	}
	ck_assert_uint_eq(chains[0].samples + chains[1].samples, header->hdr_count);
	ck_assert_uint_gt(chains[1].samples, 10);
	ck_assert_uint_eq(header->hdr_lost, 0);
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* Two of the same event and period: the same interrupt, one sample after the other. */
START_TEST(overflows_of_one_interrupt_are_samples_in_ascending_order)
{
	struct chain chains[2];
	header_t header;
	entry_t entry;
	int fd, i;

	need_exact_work();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_exact(fd, 3);
	for (i = 0; i < 2; i++)
		chains[i] = chain_begin(fd, i, 2, exact_period());
	load_and_start(fd, thread_id());
	while (header->hdr_count < 40)
		exact_work(exact_period());
	must(fd, pfm_stop(fd));
	must_be_whole(header, 2);
	ck_assert_uint_eq(header->hdr_count % 2, 0);
	for (entry = first_entry(header); entry < end_of(header);) {
		entry_t second = entry_after(entry, 2);

		ck_assert_uint_eq(entry->ovfl_pmd, pmu()->pmds[0]);
		ck_assert_uint_eq(second->ovfl_pmd, pmu()->pmds[1]);
		ck_assert_uint_eq(entry->ip, second->ip);
		ck_assert_uint_eq(entry->tstamp, second->tstamp);
		ck_assert_uint_eq(values_of(entry)[1], values_of(second)[1]);
		entry = entry_after(second, 2);
	}
	for (i = 0; i < 2; i++) {
		chain_follow(&chains[i], header);
		chain_end(&chains[i], fd);
	}
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* Even an overflow that shows itself only when the thread is switched out. */
static void check_switches(void)
{
	const struct timespec shortest = { .tv_nsec = 100000 };
	const uint64_t period = 7;
	int fd = default_context(0, MIB), i;
	header_t header = map_buffer(fd, MIB);
	struct chain chain;

	for (i = 0; i < 2; i++)
		write_pmc(fd, pmu()->pmcs[i], PFM_SOFT_CONTEXT_SWITCHES);
	chain = chain_begin(fd, 0, 1, period);
	load_and_start(fd, thread_id());
	for (i = 0; i < 200; i++)
		nanosleep(&shortest, NULL);
	must(fd, pfm_stop(fd));
	must_be_whole(header, 2);
	chain_follow(&chain, header);
	chain_end(&chain, fd);
	ck_assert_uint_eq(chain.samples, header->hdr_count);
	ck_assert_uint_eq(chain.samples, read_pmd(fd, chain.other) / period);
	ck_assert_uint_eq(chain.skid, 0);
	ck_assert_uint_ge(chain.samples, 100 / period);
	close(fd);
}

START_TEST(every_seventh_context_switch_is_a_sample)
{
	with_pmu("perfmon_soft", "", check_switches);
}
END_TEST

/* ---- beyond the hardware's width ------------------------------------------------------------- */

/* The witness is a virtual PMD, which is never narrow: a wrap lost is 65536. */
static void check_narrow_faults(void)
{
	const uint64_t period = 70000;
	struct pfarg_pmd pmd = sampling(0, period);
	int fd = default_context(0, MIB);
	header_t header = map_buffer(fd, MIB);
	struct chain chain = { .pmd = pmd.reg_num,
			       .other = PFM_PMD_MINOR_FAULTS,
			       .period = period };

	write_pmc(fd, pmu()->pmcs[0], PFM_SOFT_MINOR_FAULTS);
	add_to(pmd.reg_smpl_pmds, chain.pmd);
	add_to(pmd.reg_smpl_pmds, chain.other);
	write_pmd(fd, chain.other, 0);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	while (header->hdr_count < 3)
		exact_work(1000);
	must(fd, pfm_stop(fd));
	chain_follow(&chain, header);
	chain_end(&chain, fd);
	ck_assert_uint_eq(chain.samples, 3);
	close(fd);
}

START_TEST(a_period_may_be_longer_than_a_counter_of_16_bits)
{
	with_pmu("perfmon_soft", "counter_width=16", check_narrow_faults);
}
END_TEST

/* 32 bits of an event counter of Armv8, beside the cycle counter; 31 of POWER. */
START_TEST(a_period_may_be_longer_than_the_hardwares_counters)
{
	uint64_t period, other;
	struct pfarg_pmd pmd;
	struct chain chain;
	header_t header;
	int fd;

	need_exact_work();
	if (pmu_is("soft"))
		skip("a counter of the software PMU has 64 bits");
	period = pmu_is("power") ? BIT(32) : BIT(33);
	pmd = sampling(0, period);
	other = pmu_is("armv8") ? PFM_ARMV8_CYCLE_COUNTER : pmu()->pmds[1];
	fd = default_context(0, 4096);
	header = map_buffer(fd, 4096);
	program_busy(fd, 2);
	if (pmu_is("armv8"))
		write_pmc(fd, PFM_ARMV8_CYCLE_COUNTER, 0);
	add_to(pmd.reg_smpl_pmds, pmd.reg_num);
	add_to(pmd.reg_smpl_pmds, other);
	write_pmd(fd, other, 0);
	write_one(fd, pmd);
	chain = (struct chain){ .pmd = pmd.reg_num, .other = other, .period = period };
	load_and_start(fd, thread_id());
	sampled_loop(period + 500 * MILLION);
	must(fd, pfm_stop(fd));
	chain_follow(&chain, header);
	chain_end(&chain, fd);
	ck_assert_uint_eq(chain.samples, 1);
	/* At the latest with the next tick of the timer. */
	ck_assert_uint_lt(chain.skid, 20 * MILLION);
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* ---- random periods ---------------------------------------------------------------------------- */

#define MERSENNE 0x7fffffffull

/* The number drawn is the state before. (perfmon-api.md 4.2, and 10, row 7) */
static uint64_t carta(uint64_t *state)
{
	uint64_t drawn = *state;

	*state = *state * 16807 % MERSENNE;
	return drawn;
}

static uint64_t carta_masked(uint64_t *state, uint64_t mask)
{
	uint64_t drawn = carta(state);

	if (mask >> 32)
		drawn |= carta(state) << 32;
	return drawn & mask;
}

START_TEST(a_seed_gives_the_periods_of_cartas_generator)
{
	const uint64_t mask = 0xfffff;
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	uint64_t state = 12345, most = entries_until_full(4096, 0), i;
	header_t header;
	entry_t entry;
	int fd, turn;

	need_overflow_interrupts();
	fd = default_context(0, 4096);
	header = map_buffer(fd, 4096);
	program_busy(fd, 1);
	pmd.reg_long_reset = -3 * PERIOD;
	pmd.reg_flags |= PFM_REGFL_RANDOM;
	pmd.reg_random_mask = mask;
	pmd.reg_random_seed = state;
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 2; turn++) {
		spin_until_message(fd);
		entry = first_entry(header);
		/* What it begins with is used as it is. */
		ck_assert_uint_eq(entry->last_reset_val,
				  turn ? pmd.reg_long_reset - carta_masked(&state, mask)
				       : -PERIOD);
		for (i = 1; i < most; i++)
			ck_assert_uint_eq(entry[i].last_reset_val,
					  -PERIOD - carta_masked(&state, mask));
		next_overflow(fd);
		must(fd, pfm_restart(fd));
	}
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/*
 * A quiet counter that is reset with each sample and recorded before: its values are
 * what it was reset to, so that periods of any length can be seen.
 */
static void must_draw(uint64_t mask, uint32_t seed)
{
	struct pfarg_pmd sampled = sampling(0, PERIOD), random;
	uint64_t state = seed, wanted = 5;
	int fd = default_context(0, 4096);
	header_t header = map_buffer(fd, 4096);
	entry_t entry;

	random = (struct pfarg_pmd){ .reg_num = pmu()->pmds[1],
				     .reg_flags = PFM_REGFL_RANDOM,
				     .reg_value = wanted,
				     .reg_short_reset = 1000,
				     .reg_random_mask = mask,
				     .reg_random_seed = seed };
	program_quietly(fd);
	add_to(sampled.reg_reset_pmds, random.reg_num);
	add_to(sampled.reg_smpl_pmds, random.reg_num);
	write_one(fd, sampled);
	write_one(fd, random);
	load_and_start(fd, thread_id());
	fill_to(header, 20);
	must(fd, pfm_stop(fd));
	for_each_entry(entry, header, 1)
	{
		ck_assert_msg(values_of(entry)[0] == wanted,
			      "mask 0x%jx, seed %u: 0x%jx, not 0x%jx", (uintmax_t)mask,
			      seed, (uintmax_t)values_of(entry)[0], (uintmax_t)wanted);
		wanted = 1000 - carta_masked(&state, mask);
	}
	close(fd);
}

START_TEST(a_mask_of_more_than_32_bits_takes_two_numbers)
{
	static const uint64_t masks[] = { 0, 1, 0xff, 0xffffffff, 0xffffffffffff, ~0ull };
	static const uint32_t seeds[] = { 1, 0x7ffffffe, 987654321 };
	size_t i;

	need_overflow_interrupts();
	for (i = 0; i < COUNT(masks); i++)
		must_draw(masks[i], seeds[i % COUNT(seeds)]);
}
END_TEST

START_TEST(any_mask_is_accepted)
{
	need_overflow_interrupts();
	must_draw(0xf0f00000f0f0ull, 42);
	must_draw(0x5, 43);
}
END_TEST

/* Short periods that only became longer, and how they differ. */
static uint64_t draw_unseeded(uint64_t mask)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	uint64_t all = 0, more, i;
	int fd = default_context(0, 4096);
	header_t header = map_buffer(fd, 4096);
	entry_t entry;

	pmd.reg_flags |= PFM_REGFL_RANDOM;
	pmd.reg_random_mask = mask;
	program_busy(fd, 1);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	spin_until_message(fd);
	entry = first_entry(header);
	for (i = 1; i < header->hdr_count; i++) {
		more = -PERIOD - entry[i].last_reset_val;
		ck_assert_msg(!(more & ~mask), "a period longer by 0x%jx",
			      (uintmax_t)more);
		all = all * 31 + more;
	}
	close(fd);
	return all;
}

START_TEST(without_a_seed_every_context_draws_other_numbers)
{
	need_overflow_interrupts();
	ck_assert_uint_ne(draw_unseeded(0xfffff), draw_unseeded(0xfffff));
}
END_TEST

START_TEST(without_the_flag_nothing_is_random)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	header_t header;
	entry_t entry;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, 4096);
	header = map_buffer(fd, 4096);
	program_busy(fd, 1);
	pmd.reg_random_mask = 0xffff;
	pmd.reg_random_seed = 7;
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	spin_until_message(fd);
	for_each_entry(entry, header, 0)
		ck_assert_uint_eq(entry->last_reset_val, -PERIOD);
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* ---- who, where and when --------------------------------------------------------------------- */

START_TEST(a_sample_tells_thread_process_cpu_and_time)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	unsigned int cpu = cpus_online() - 1;
	struct child child = child_new();
	entry_t entry, before = NULL;
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	child_call(&child, child_pin, cpu);
	program_busy(fd, 1);
	add_to(pmd.reg_smpl_pmds, PFM_PMD_MONOTONIC_TIME);
	write_one(fd, pmd);
	load_and_start(fd, child.pid);
	child_busy(&child);
	wait_until(header->hdr_count >= 200);
	child_rest(&child);
	must(fd, pfm_stop(fd));
	must_be_whole(header, 1);
	for_each_entry(entry, header, 1)
	{
		ck_assert_uint_eq(entry->pid, child.pid);
		ck_assert_uint_eq(entry->tgid, child.pid);
		ck_assert_uint_eq(entry->ovfl_pmd, pmd.reg_num);
		ck_assert_uint_eq(entry->reserved, 0);
		ck_assert_uint_eq(entry->cpu, cpu);
		ck_assert_uint_eq(entry->set, 0);
		ck_assert_uint_ne(entry->ip, 0);
		if (before)
			ck_assert_uint_ge(entry->tstamp, before->tstamp);
		before = entry;
	}
	/* Two clocks, which are not read at once: but what passed is some 400 ms. */
	must_be_near(before->tstamp - first_entry(header)->tstamp,
		     *values_of(before) - *values_of(first_entry(header)), 100 * MS);
	child_exit(&child);
	must_end(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}
END_TEST

/* ---- exact numbers ----------------------------------------------------------------------------- */

/*
 * What profilers promise: a sample every so many cycles, each where it happened.
 * The cycle counter of Armv8 interrupts exactly under --icount, and counts user mode only
 * if asked to; PMC6 of POWER counts everything.
 */
struct exact_run {
	unsigned int pmd;
	unsigned int other; /* the same event, not sampled */
	uint64_t period;
	uint64_t instructions;
};

static int exact_context(const struct exact_run *run, uint32_t flags, uint64_t size)
{
	int fd = default_context(flags, size);
	struct pfarg_pmd pmd = { .reg_num = run->pmd,
				 .reg_flags = NOTIFY,
				 .reg_value = -run->period,
				 .reg_short_reset = -run->period,
				 .reg_long_reset = -run->period };

	if (pmu_is("armv8")) {
		write_pmc(fd, run->pmd, USER);
		write_pmc(fd, run->other, CPU_CYCLES | USER);
	} else {
		program_busy(fd, run->other);
	}
	write_pmd(fd, run->other, 0);
	write_one(fd, pmd);
	return fd;
}

struct exact_count {
	uint64_t samples;
	uint64_t elsewhere; /* in user mode, outside of the loop */
	uint64_t in_kernel;
};

static void count_entries(header_t header, struct exact_count *count)
{
	entry_t entry;

	must_be_whole(header, 0);
	for_each_entry(entry, header, 0)
	{
		count->samples++;
		if (is_kernel_address(entry->ip))
			count->in_kernel++;
		else if (!is_in_loop(entry->ip))
			count->elsewhere++;
	}
}

static struct exact_run exact_run(void)
{
	need_exact_work();
	if (pmu_is("armv8"))
		return (struct exact_run){ PFM_ARMV8_CYCLE_COUNTER, 0, 10000,
					   200 * MILLION };
	if (pmu_is("power"))
		return (struct exact_run){ PFM_POWER_PMC6, PFM_POWER_PMC1, 100000,
					   1000 * MILLION };
	skip("the software PMU counts no cycles");
}

static void must_be_exact(int fd, const struct exact_run *run,
			  const struct exact_count *count)
{
	uint64_t cycles = read_pmd(fd, run->other);

	printf("         %ju cycles, %ju samples of %ju: %ju in the kernel, "
	       "%ju elsewhere\n",
	       (uintmax_t)cycles, (uintmax_t)count->samples, (uintmax_t)run->period,
	       (uintmax_t)count->in_kernel, (uintmax_t)count->elsewhere);
	fflush(stdout);
	ck_assert_uint_ge(cycles, run->instructions);
	ck_assert_uint_eq(count->samples, cycles / run->period);
	ck_assert_uint_le(count->elsewhere, 2);
	if (pmu_is("armv8"))
		ck_assert_uint_eq(count->in_kernel, 0);
	else
		ck_assert_uint_le(count->in_kernel, count->samples / 20);
}

START_TEST(the_samples_of_a_loop_are_its_cycles_by_the_period)
{
	const struct exact_run run = exact_run();
	struct exact_count count = {};
	int fd = exact_context(&run, 0, MIB);
	header_t header = map_buffer(fd, MIB);
	int started, stopped;

	load(fd, thread_id());
	started = pfm_start(fd, NULL);
	sampled_loop(run.instructions);
	stopped = pfm_stop(fd);
	must(fd, started);
	must(fd, stopped);
	ck_assert_uint_eq(header->hdr_lost, 0);
	ck_assert_uint_eq(header->hdr_throttled, 0);
	count_entries(header, &count);
	must_be_exact(fd, &run, &count);
}
END_TEST

static uint64_t child_loop(uint64_t instructions)
{
	sampled_loop(instructions);
	return 0;
}

/* Through a page, which is read while the thread waits for it: nothing is missed. */
START_TEST(a_thread_that_waits_for_its_reader_loses_no_sample)
{
	const struct exact_run run = exact_run();
	struct exact_count count = {};
	struct child child = child_new();
	int fd = exact_context(&run, PFM_FL_NOTIFY_BLOCK, 4096);
	header_t header = map_buffer(fd, 4096);
	struct pfarg_ovfl_msg message;

	load_and_start(fd, child.pid);
	child_begin(&child, child_loop, run.instructions);
	close(child.commands); /* it ends after that */
	for (;;) {
		ck_assert_int_eq(read(fd, &message, sizeof(message)), sizeof(message));
		count_entries(header, &count);
		if (message.msg_type == PFM_MSG_END)
			break;
		must(fd, pfm_restart(fd));
	}
	ck_assert_uint_eq(header->hdr_lost, 0);
	ck_assert_uint_eq(header->hdr_throttled, 0);
	must_be_exact(fd, &run, &count);
}
END_TEST

/* More instructions than a translation block of a loop or of the kernel has. */
#define BLOCK 128

/*
 * A fault of QEMU's: it adds to PMC5 at the end of a translation block, and at an overflow
 * sets it to 0x80000000, so that what the block had beyond the period is not counted (perf's
 * samples lose the same).  PMC1, which does not overflow, counts it: between two samples it
 * goes on by the period and that rest.
 */
static void follow_instructions(header_t header, uint64_t period, uint64_t counted)
{
	uint64_t last = 0, rest, skipped = 0, elsewhere = 0, in_kernel = 0;
	entry_t entry;

	must_be_whole(header, 1);
	for_each_entry(entry, header, 1)
	{
		rest = *values_of(entry) - last - period;
		ck_assert_uint_lt(rest, BLOCK);
		skipped += rest;
		last = *values_of(entry);
		if (is_kernel_address(entry->ip))
			in_kernel++;
		else if (!is_in_loop(entry->ip))
			elsewhere++;
	}
	printf("         %ju instructions, %ju samples of %ju: %ju in the kernel, "
	       "%ju elsewhere; QEMU skipped %ju\n",
	       (uintmax_t)counted, (uintmax_t)header->hdr_count, (uintmax_t)period,
	       (uintmax_t)in_kernel, (uintmax_t)elsewhere, (uintmax_t)skipped);
	fflush(stdout);
	ck_assert_uint_eq(header->hdr_count, (counted - skipped) / period);
	ck_assert_uint_le(elsewhere, 2);
	ck_assert_uint_le(in_kernel, header->hdr_count / 20);
}

START_TEST(the_samples_of_a_loop_are_its_instructions_by_the_period)
{
	const uint64_t period = 100000, instructions = 200 * MILLION;
	struct pfarg_pmd pmd = { .reg_num = PFM_POWER_PMC5,
				 .reg_flags = NOTIFY,
				 .reg_value = -period,
				 .reg_short_reset = -period,
				 .reg_long_reset = -period };
	header_t header;
	int fd;

	need_power();
	need_exact_work();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	write_pmc(fd, PFM_POWER_MMCR1,
		  INSTRUCTIONS_1_TO_4 << PFM_POWER_MMCR1_SELECT_SHIFT(1));
	write_pmd(fd, PFM_POWER_PMC1, 0);
	add_to(pmd.reg_smpl_pmds, PFM_POWER_PMC1);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	sampled_loop(instructions);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(header->hdr_lost, 0);
	ck_assert_uint_eq(header->hdr_throttled, 0);
	ck_assert_uint_ge(header->hdr_count, instructions / period);
	follow_instructions(header, period, read_pmd(fd, PFM_POWER_PMC1));
}
END_TEST

SUITE(sampling, 120, the_first_the_short_and_the_long_period_follow_one_another,
      a_read_tells_no_reset_values, pmds_to_be_reset_get_their_own_values,
      at_a_restart_pmds_to_be_reset_get_their_long_values,
      a_sample_has_the_values_asked_for, what_a_sample_resets_it_records_as_a_difference,
      pmds_named_by_a_sampled_one_are_in_use, flags_of_sampling_do_nothing_to_a_plain_pmd,
      a_pmd_that_is_not_there_can_be_neither_recorded_nor_reset,
      a_read_only_pmd_can_be_recorded_but_not_reset,
      several_pmds_have_each_their_own_periods,
      overflows_of_one_interrupt_are_samples_in_ascending_order,
      every_seventh_context_switch_is_a_sample,
      a_period_may_be_longer_than_a_counter_of_16_bits,
      a_period_may_be_longer_than_the_hardwares_counters,
      a_seed_gives_the_periods_of_cartas_generator,
      a_mask_of_more_than_32_bits_takes_two_numbers, any_mask_is_accepted,
      without_a_seed_every_context_draws_other_numbers,
      without_the_flag_nothing_is_random, a_sample_tells_thread_process_cpu_and_time,
      the_samples_of_a_loop_are_its_cycles_by_the_period,
      the_samples_of_a_loop_are_its_instructions_by_the_period,
      a_thread_that_waits_for_its_reader_loses_no_sample)
