// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests 64-bit counters on narrower hardware: when the hardware wraps, no event is lost or counted
 * twice.
 *
 * On x86 the hardware holds 46 or 30 bits of a PMD. The event counters of the arm64 guest's CPU
 * (cortex-a57) have 32 bits. QEMU sets a timer for the overflow of such an event counter. Under
 * -icount this timer fires one count early, finds no overflow and is not set again. QEMU then
 * raises the interrupt only when an exception makes it update the counters. So the interrupt is
 * late but the overflow status is right, and the counts must be right, too.
 */
#include <stdio.h>
#include <time.h>

#include "measure.h"

SUITE(emulation, 240);

static uint64_t wrap_or_skip(unsigned int n)
{
	need_known_instructions();
	return wrap_of(n);
}

static uint64_t around(int fd, unsigned int n)
{
	return count_loop(fd, n, 1000) - 1000;
}

TEST(a_count_across_the_wrap_is_exact)
{
	const uint64_t wrap = wrap_or_skip(0);
	/*
	 * Initial values close to a wrap. A loop of a million instructions crosses some of the
	 * wraps.
	 */
	const uint64_t preloads[] = {
		0,
		wrap - 0x100,
		wrap - 1,
		wrap - 1000000,
		wrap - 1000020, /* wraps near the end of the loop */
		wrap - 999990,
		wrap - 2000000,
		wrap,
		2 * wrap - 1,
		7 * wrap - 500000,
		0xffff * wrap - 12345,
		BIT(63) - wrap - 77,
		BIT(63) - 1,
		BIT(63) - 600000,
		BIT(63),
		BIT(63) + wrap - 300,
		-2 * wrap - 1,
		-wrap - 1,
		-wrap - 500000,
		-wrap,
	};
	uint64_t extra;
	size_t i;
	int fd;

	fd = context_of(0, instructions(AT_USER));
	load(fd, thread_id());
	extra = around(fd, 0);
	for (i = 0; i < COUNT(preloads); i++) {
		write_pmd(fd, 0, preloads[i]);
		ck_assert_msg(count_loop(fd, 0, MILLION) == MILLION + extra,
			      "from 0x%jx: the value is 0x%jx, not 0x%jx",
			      (uintmax_t)preloads[i], (uintmax_t)read_pmd(fd, 0),
			      (uintmax_t)(preloads[i] + MILLION + extra));
	}
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
}

/*
 * Up to six counters wrap in one loop, each at a different time. Another counter does not wrap and
 * is the reference.
 */
TEST(all_counters_wrap_in_one_run)
{
	const uint64_t wrap = wrap_or_skip(0);
	const uint64_t values[] = {
		wrap - 1,      wrap - 250000,	 3 * wrap - 250010,
		wrap - 999000, BIT(63) - 999999, wrap - 1000010,
	};
	unsigned int count, n;
	uint64_t truth;
	int fd;

	count = other_counters() < COUNT(values) ? other_counters() : COUNT(values);
	fd = make_context();
	for (n = 0; n < count; n++)
		use(fd, n, instructions(AT_USER), values[n]);
	use(fd, prompt_counter(), prompt_cycles(AT_USER), 0);
	load(fd, thread_id());
	truth = count_loop(fd, prompt_counter(), MILLION);
	must_be_between(truth, MILLION, MILLION + 200);
	for (n = 0; n < count; n++)
		ck_assert_msg(read_pmd(fd, n) - values[n] == truth,
			      "PMD %u from 0x%jx: the value is 0x%jx, not 0x%jx", n,
			      (uintmax_t)values[n], (uintmax_t)read_pmd(fd, n),
			      (uintmax_t)(values[n] + truth));
}

