// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests exact counts of event sets: the expected count is the number of instructions that a loop
 * executes.
 *
 * If sets take turns, a context can count more events than the PMU has counters. Then the tests
 * divide each count by its set's share of the time, and check this estimate. If an overflow ends a
 * set's turn, the set also counts the instructions between the overflow and the interrupt. All sets
 * together count every instruction.
 */
#include <stdio.h>
#include <time.h>

#include "sets.h"

SUITE(set_exact, 300);

#define EVENTS 72
#define SKID   200 /* largest number of instructions from an overflow to its interrupt */

/* ---- estimates ------------------------------------------------------------------------ */

/* Returns the number of counters of a set: six, or four if the PMU has fewer than six. */
static unsigned int counters(void)
{
	return event_counters() < 6 ? 4 : 6;
}

static unsigned int sets(void)
{
	return EVENTS / counters();
}

static bool counts_cycles(unsigned int n)
{
	return n == 1 || n == 3;
}

/*
 * Creates a context and loads it. Its sets together select EVENTS events, one for each counter of
 * each set. The counters count only at user level, so nearly all instructions that they count are
 * those of the loop.
 */
static int seventy_two_events(uint64_t timeout)
{
	unsigned int id, n;
	int fd = make_context();

	for (id = 0; id < sets(); id++) {
		make_set(fd, id, BY_TIME, timeout);
		for (n = 0; n < counters(); n++)
			use_of(fd, id, n,
			       counts_cycles(n) ? cycles(AT_USER) : instructions(AT_USER),
			       0);
		write_pmd_of(fd, id, PFM_PMD_TASK_CLOCK, 0);
		write_pmd_of(fd, id, PFM_PMD_MINOR_FAULTS, 0);
	}
	load(fd, thread_id());
	return fd;
}

/*
 * All sets together must have counted each instruction of the loop, and a few instructions of
 * pfm_start() and pfm_stop().
 */
static void nothing_must_be_missing(int fd, uint64_t length)
{
	unsigned int id, n;
	uint64_t sum;

	for (n = 0; n < counters(); n++) {
		sum = 0;
		for (id = 0; id < sets(); id++)
			sum += read_pmd_of(fd, id, n);
		if (counts_cycles(n))
			must_be_near(sum, length, length / 1000);
		else
			must_be_between(sum, length, length + 500);
	}
}

static void estimates_must_be_near(int fd, uint64_t length, uint64_t total)
{
	/*
	 * Measured in a debug kernel: the thread spends up to 4 % of each turn at kernel level,
	 * where the sets do not count.
	 */
	const uint64_t most = length / (is_debug_kernel() ? 10 : 100);
	uint64_t worst = 0, estimate, off;
	struct pfarg_setinfo set;
	unsigned int id, n;

	for (id = 0; id < sets(); id++) {
		set = set_of(fd, id);
		for (n = 0; n < counters(); n++) {
			estimate = (double)read_pmd_of(fd, id, n) * total /
				   set.set_act_duration;
			off = estimate > length ? estimate - length : length - estimate;
			worst = off > worst ? off : worst;
			ck_assert_msg(
				off <= most,
				"set %u, counter %u: %ju events while active for %ju of "
				"%ju ns; the estimate is %ju, not %ju",
				id, n, (uintmax_t)read_pmd_of(fd, id, n),
				(uintmax_t)set.set_act_duration, (uintmax_t)total,
				(uintmax_t)estimate, (uintmax_t)length);
		}
	}
	printf("         the worst of %d estimates is off by %.3f %%\n", EVENTS,
	       100.0 * worst / length);
	fflush(stdout);
}

static void estimate(unsigned int competitors, uint64_t length)
{
	const uint64_t timeout = MS;
	int fd = seventy_two_events(timeout), started, stopped;
	struct turns turns;
	uint64_t time;

	competitors_begin(competitors);
	time = cpu_time();
	started = pfm_start(fd, NULL);
	loop(length);
	stopped = pfm_stop(fd);
	time = cpu_time() - time;
	competitors_end();
	must(fd, started);
	must(fd, stopped);
	turns = fair_turns_of(fd, sets());
	switches_must_fit(turns.runs - 1, turns.duration, timeout);
	ck_assert_uint_ge(turns.runs, length / MS - length / MS / 20);
	ck_assert_uint_eq(turns.clock, turns.duration);
	must_be_near(turns.duration, time, time / 100);
	nothing_must_be_missing(fd, length);
	estimates_must_be_near(fd, length, turns.duration);
	set_zero_must_be_right(fd);
}

