// SPDX-License-Identifier: GPL-2.0-only
/*
 * POWER: tests the counters, which have 31 bits and share their control registers.
 *
 * QEMU's PMC5 counts instructions, and PMC6 counts cycles. PMC1 to PMC4 can count either event. One
 * register freezes and starts all counters, so counters of the same event have exactly equal
 * counts. The tests compare these counts. With --icount each instruction takes one cycle. QEMU
 * ignores the bits that freeze the counters at user or kernel level, so all levels are counted
 * here.
 *
 * Instruction counters that overflow are an exception, because QEMU has an error: it sets such a
 * counter to 0x80000000. QEMU checks for overflows only at the end of a translation block, so it
 * loses the events between the overflow and the end of the block. Counts of cycles are exact.
 */
#if defined(__powerpc64__)

#include <stdio.h>

#include "power.h"

SUITE(power, 300);

/* Upper limit of the number of instructions in a translation block of a loop or of the kernel. */
#define BLOCK		 128

/* A sampling period in cycles, shorter than the handling of an overflow interrupt. */
#define THROTTLED_PERIOD 300ull
#define INTERRUPT_LIMIT	 SYSFS "max_interrupts_per_tick"

/* ---- 31 bits in hardware --------------------------------------------------------------- */

static const uint64_t preloads[] = {
	0,
	WRAP - 1,
	WRAP - 256,
	WRAP - 500000,
	WRAP - 1000000,
	WRAP - 2000000,
	WRAP,
	2 * WRAP - 1,
	2 * WRAP - 500000,
	2 * WRAP,
	3 * WRAP - 1,
	7 * WRAP - 500000,
	0xffff * WRAP - 12345,
	BIT(63) - WRAP - 77,
	BIT(63) - 1,
	BIT(63) - 600000,
	BIT(63),
	-2 * WRAP - 1,
	-WRAP - 500000,
	-WRAP,
};

/*
 * PMD @n wraps. PMD @truth counts the same event as PMD @n and does not wrap. Both PMDs must count
 * the same number of events. Most events are in the loop, and a few are in the calls before and
 * after the loop.
 */
static void must_wrap_exactly(int fd, unsigned int n, unsigned int truth,
			      uint64_t tolerance)
{
	uint64_t counted;
	size_t i;

	for (i = 0; i < COUNT(preloads); i++) {
		write_pmd(fd, n, preloads[i]);
		write_pmd(fd, truth, 0);
		counted = count_loop(fd, truth, MILLION);
		must_be_between(counted, MILLION, MILLION + most_around(MILLION));
		must_be_near(read_pmd(fd, n) - preloads[i], counted, tolerance);
	}
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
}

TEST(a_count_across_31_and_32_bits_is_exact)
{
	int fd;

	need_exact_power();
	need_overflow_interrupts();
	fd = four_counters();
	load(fd, thread_id());
	must_wrap_exactly(fd, 1, PMC5, BLOCK);
	must_wrap_exactly(fd, 2, PMC6, 0);
	must_wrap_exactly(fd, PMC5, 1, BLOCK);
	must_wrap_exactly(fd, PMC6, 2, 0);
}

/*
 * In each round, PMC1 wraps one instruction later than in the round before, and PMC2 wraps one
 * cycle earlier.
 */
TEST(wraps_at_every_instruction_are_exact)
{
	const unsigned int rounds = 3000;
	uint64_t from, counted;
	unsigned int i;
	int fd;

	need_exact_power();
	need_overflow_interrupts();
	fd = four_counters();
	load(fd, thread_id());
	for (i = 0; i < rounds; i++) {
		from = 2 * WRAP - i;
		write_pmd(fd, 1, from);
		write_pmd(fd, 2, WRAP - 3000 + i);
		write_pmd(fd, PMC5, 0);
		write_pmd(fd, PMC6, 0);
		counted = count_loop(fd, PMC5, 1000);
		must_be_near(read_pmd(fd, 1) - from, counted, BLOCK);
		ck_assert_uint_eq(read_pmd(fd, 2), WRAP - 3000 + i + read_pmd(fd, PMC6));
	}
}

/*
 * If an overflow interrupt comes while the kernel has interrupts disabled, its handler runs as an
 * NMI.
 */