/* A read must not combine the lower bits after a wrap with the upper bits before the wrap. */
TEST(live_reads_across_the_wrap_grow_evenly)
{
	enum {
		READS = 400,
		ROUNDS = 20
	};
	static uint64_t reads[READS];
	const uint64_t wrap = wrap_or_skip(0);
	uint64_t step = 0;
	int fd, i, round;

	fd = context_of(0, instructions(AT_USER));
	load(fd, thread_id());
	for (round = 0; round < ROUNDS; round++) {
		write_pmd(fd, 0, wrap - 10000 - 37 * round);
		must(fd, pfm_start(fd, NULL));
		for (i = 0; i < READS; i++) {
			loop(10);
			reads[i] = peek_pmd(fd, 0);
		}
		must(fd, pfm_stop(fd));
		if (round == 0)
			step = reads[1] - reads[0];
		for (i = 1; i < READS; i++)
			ck_assert_msg(reads[i] - reads[i - 1] == step,
				      "round %d, read %d: 0x%jx after 0x%jx, "
				      "but the step must be %ju",
				      round, i, (uintmax_t)reads[i],
				      (uintmax_t)reads[i - 1], (uintmax_t)step);
		ck_assert_msg(reads[READS - 1] > wrap, "no wrap in round %d", round);
	}
}

/*
 * Like the previous test, but the wrap happens inside the read, where interrupts are disabled. The
 * counter also counts at kernel level. It begins a little lower in each round, so the wrap comes at
 * a different place in the call each time.
 */
TEST(a_wrap_during_a_read_is_seen)
{
	enum {
		READS = 8,
		ROUNDS = 1500
	};
	const uint64_t wrap = wrap_or_skip(0);
	uint64_t reads[READS], last;
	int fd, i, round;

	fd = context_of(0, instructions(AT_BOTH));
	load(fd, thread_id());
	for (round = 0; round < ROUNDS; round++) {
		poke_pmd(fd, 0, wrap - 500 - 3 * round);
		must(fd, pfm_start(fd, NULL));
		for (i = 0; i < READS; i++)
			reads[i] = peek_pmd(fd, 0);
		must(fd, pfm_stop(fd));
		/*
		 * A read takes several hundred instructions. A timer tick during a read takes
		 * several thousand instructions, or several hundred thousand in a debug kernel. If
		 * a wrap were lost, two reads would differ by 2^30 or more.
		 */
		for (i = 1; i < READS; i++)
			ck_assert_msg(reads[i] - reads[i - 1] < MILLION,
				      "round %d, read %d: 0x%jx after 0x%jx", round, i,
				      (uintmax_t)reads[i], (uintmax_t)reads[i - 1]);
		last = read_pmd(fd, 0);
		ck_assert_msg(last - reads[READS - 1] < MILLION,
			      "round %d, last read: 0x%jx after 0x%jx", round,
			      (uintmax_t)last, (uintmax_t)reads[READS - 1]);
	}
	ck_assert_uint_gt(reads[READS - 1], wrap);
}

/*
 * Two counters wrap during this long run, and their wraps raise at least two interrupts. If the
 * counters have at most 32 bits, they start at 0, and each of them wraps at least twice. Wider
 * counters start closer to the wrap, so that each of them wraps once.
 */
TEST(a_long_run_over_wraps_is_exact)
{
	const uint64_t length = 9000 * MILLION,
		       wrap = wrap_or_skip(0); /* the length is 2.1 times 2^32 */
	const uint64_t first = wrap > length ? wrap - length / 2 : 0;
	const uint64_t second = wrap > length ? wrap - length / 3 : 0;
	uint64_t truth, interrupts;
	int fd;

	fd = make_context();
	use(fd, 0, instructions(AT_USER), first);
	use(fd, 1, cycles(AT_USER), second);
	use(fd, prompt_counter(), prompt_cycles(AT_USER), 0);
	load(fd, thread_id());
	interrupts = statistic("ovfl_intr_regular_count") +
		     statistic("ovfl_intr_replay_count");
	truth = count_loop(fd, prompt_counter(), length);
	must_be_between(truth, length, length + 200);
	ck_assert_uint_eq(read_pmd(fd, 0) - first, truth);
	ck_assert_uint_eq(read_pmd(fd, 1) - second, truth);
	interrupts = statistic("ovfl_intr_regular_count") +
		     statistic("ovfl_intr_replay_count") - interrupts;
	ck_assert_msg(interrupts >= 2, "only %ju interrupts", (uintmax_t)interrupts);
}