TEST(seventy_two_events_are_estimated_within_one_percent)
{
	need_known_instructions();
	estimate(0, 1000 * MILLION);
}

TEST(a_competing_thread_makes_no_estimate_worse)
{
	need_known_instructions();
	estimate(1, 1000 * MILLION);
}

/* The thread sleeps for about half of the time, but the estimates use only its CPU time. */
TEST(estimates_hold_for_a_thread_that_naps)
{
	const struct timespec nap = { .tv_nsec = 700000 };
	const uint64_t length = 500 * MILLION;
	struct turns turns;
	uint64_t i;
	int fd;

	need_known_instructions();
	fd = seventy_two_events(MS);
	pfm_start(fd, NULL);
	for (i = 0; i < length; i += length / 1000) {
		loop(length / 1000);
		nanosleep(&nap, NULL);
	}
	must(fd, pfm_stop(fd));
	turns = fair_turns_of(fd, sets());
	switches_must_fit(turns.runs - 1, turns.duration, MS);
	ck_assert_uint_ge(turns.runs, length / MS - length / MS / 20);
	ck_assert_uint_eq(turns.clock, turns.duration);
	estimates_must_be_near(fd, length, turns.duration);
	set_zero_must_be_right(fd);
}

/* ---- overflows --------------------------------------------------------------------------- */

/*
 * Creates set @id. Its PMD 0 counts user-level instructions: those of the loop, and a few of
 * pfm_start() and pfm_stop(). Its PMD prompt_counter() counts cycles, one for each of these
 * instructions, and overflows every @period cycles. After @count overflows, the next set becomes
 * active.
 */
static void make_counted(int fd, unsigned int id, uint32_t flags, uint64_t period,
			 uint64_t count)
{
	const struct pfarg_pmd trigger = {
		.reg_num = prompt_counter(),
		.reg_set = id,
		.reg_value = -period,
		.reg_short_reset = -period,
		.reg_long_reset = -period,
		.reg_ovfl_switch_cnt = count,
	};

	make_set(fd, id, flags, 0);
	write_pmc_of(fd, id, prompt_counter(), prompt_cycles(AT_USER));
	write_pmc_of(fd, id, 0, instructions(AT_USER));
	write_one(fd, trigger);
	write_pmd_of(fd, id, 0, 0);
}

static uint64_t counted(int fd, unsigned int id)
{
	return read_pmd_of(fd, id, 0);
}

static struct pfarg_pmd trigger_of(int fd, unsigned int id)
{
	return read_back_of(fd, id, prompt_counter());
}

/* Runs the loop between pfm_start() and pfm_stop(), with no assertion in between. */
static void run_loop(int fd, uint64_t instructions)
{
	int started = pfm_start(fd, NULL), stopped;

	loop(instructions);
	stopped = pfm_stop(fd);
	must(fd, started);
	must(fd, stopped);
}

/*
 * Runs the loop without a set switch. Returns the count: the instructions of the loop, and a few
 * more.
 */
static uint64_t all_of_loop_or_skip(uint64_t instructions)
{
	uint64_t all;
	int fd;

	need_known_instructions();
	fd = make_context();
	make_counted(fd, 0, 0, BIT(60), 0);
	load(fd, thread_id());
	run_loop(fd, instructions);
	all = counted(fd, 0);
	close(fd);
	must_be_between(all, instructions, instructions + 500);
	return all;
}

TEST(the_next_set_counts_from_the_overflow)
{
	static const uint64_t periods[] = { 1000, 12340, 99990, 1000000, 4999990 };
	const uint64_t length = 5 * MILLION;
	uint64_t all, residue;
	size_t i;
	int fd;

	all = all_of_loop_or_skip(length);
	for (i = 0; i < COUNT(periods); i++) {
		fd = make_context();
		make_counted(fd, 0, BY_OVERFLOW, periods[i], 1);
		make_counted(fd, 1, 0, BIT(60), 0);
		load(fd, thread_id());
		run_loop(fd, length);
		residue = trigger_of(fd, 0).reg_value;
		must_be_between(residue, 0, SKID);
		ck_assert_uint_eq(counted(fd, 0), periods[i] + residue);
		ck_assert_uint_eq(counted(fd, 0) + counted(fd, 1), all);
		ck_assert_uint_eq(runs_of(fd, 0), 1);
		ck_assert_uint_eq(runs_of(fd, 1), 1);
		ck_assert_uint_eq(active_set(fd), 1);
		ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], BIT(prompt_counter()));
		ck_assert_uint_eq(set_of(fd, 1).set_ovfl_pmds[0], 0);
		close(fd);
	}
}

