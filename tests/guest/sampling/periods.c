// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests sampling periods: docs/interface.md 1.9, 1.10, 3.5, 4.1 and 4.2. Format "default" stores
 * the counter's last reset value in each entry. This value is the negative of the period that ended
 * with the overflow.
 */
#include "samples.h"

SUITE(periods, 120);

#define MILLION 1000000ull
#define MIB	(1ul << 20)

/* ---- initial, short and long periods ------------------------------------------------- */

/*
 * The initial period, the period after a sample and the period after a restart have three different
 * lengths.
 */
TEST(the_initial_short_and_long_period_are_used_in_turn)
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
		/*
		 * After the overflow that filled the buffer, the counter is not reset until the
		 * restart.
		 */
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

TEST(a_read_does_not_return_reset_values)
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

/* ---- beyond the hardware's width ------------------------------------------------------------- */

/*
 * Compares a counter of 16 bits with a virtual PMD, which does not wrap. If a wrap of the counter
 * were lost, the two counts would differ by 65536.
 */
static void check_narrow_faults(void)
{
	const uint64_t period = 66000;
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
	while (header->hdr_count < 2)
		exact_work(1000);
	must(fd, pfm_stop(fd));
	chain_follow(&chain, header);
	chain_end(&chain, fd);
	ck_assert_uint_eq(chain.samples, 2);
	close(fd);
}

TEST(a_period_may_be_longer_than_a_counter_of_16_bits)
{
	with_pmu("perfmon_soft", "counter_width=16", check_narrow_faults);
}

/*
 * Counters of POWER have 31 bits, and event counters of Armv8 have 32 bits. On Armv8, the sampled
 * event counter is compared with the cycle counter, which is wider.
 */
TEST(a_period_may_be_longer_than_the_hardwares_counters)
{
	uint64_t period, other;
	struct pfarg_pmd pmd;
	struct chain chain;
	header_t header;
	int fd;

	need_exact_work();
	if (pmu_is("soft"))
		skip("a counter of the software PMU has 64 bits");
	if (wrap_of(pmu()->pmds[0]) > BIT(32))
		skip("a counter of %s is too wide to wrap in a test",
		     pmu()->info.pmu_name);
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
	/* At the latest, the sample comes at the first timer tick after the overflow. */
	ck_assert_uint_lt(chain.skid, 20 * MILLION);
	end_sampling(fd);
	count_must_be_right(fd);
}

/* ---- random periods ---------------------------------------------------------------------------- */

#define MERSENNE 0x7fffffffull

/*
 * Advances the generator to its next state. Returns the state before that, which is the random
 * number (docs/interface.md 4.2, and row 7 of section 10).
 */
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

TEST(a_seed_selects_periods_of_cartas_generator)
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
		/* The initial value is not randomized. */
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

/*
 * Checks that, with @mask and @seed, the kernel draws the numbers that carta_masked() returns. Each
 * sample records the value of a counter that counts nothing, and then resets this counter. So the
 * recorded value is the counter's last reset value. The test does not wait until a period of this
 * counter ends, so it can check periods of any length.
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
	for_each_entry(entry, header, 1) {
		ck_assert_msg(values_of(entry)[0] == wanted,
			      "mask 0x%jx, seed %u: the value is 0x%jx, not 0x%jx",
			      (uintmax_t)mask, seed, (uintmax_t)values_of(entry)[0],
			      (uintmax_t)wanted);
		wanted = 1000 - carta_masked(&state, mask);
	}
	close(fd);
}

TEST(a_mask_of_more_than_32_bits_takes_two_numbers)
{
	static const uint64_t masks[] = { 0, 1, 0xff, 0xffffffff, 0xffffffffffff, ~0ull };
	static const uint32_t seeds[] = { 1, 0x7ffffffe, 987654321 };
	size_t i;

	need_overflow_interrupts();
	for (i = 0; i < COUNT(masks); i++)
		must_draw(masks[i], seeds[i % COUNT(seeds)]);
}

TEST(any_mask_is_accepted)
{
	need_overflow_interrupts();
	must_draw(0xf0f00000f0f0ull, 42);
	must_draw(0x5, 43);
}

/*
 * Draws random periods. Each of them must be the short period plus a number that has only bits of
 * @mask. Returns a hash of the added numbers.
 */
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
		ck_assert_msg(
			!(more & ~mask),
			"0x%jx, which was added to a period, has bits outside the mask",
			(uintmax_t)more);
		all = all * 31 + more;
	}
	close(fd);
	return all;
}

TEST(without_a_seed_every_context_draws_different_numbers)
{
	need_overflow_interrupts();
	ck_assert_uint_ne(draw_unseeded(0xfffff), draw_unseeded(0xfffff));
}

TEST(without_the_flag_nothing_is_random)
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