TEST(wraps_among_competitors_are_exact)
{
	const uint64_t wrap = wrap_or_skip(0);
	uint64_t extra, counted = 0;
	int fd, i;

	fd = context_of(0, instructions(AT_USER));
	load(fd, thread_id());
	extra = around(fd, 0);
	competitors_begin(2);
	for (i = 0; i < 20; i++) {
		write_pmd(fd, 0, wrap - 400000ull * i);
		counted += count_loop(fd, 0, 10 * MILLION);
	}
	competitors_end();
	ck_assert_uint_eq(counted, 20 * (10 * MILLION + extra));
}

/*
 * docs/interface.md 3.5: if a 64-bit value overflows without notification, the context is masked.
 */
static void must_saturate(int fd, unsigned int n, uint64_t preload, uint64_t most)
{
	struct pfarg_setinfo set;
	uint64_t left;

	write_pmd(fd, n, preload);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_MASKED);
	set = set_of(fd, 0);
	ck_assert_msg(set.set_ovfl_pmds[0] == BIT(n), "set_ovfl_pmds 0x%jx, not PMD %u",
		      (uintmax_t)set.set_ovfl_pmds[0], n);
	left = read_pmd(fd, n);
	ck_assert_msg(left <= most, "0x%jx events after the overflow of PMD %u",
		      (uintmax_t)left, n);
	loop(MILLION);
	ck_assert_uint_eq(read_pmd(fd, n), left);
	must(fd, pfm_stop(fd));
	must(fd, pfm_start(fd, NULL));
	loop(1000);
	ck_assert_uint_eq(read_pmd(fd, n), left);
	/* The context is not masked after it has been loaded again. */
	must(fd, pfm_unload_context(fd));
	load(fd, thread_id());
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], 0);
}

TEST(an_overflow_of_64_bits_masks)
{
	static const uint64_t preloads[] = { -1ull, -1000ull, -500000ull };
	size_t i;
	int fd;

	need_known_instructions();
	fd = context_of(2, instructions(AT_USER));
	load(fd, thread_id());
	/*
	 * The interrupt comes at the first exception after the overflow. At the latest this is the
	 * system call after the loop.
	 */
	for (i = 0; i < COUNT(preloads); i++)
		must_saturate(fd, 2, preloads[i], MILLION + 2000);
	/* The context has been loaded again, and counts as usual. */
	write_pmd(fd, 2, 0);
	must_be_between(count_loop(fd, 2, MILLION), MILLION, MILLION + 200);
}

/*
 * The counter that prompt_counter() returns raises its interrupt right after the overflow. This is
 * true even if the counter has 64 bits in hardware. Afterwards the PMD contains the number of
 * events between the overflow and the interrupt. On Armv8, these are at most several hundred,
 * because QEMU executes the rest of its translation block before the interrupt.
 */
TEST(a_prompt_counter_overflows_in_time)
{
	int fd;

	need_known_instructions();
	fd = context_of(prompt_counter(), prompt_cycles(AT_USER));
	load(fd, thread_id());
	must_saturate(fd, prompt_counter(), -500000ull, 1000);
}

TEST(the_other_counters_stop_with_the_one_that_overflows)
{
	uint64_t count;
	int fd;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	use(fd, prompt_counter(), prompt_cycles(AT_USER), -500000ull);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	count = read_pmd(fd, 0);
	/*
	 * One counter counts instructions, and the other counts cycles. Each instruction takes one
	 * cycle, so the counts agree only if both counters stopped at the same time.
	 */
	ck_assert_uint_eq(count, read_pmd(fd, prompt_counter()) + 500000);
}