/* If the stop comes one event before the overflow of set 0, set 0 stays active. */
TEST(a_set_is_not_left_before_its_overflow)
{
	const uint64_t length = MILLION, all = all_of_loop_or_skip(length);
	unsigned int missing;
	int fd;

	for (missing = 0; missing < 2; missing++) {
		fd = make_context();
		make_counted(fd, 0, BY_OVERFLOW, all + missing, 1);
		make_counted(fd, 1, 0, BIT(60), 0);
		load(fd, thread_id());
		run_loop(fd, length);
		/*
		 * If @missing is 0, the overflow comes with the last event before the stop. Then
		 * set 1 becomes active before pfm_stop() returns.
		 */
		ck_assert_uint_eq(trigger_of(fd, 0).reg_value, -(uint64_t)missing);
		ck_assert_uint_eq(active_set(fd), !missing);
		ck_assert_uint_eq(trigger_of(fd, 0).reg_ovfl_switch_cnt, missing);
		ck_assert_uint_eq(counted(fd, 0), all);
		ck_assert_uint_eq(counted(fd, 1), 0);
		close(fd);
	}
}

/*
 * Set 0 is active for 7 * 50,000 instructions, then set 1 for a million, then set 2 until the end.
 */
TEST(a_cascade_has_the_calculated_counts)
{
	const uint64_t length = 5 * MILLION, period = 50000;
	uint64_t all;
	int fd;

	all = all_of_loop_or_skip(length);
	fd = make_context();
	make_counted(fd, 0, BY_OVERFLOW, period, 7);
	make_counted(fd, 1, BY_OVERFLOW, MILLION, 1);
	make_counted(fd, 2, 0, BIT(60), 0);
	load(fd, thread_id());
	run_loop(fd, length);
	/*
	 * Each reset of prompt_counter() drops the events since its overflow, at most SKID. PMD 0
	 * is never reset and counts these events. So the count of set 0 may exceed 7 periods.
	 */
	must_be_between(counted(fd, 0), 7 * period, 7 * (period + SKID));
	must_be_between(counted(fd, 1), MILLION, MILLION + SKID);
	ck_assert_uint_eq(counted(fd, 0) + counted(fd, 1) + counted(fd, 2), all);
	ck_assert_uint_eq(runs_of(fd, 0) + runs_of(fd, 1) + runs_of(fd, 2), 3);
	ck_assert_uint_eq(active_set(fd), 2);
	/* Set 2 stays active while the loop runs again. */
	run_loop(fd, length);
	ck_assert_uint_eq(active_set(fd), 2);
	ck_assert_uint_eq(counted(fd, 0) + counted(fd, 1) + counted(fd, 2), 2 * all);
	must_be_between(counted(fd, 0), 7 * period, 7 * (period + SKID));
	set_zero_must_be_right(fd);
}

/*
 * A turn of set 0 ends after one overflow of prompt_counter(), a turn of set 1 after two, and a
 * turn of set 2 after three. There are hundreds of turns.
 */
TEST(no_event_is_lost_between_sets)
{
	const uint64_t length = 50 * MILLION;
	uint64_t all, sum = 0, runs = 0;
	unsigned int id;
	int fd;

	all = all_of_loop_or_skip(length);
	fd = make_context();
	for (id = 0; id < 3; id++)
		make_counted(fd, id, BY_OVERFLOW, 30000 + 7770 * id, id + 1);
	load(fd, thread_id());
	run_loop(fd, length);
	for (id = 0; id < 3; id++) {
		sum += counted(fd, id);
		runs += runs_of(fd, id);
		must_be_between(runs_of(fd, id), runs_of(fd, 0) - 1, runs_of(fd, 0));
	}
	ck_assert_uint_eq(sum, all);
	/*
	 * The turns of the three sets last 30,000, 2 * 37,770 and 3 * 45,540 events, plus the skid
	 * of each overflow.
	 */
	must_be_between(runs / 3, length / (242160 + 6 * SKID) - 1, length / 242160 + 1);
	set_zero_must_be_right(fd);
}