TEST(overflows_with_interrupts_off_are_exact)
{
	enum {
		READS = 8,
		ROUNDS = 6000
	};
	const unsigned int numbers[] = { 2, PMC6 };
	uint64_t values[2], nmis = 0;
	int fd, i, round;

	need_exact_power();
	need_overflow_interrupts();
	fd = four_counters();
	load(fd, thread_id());
	nmis = statistic("ovfl_intr_nmi_count");
	for (round = 0; round < ROUNDS; round++) {
		const uint64_t from = WRAP - 300 - round;

		poke_pmd(fd, 2, from);
		poke_pmd(fd, PMC6, 0);
		must(fd, pfm_start(fd, NULL));
		for (i = 0; i < READS; i++) {
			read_pmds(fd, numbers, values, 2);
			/*
			 * The two registers are read some instructions apart. If a timer tick comes
			 * between the two reads, it adds some cycles, although the kernel postpones
			 * the tick's work.
			 */
			must_be_near(values[0] - from, values[1], 2000);
		}
		must(fd, pfm_stop(fd));
		read_pmds(fd, numbers, values, 2);
		ck_assert_uint_eq(values[0] - from, values[1]);
		ck_assert_uint_gt(values[0], WRAP);
	}
	nmis = statistic("ovfl_intr_nmi_count") - nmis;
	printf("         %ju of %d overflows came with interrupts off\n", (uintmax_t)nmis,
	       ROUNDS);
	ck_assert_msg(nmis >= 10, "only %ju overflows with interrupts off",
		      (uintmax_t)nmis);
}

/* An overflow switches to a set that has a timeout, so the set switch has to start a timer. */
TEST(a_timed_set_may_begin_with_interrupts_off)
{
	const unsigned int rounds = 30000;
	const uint64_t timeout = 100000;
	struct pfarg_setdesc sets[] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_OVFL_SWITCH },
		{ .set_id = 1,
		  .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = timeout },
	};
	struct pfarg_pmd trigger = { .reg_num = 2,
				     .reg_flags = PFM_REGFL_RANDOM,
				     .reg_value = -20000,
				     .reg_short_reset = -20000,
				     .reg_long_reset = -20000,
				     .reg_random_mask = 0x3fff,
				     .reg_random_seed = 1,
				     .reg_ovfl_switch_cnt = 1 };
	uint64_t nmis, runs;
	unsigned int round;
	int fd;

	need_exact_power();
	need_overflow_interrupts();
	fd = make_context();
	must(fd, pfm_create_evtsets(fd, sets, COUNT(sets)));
	write_pmc(fd, PFM_POWER_MMCR1, select_event(2, CYCLES_1_TO_4));
	must(fd, pfm_write_pmds(fd, &trigger, 1));
	load(fd, thread_id());
	nmis = statistic("ovfl_intr_nmi_count");
	must(fd, pfm_start(fd, NULL));
	for (round = 0; round < rounds; round++)
		read_pmd(fd, 2);
	must(fd, pfm_stop(fd));
	nmis = statistic("ovfl_intr_nmi_count") - nmis;
	runs = set_of(fd, 0).set_runs;
	printf("         %ju runs of set 0, %ju overflows with interrupts off\n",
	       (uintmax_t)runs, (uintmax_t)nmis);
	ck_assert_uint_ge(nmis, 10);
	ck_assert_uint_ge(runs, nmis);
	must_be_between(set_of(fd, 1).set_runs, runs - 1, runs);
	/*
	 * The stop may have ended the last turn of set 1 early. All other turns end with an
	 * interrupt. They last longer than the timeout, because the interrupt must be handled.
	 */
	must_be_between(set_of(fd, 1).set_act_duration, (runs - 2) * timeout,
			runs * (timeout + 20000));
}

/*
 * After @left cycles, the context switches from set 0 to set 1. Set 1 overflows after so few cycles
 * that it is throttled immediately.
 */
static void describe_throttled(int fd, uint64_t left)
{
	struct pfarg_setdesc sets[] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_OVFL_SWITCH },
		{ .set_id = 1, .set_flags = PFM_SETFL_OVFL_SWITCH },
	};
	struct pfarg_pmc events[] = {
		{ .reg_num = PFM_POWER_MMCR1, .reg_set = 0 },
		{ .reg_num = PFM_POWER_MMCR1, .reg_set = 1 },
	};
	struct pfarg_pmd triggers[] = {
		{ .reg_num = 2, .reg_set = 0, .reg_value = -left },
		{ .reg_num = 2, .reg_set = 1, .reg_value = -THROTTLED_PERIOD },
	};
	unsigned int i;

	for (i = 0; i < COUNT(sets); i++) {
		events[i].reg_value = select_event(2, CYCLES_1_TO_4);
		triggers[i].reg_ovfl_switch_cnt = 1;
	}
	triggers[0].reg_short_reset = -MILLION;
	triggers[1].reg_short_reset = -THROTTLED_PERIOD;
	must(fd, pfm_create_evtsets(fd, sets, COUNT(sets)));
	must(fd, pfm_write_pmcs(fd, events, COUNT(events)));
	must(fd, pfm_write_pmds(fd, triggers, COUNT(triggers)));
}