TEST(without_emulation_a_counter_has_the_hardwares_width)
{
	const uint64_t wrap = wrap_or_skip(1);
	const uint64_t preloads[] = { wrap - 0x100, 5 * wrap - 1000, -1000ull, 0 };
	struct pfarg_pmc pmc = {
		.reg_num = 1,
		.reg_value = instructions(AT_USER),
		.reg_flags = PFM_REGFL_NO_EMUL64,
	};
	uint64_t extra, interrupts, wanted;
	size_t i;
	int fd;

	fd = make_context();
	must(fd, pfm_write_pmcs(fd, &pmc, 1));
	write_pmd(fd, 1, 0);
	load(fd, thread_id());
	extra = around(fd, 1);
	interrupts = statistic("ovfl_intr_all_count");
	for (i = 0; i < COUNT(preloads); i++) {
		write_pmd(fd, 1, preloads[i]);
		count_loop(fd, 1, MILLION);
		/* The bits in hardware wrap; the upper bits keep the written value. */
		wanted = (preloads[i] & ~(wrap - 1)) |
			 ((preloads[i] + MILLION + extra) & (wrap - 1));
		ck_assert_msg(read_pmd(fd, 1) == wanted, "the value is 0x%jx, not 0x%jx",
			      (uintmax_t)read_pmd(fd, 1), (uintmax_t)wanted);
		ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	}
	ck_assert_uint_eq(statistic("ovfl_intr_all_count"), interrupts);
	/* A write of the PMC without PFM_REGFL_NO_EMUL64 turns the emulation on again. */
	pmc.reg_flags = 0;
	must(fd, pfm_write_pmcs(fd, &pmc, 1));
	write_pmd(fd, 1, wrap - 1000);
	ck_assert_uint_eq(count_loop(fd, 1, MILLION), MILLION + extra);
}

/*
 * Compares a cycle counter that wraps with a cycle counter that does not wrap. This test also runs
 * without --icount.
 */
TEST(cycles_across_the_wrap_are_those_of_another_counter)
{
	uint64_t wrap, narrow, wide;
	int fd, i;

	need_levels();
	wrap = wrap_of(0);
	fd = context_of(0, cycles(AT_BOTH));
	use(fd, prompt_counter(), prompt_cycles(AT_BOTH), 0);
	load(fd, thread_id());
	for (i = 0; i < 50; i++) {
		write_pmd(fd, 0, wrap - 100000ull * i);
		wide = read_pmd(fd, prompt_counter());
		narrow = count_loop(fd, 0, MILLION);
		wide = read_pmd(fd, prompt_counter()) - wide;
		/*
		 * At each exception QEMU computes the values of the counters, one after the other,
		 * from the host's clock. A wrap that is lost or counted twice changes the result by
		 * 1 s or more. If the host runs something else between two of these computations,
		 * this adds only a few milliseconds.
		 */
		must_be_near(narrow, wide, 200 * MS);
	}
}

/* ---- the software PMU with narrower counters ------------------------------------------ */

/*
 * The values of a narrow counter and of a virtual PMD, which always has 64 bits. Both PMDs count
 * the same events, and one call reads both.
 */
struct pair {
	uint64_t narrow;
	uint64_t virtual_;
};

static struct pair read_pair(int fd, unsigned int virtual_pmd)
{
	const unsigned int numbers[] = { 0, virtual_pmd };
	uint64_t values[COUNT(numbers)];

	read_pmds(fd, numbers, values, COUNT(numbers));
	return (struct pair){ values[0], values[1] };
}

static int pair_of(unsigned int event, unsigned int virtual_pmd, uint64_t preload)
{
	int fd = context_of(0, event);

	write_pmd(fd, 0, preload);
	write_pmd(fd, virtual_pmd, preload);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	return fd;
}

static void check_narrow_faults(unsigned int width)
{
	const uint64_t preload = (3ull << width) - 100;
	int fd = pair_of(PFM_SOFT_MINOR_FAULTS, PFM_PMD_MINOR_FAULTS, preload), i;
	uint64_t truth = minor_faults();
	struct pair pair;

	for (i = 0; i < 30; i++) {
		touch_pages(17);
		pair = read_pair(fd, PFM_PMD_MINOR_FAULTS);
		ck_assert_msg(pair.narrow == pair.virtual_,
			      "the narrow counter is %ju, the virtual PMD %ju",
			      (uintmax_t)pair.narrow, (uintmax_t)pair.virtual_);
	}
	truth = minor_faults() - truth;
	must_be_between(pair.narrow, preload + 30 * 17, preload + truth + 20);
	close(fd);
}