/*
 * Starts with set 1, whose overflow soon activates set 0. Set 0 is then active until the stop, or
 * until its own overflow activates set 1 again. If set 0 does not overflow, returns the number of
 * cycles that set 0 counted.
 */
static uint64_t run_into_throttled(int fd, uint64_t left, struct pfarg_pmd *throttled)
{
	const struct pfarg_load load = { .load_pid = thread_id(), .load_set = 1 };
	struct pfarg_pmd counts[] = { { .reg_num = 2, .reg_set = 0 },
				      { .reg_num = 2, .reg_set = 1 } };

	describe_throttled(fd, left);
	must(fd, pfm_load_context(fd, (struct pfarg_load *)&load));
	if (pfm_start(fd, NULL) || pfm_stop(fd))
		abort();
	must(fd, pfm_read_pmds(fd, counts, COUNT(counts)));
	*throttled = counts[1];
	return counts[0].reg_value + left;
}

/*
 * In each run the overflow of set 0 comes one cycle later than in the run before, so in each run it
 * comes at a different instruction of pfm_stop(). The overflow activates set 1, which is throttled
 * and therefore counts nothing. The stop must not save the contents of the hardware as the values
 * of set 1.
 */
static void check_throttled(void)
{
	enum {
		PLACES = 1000
	};
	unsigned int begun = 0, again, i;
	struct pfarg_pmd throttled;
	uint64_t length, throttles, runs;
	int fd;

	/* With a limit as low as 1, the core checks at each interrupt whether to throttle a set. */
	write_text(INTERRUPT_LIMIT, "1");
	fd = make_context();
	/* After the first run, the kernel has done all its one-time work. */
	run_into_throttled(fd, MILLION, &throttled);
	must(fd, pfm_unload_context(fd));
	length = run_into_throttled(fd, MILLION, &throttled);
	throttles = statistic("ovfl_throttle_count");
	for (i = 0; i < PLACES; i++) {
		/*
		 * A tick ends the throttling. If a tick came before the stop, repeat the run. If
		 * the stop came before the overflow of set 0, set 1 had only its first turn, and
		 * this run checks nothing. In such a run, set 1 may not even have been throttled,
		 * because of a tick.
		 */
		again = 3;
		do {
			must(fd, pfm_unload_context(fd));
			run_into_throttled(fd, length - PLACES + 50 + i, &throttled);
			runs = set_of(fd, 1).set_runs;
		} while (runs > 1 && throttled.reg_value != -THROTTLED_PERIOD && --again);
		if (runs < 2)
			continue;
		begun++;
		ck_assert_msg(
			throttled.reg_value == -THROTTLED_PERIOD,
			"the overflow came %d cycles before the end of a run of %ju cycles, and "
			"the throttled set has the value %jd",
			PLACES - 50 - (int)i, (uintmax_t)length,
			(intmax_t)throttled.reg_value);
	}
	throttles = statistic("ovfl_throttle_count") - throttles;
	printf("         %u of %u overflows activated the throttled set\n", begun,
	       PLACES);
	ck_assert_uint_ge(throttles, begun);
	must_be_between(begun, PLACES / 2, PLACES - 1);
}

static char limit_before[32];

static void limit_back(void)
{
	write_text(INTERRUPT_LIMIT, limit_before);
}

TEST(a_throttled_set_may_begin_while_the_other_set_is_stopped)
{
	need_exact_power();
	need_overflow_interrupts();
	strcpy(limit_before, read_text(INTERRUPT_LIMIT));
	then_put_back(check_throttled, limit_back);
}

/* Each of the four counters wraps twice: its 64-bit value passes 2^31 and 2^32. */
TEST(a_long_run_over_wraps_is_exact)
{
	const uint64_t instructions = 5000 * MILLION;
	uint64_t counted, interrupts;
	int fd;

	need_exact_power();
	need_overflow_interrupts();
	fd = four_counters();
	write_pmd(fd, 1, WRAP / 2);
	write_pmd(fd, 2, WRAP / 3);
	load(fd, thread_id());
	interrupts = statistic("ovfl_intr_regular_count");
	competitors_begin(1);
	counted = count_loop(fd, PMC5, instructions);
	competitors_end();
	must_be_between(counted, instructions, instructions + most_around(instructions));
	must_be_near(read_pmd(fd, 1) - WRAP / 2, counted, 12 * BLOCK);
	ck_assert_uint_eq(read_pmd(fd, 2) - WRAP / 3, read_pmd(fd, PMC6));
	interrupts = statistic("ovfl_intr_regular_count") - interrupts;
	must_be_between(interrupts, 6, 12);
}