static void check_narrow_switches(unsigned int width)
{
	const struct timespec shortest = { .tv_nsec = 100000 };
	const uint64_t preload = (5ull << width) - 20;
	int fd = pair_of(PFM_SOFT_CONTEXT_SWITCHES, PFM_PMD_CONTEXT_SWITCHES, preload);
	uint64_t truth = switches(thread_id());
	struct pair pair;
	int i;

	for (i = 0; i < 60; i++) {
		nanosleep(&shortest, NULL);
		pair = read_pair(fd, PFM_PMD_CONTEXT_SWITCHES);
		ck_assert_msg(pair.narrow == pair.virtual_,
			      "the narrow counter is %ju, the virtual PMD %ju",
			      (uintmax_t)pair.narrow, (uintmax_t)pair.virtual_);
	}
	truth = switches(thread_id()) - truth;
	must_be_between(pair.narrow, preload + 30, preload + truth + 20);
	close(fd);
}

/*
 * The narrow counter and the virtual PMD show the same clock in nanoseconds. Their values differ by
 * the time between the two reads.
 */
static void check_narrow_clock(uint64_t preload, uint64_t nanoseconds)
{
	int fd = pair_of(PFM_SOFT_TASK_CLOCK, PFM_PMD_TASK_CLOCK, preload);
	struct pair pair;
	uint64_t truth = cpu_time();

	do {
		loop(MILLION);
		pair = read_pair(fd, PFM_PMD_TASK_CLOCK);
	} while (pair.virtual_ - preload < nanoseconds);
	truth = cpu_time() - truth;
	/*
	 * The narrow counter and the virtual PMD start and stop together when the thread is
	 * switched. Only the narrow counter raises interrupts. For a part of the time that these
	 * interrupts take, only one of the two PMDs is counting.
	 */
	must_be_near(pair.narrow, pair.virtual_,
		     interrupts_within(pair.virtual_ - preload));
	must_be_near(pair.narrow - preload, truth, truth / 50 + HOST_PAUSE);
	close(fd);
}

static void check_saturation(unsigned int width)
{
	int fd = context_of(0, PFM_SOFT_MINOR_FAULTS);

	(void)width;
	write_pmd(fd, 0, -10ull);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	touch_pages(100);
	/* If the timer has not noticed the wrap yet, the stop notices it. */
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_MASKED);
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], BIT(0));
	ck_assert_uint_ge(read_pmd(fd, 0) + 10, 10);
	ck_assert_uint_le(read_pmd(fd, 0), 200);
	close(fd);
}

static void check_31_bits(void)
{
	uint64_t interrupts = statistic("ovfl_intr_regular_count");

	check_narrow_faults(31);
	check_narrow_switches(31);
	check_saturation(31);
	check_narrow_clock(BIT(31) - 100 * MS, 200 * MS);
	check_narrow_clock(9 * BIT(31) - 50 * MS, 150 * MS);
	ck_assert_uint_gt(statistic("ovfl_intr_regular_count"), interrupts);
}

TEST(software_counters_of_31_bits_count_right)
{
	with_pmu("perfmon_soft", "counter_width=31", check_31_bits);
}

static void check_16_bits(void)
{
	check_narrow_faults(16);
	check_narrow_switches(16);
	check_saturation(16);
	/*
	 * A clock of 16 bits wraps every 65 microseconds. Without -icount QEMU often pauses for
	 * longer. Then several wraps look like one wrap.
	 */
	if (is_deterministic())
		check_narrow_clock(0, 300 * MS);
}

TEST(software_counters_of_16_bits_count_right)
{
	with_pmu("perfmon_soft", "counter_width=16", check_16_bits);
}