TEST(an_overflow_of_64_bits_masks_all)
{
	const unsigned int counters[] = { 1, PMC5, 2, PMC6 };
	uint64_t left;
	size_t i, j;
	int fd;

	need_exact_power();
	need_overflow_interrupts();
	for (i = 0; i < COUNT(counters); i++) {
		fd = four_counters();
		write_pmd(fd, counters[i], -500000ull);
		load(fd, thread_id());
		must(fd, pfm_start(fd, NULL));
		loop(MILLION);
		ck_assert_uint_eq(status_of(fd).state, PFM_STATE_MASKED);
		ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], BIT(counters[i]));
		/* QEMU checks for overflows at the end of a block of instructions. */
		left = read_pmd(fd, counters[i]);
		ck_assert_msg(left < 1000, "after its overflow, PMD %u is %ju",
			      counters[i], (uintmax_t)left);
		for (j = 0; j < COUNT(counters); j++)
			if (j != i)
				must_be_near(read_pmd(fd, counters[j]), 500000 + left,
					     j / 2 == i / 2 ? BLOCK : 20000);
		close(fd);
	}
}

/*
 * PMC MMCR0 accepts PFM_REGFL_NO_EMUL64, because MMCR0 contains the bits that enable the overflow
 * interrupts.
 */
TEST(without_emulation_counters_have_31_bits)
{
	struct pfarg_pmc mmcr0 = { .reg_num = PFM_POWER_MMCR0,
				   .reg_flags = PFM_REGFL_NO_EMUL64 };
	const uint64_t from = 5 * WRAP - 1000;
	uint64_t interrupts, counted;
	int fd;

	need_exact_power();
	fd = four_counters();
	must(fd, pfm_write_pmcs(fd, &mmcr0, 1));
	/*
	 * MMCR0 and MMCR1 both drive the counter, but MMCR1 does not accept PFM_REGFL_NO_EMUL64. So
	 * MMCR0 alone decides whether the counter has 31 bits.
	 */
	write_pmc(fd, PFM_POWER_MMCR1, select_event(1, INSTRUCTIONS_1_TO_4));
	write_pmd(fd, 1, from);
	load(fd, thread_id());
	interrupts = statistic("ovfl_intr_all_count");
	counted = count_loop(fd, PMC5, MILLION);
	ck_assert_uint_eq(read_pmd(fd, 1),
			  (from & ~(WRAP - 1)) | ((from + counted) & (WRAP - 1)));
	ck_assert_uint_eq(statistic("ovfl_intr_all_count"), interrupts);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);

	mmcr0.reg_flags = 0;
	must(fd, pfm_write_pmcs(fd, &mmcr0, 1));
	write_pmd(fd, 1, WRAP - 1000);
	write_pmd(fd, PMC5, 0);
	counted = count_loop(fd, PMC5, MILLION);
	must_be_near(read_pmd(fd, 1), WRAP - 1000 + counted, BLOCK);
}

/* ---- contents of the registers ------------------------------------------------------------- */

/*
 * PMC6 always counts when PMC5 counts. If PMC6 is not in use, it continues from the value that its
 * last user wrote. In this test, that value is close to an overflow.
 */
TEST(the_overflow_of_an_unused_counter_is_ignored)
{
	uint64_t counted, spurious;
	int owner, fd;

	need_exact_power();
	need_overflow_interrupts();
	owner = make_context();
	write_pmd(owner, PMC6, WRAP - MILLION / 2);
	load(owner, thread_id());
	must(owner, pfm_start(owner, NULL));
	must(owner, pfm_stop(owner));
	must(owner, pfm_unload_context(owner));

	fd = make_context();
	write_pmc(fd, PFM_POWER_MMCR1, select_event(1, INSTRUCTIONS_1_TO_4));
	write_pmd(fd, 1, 0);
	write_pmd(fd, PMC5, 0);
	load(fd, thread_id());
	spurious = statistic("ovfl_intr_spurious_count");
	counted = count_loop(fd, PMC5, 10 * MILLION);
	spurious = statistic("ovfl_intr_spurious_count") - spurious;
	must_be_between(counted, 10 * MILLION, 10 * MILLION + most_around(10 * MILLION));
	ck_assert_uint_eq(read_pmd(fd, 1), counted);
	ck_assert_uint_eq(spurious, 1);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
}

/* A counter that is not in use must not overflow, even if a PMC selects an event for it. */
TEST(an_event_without_a_pmd_in_use_counts_nothing)
{
	uint64_t counted;
	int owner, fd;

	need_exact_power();
	owner = make_context();
	write_pmc(owner, PFM_POWER_MMCR1, select_event(3, CYCLES_1_TO_4));
	write_pmd(owner, 3, WRAP - 100000);
	load(owner, thread_id());
	must(owner, pfm_start(owner, NULL));
	must(owner, pfm_stop(owner));
	must(owner, pfm_unload_context(owner));

	fd = make_context();
	write_pmc(fd, PFM_POWER_MMCR1,
		  select_event(2, CYCLES_1_TO_4) | select_event(3, CYCLES_1_TO_4));
	write_pmd(fd, 2, 0);
	load(fd, thread_id());
	counted = statistic("ovfl_intr_all_count");
	must_be_between(count_loop(fd, 2, MILLION), MILLION,
			MILLION + most_around(MILLION));
	ck_assert_uint_eq(statistic("ovfl_intr_all_count"), counted);
	/* The write of PMD 3 brings the counter into use. */
	write_pmd(fd, 3, 7);
	counted = count_loop(fd, 2, MILLION);
	ck_assert_uint_eq(read_pmd(fd, 3), 7 + counted);
}

TEST(two_contexts_keep_their_control_registers)
{
	uint64_t first, second;
	int a, b, i;

	need_exact_power();
	for (i = 0; i < 100; i++) {
		a = make_context();
		write_pmc(a, PFM_POWER_MMCR1, select_event(1, INSTRUCTIONS_1_TO_4));
		write_pmd(a, 1, 0);
		b = make_context();
		write_pmd(b, 1, 0); /* no PMC is written, so the event is 0 */
		write_pmd(b, PMC5, 0);
		load(a, thread_id());
		first = count_loop(a, 1, 1000);
		must(a, pfm_unload_context(a));
		load(b, thread_id());
		second = count_loop(b, PMC5, 1000);
		ck_assert_uint_eq(read_pmd(b, 1), 0);
		must(b, pfm_unload_context(b));
		must_be_between(first, 1000, 1000 + most_around(1000));
		must_be_between(second, 1000, 1000 + most_around(1000));
		close(a);
		close(b);
	}
}

/* One bit of MMCR0 freezes PMC1 to PMC4. Another bit freezes PMC5 and PMC6. */
TEST(freeze_bits_hold_their_counters)
{
	uint64_t counted;
	int fd;

	need_exact_power();
	fd = four_counters();
	load(fd, thread_id());
	write_pmc(fd, PFM_POWER_MMCR0, PFM_POWER_MMCR0_FC14);
	counted = count_loop(fd, PMC5, MILLION);
	must_be_between(counted, MILLION, MILLION + most_around(MILLION));
	ck_assert_uint_eq(read_pmd(fd, 1), 0);
	ck_assert_uint_eq(read_pmd(fd, 2), 0);
	write_pmc(fd, PFM_POWER_MMCR0, PFM_POWER_MMCR0_FC56);
	must_be_between(count_loop(fd, 1, MILLION), MILLION,
			MILLION + most_around(MILLION));
	ck_assert_uint_eq(read_pmd(fd, PMC5), counted);
	write_pmc(fd, PFM_POWER_MMCR0, 0);
	must_be_between(count_loop(fd, PMC5, MILLION), MILLION,
			MILLION + most_around(MILLION));
}

TEST(pmd_0_is_the_time_base)
{
	uint64_t before, value, after;
	int fd;

	need_power();
	fd = make_context();
	write_pmd(fd, PFM_POWER_TIMEBASE, 12345);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	before = __builtin_ppc_get_timebase();
	value = peek_pmd(fd, PFM_POWER_TIMEBASE);
	after = __builtin_ppc_get_timebase();
	must_be_between(value, before, after);
	must(fd, pfm_stop(fd));
	value = read_pmd(fd, PFM_POWER_TIMEBASE);
	must_be_between(value, after, __builtin_ppc_get_timebase());
	/*
	 * The PMD of the time base behaves like any other PMD: it does not change while the context
	 * is stopped.
	 */
	ck_assert_uint_eq(read_pmd(fd, PFM_POWER_TIMEBASE), value);
}

#endif
