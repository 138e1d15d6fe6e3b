// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests event sets whose turns end after one or more overflows: docs/interface.md 3.3 to 3.5, and
 * row 34 of section 10. set_exact.c compares their counts with calculated values.
 */
#include <stdio.h>
#include <time.h>

#include "sets.h"

SUITE(set_overflow, 300);

#define HOUR (3600 * 1000 * MS)

/* ---- programs ----------------------------------------------------------------------------- */

/*
 * Returns an argument for pfm_write_pmds(). With it, counter 0 of set @id overflows once per
 * @period, and the set's turn ends after @count overflows.
 */
static struct pfarg_pmd trigger(unsigned int id, uint64_t period, uint64_t count)
{
	struct pfarg_pmd pmd = sampling(0, period);

	pmd.reg_set = id;
	pmd.reg_flags = 0;
	pmd.reg_ovfl_switch_cnt = count;
	return pmd;
}

/*
 * Makes set @id. If @flags is BY_OVERFLOW, the context switches sets after @count overflows of the
 * set's first counter. The set's second counter counts the same event and is never reset.
 */
static void make_exact(int fd, unsigned int id, uint32_t flags, uint64_t period,
		       uint64_t count)
{
	make_set(fd, id, flags, HOUR);
	program_exact_of(fd, id, 2);
	write_one(fd, trigger(id, period, count));
	write_pmd_of(fd, id, pmu()->pmds[1], 0);
}

static uint64_t sampled(int fd, unsigned int id)
{
	return read_pmd_of(fd, id, pmu()->pmds[0]);
}

static struct pfarg_pmd trigger_of(int fd, unsigned int id)
{
	return read_back_of(fd, id, pmu()->pmds[0]);
}

static uint64_t remaining(int fd, unsigned int id)
{
	return trigger_of(fd, id).reg_ovfl_switch_cnt;
}

/*
 * Works for ten periods. QEMU notices overflows of most Armv8 counters only at the next exception.
 * So this function makes a system call after each period.
 */
static void work_ten_periods(int unused)
{
	unsigned int period;

	(void)unused;
	for (period = 0; period < 10; period++) {
		exact_work(exact_period());
		getppid();
	}
}

/*
 * The context monitors a thread that has almost no events. Its copy monitors a child that has many
 * events. The core may find overflows late, so the number of turns is not known.
 */
TEST(a_copy_switches_sets_by_itself)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	uint64_t sum = 0, count;
	unsigned int id;
	int fd;

	need_overflow_interrupts();
	fd = pfm_create_context(&ctx, NULL, NULL, 0);
	ck_assert_int_ne(fd, -1);
	for (id = 0; id < 2; id++)
		make_exact(fd, id, BY_OVERFLOW, exact_period(), 1);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must_exit_well(fork_child(work_ten_periods, 0));
	must(fd, pfm_unload_context(fd));
	for (id = 0; id < 2; id++) {
		ck_assert_uint_ge(set_of(fd, id).set_runs, 2);
		count = read_pmd_of(fd, id, pmu()->pmds[1]);
		ck_assert_uint_ge(count, exact_period());
		sum += count;
	}
	ck_assert_uint_ge(sum, 10 * exact_period());
}

/*
 * The test reads PFM_PMD_MINOR_FAULTS, because the number of faults is exact with every PMU. In
 * every third pass of the loop, the thread sleeps.
 */
TEST(no_fault_is_lost_between_sets)
{
	const struct timespec nap = { .tv_nsec = 100000 };
	uint64_t outer, inner, sum = 0;
	unsigned int id, turn;
	int fd;

	need_overflow_interrupts();
	fd = make_context();
	for (id = 0; id < 3; id++) {
		make_exact(fd, id, BY_OVERFLOW, exact_period() / (id + 1), 1);
		write_pmd_of(fd, id, PFM_PMD_MINOR_FAULTS, 0);
	}
	load(fd, thread_id());
	outer = minor_faults();
	must(fd, pfm_start(fd, NULL));
	inner = minor_faults();
	for (turn = 0; turn < 100; turn++) {
		touch_pages(20);
		exact_work(exact_period() / 3);
		if (turn % 3 == 0)
			nanosleep(&nap, NULL);
	}
	inner = minor_faults() - inner;
	must(fd, pfm_stop(fd));
	outer = minor_faults() - outer;
	for (id = 0; id < 3; id++)
		sum += read_pmd_of(fd, id, PFM_PMD_MINOR_FAULTS);
	must_be_between(sum, inner, outer);
	ck_assert_uint_gt(runs_of(fd, 0), 3);
	must_be_between(runs_of(fd, 2), runs_of(fd, 0) - 1, runs_of(fd, 0));
	set_zero_must_be_right(fd);
}

/* ---- counts of overflows ------------------------------------------------------------------------ */

/*
 * Starts the context, works for 1.25 periods, and stops the context. If the counter is reset, it
 * loses the events that it has counted between its overflow and the reset.
 */
static void overflow_once(int fd)
{
	must(fd, pfm_start(fd, NULL));
	exact_work(exact_period() + exact_period() / 4);
	must(fd, pfm_stop(fd));
}

TEST(a_read_returns_how_many_overflows_remain)
{
	unsigned int left;
	int fd;

	need_exact_work();
	fd = make_context();
	make_exact(fd, 0, BY_OVERFLOW, exact_period(), 3);
	make_exact(fd, 1, 0, BIT(60), 0);
	load(fd, thread_id());
	for (left = 3; left > 0; left--) {
		ck_assert_uint_eq(active_set(fd), 0);
		ck_assert_uint_eq(remaining(fd, 0), left);
		overflow_once(fd);
	}
	ck_assert_uint_eq(active_set(fd), 1);
	ck_assert_uint_eq(remaining(fd, 0), 0);
	/* When set 0 becomes active again, its next turn ends only after three more overflows. */
	start_set(fd, 0);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(remaining(fd, 0), 3);
	overflow_once(fd);
	ck_assert_uint_eq(remaining(fd, 0), 2);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(remaining(fd, 0), 2);
	load(fd, thread_id());
	ck_assert_uint_eq(remaining(fd, 0), 3);
	set_zero_must_be_right(fd);
}

/* An overflow of either of two counters switches sets. Both counters count the same event. */
TEST(the_first_of_several_triggers_switches_to_the_next_set)
{
	struct pfarg_pmd other;
	unsigned int first;
	int fd;

	need_exact_work();
	for (first = 0; first < 2; first++) {
		fd = make_context();
		make_exact(fd, 0, BY_OVERFLOW, exact_period() * (first ? 4 : 1), 1);
		make_exact(fd, 1, 0, BIT(60), 0);
		other = trigger(0, exact_period() * (first ? 1 : 4), 1);
		other.reg_num = pmu()->pmds[1];
		write_one(fd, other);
		load(fd, thread_id());
		overflow_once(fd);
		ck_assert_uint_eq(active_set(fd), 1);
		ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0],
				  BIT(pmu()->pmds[first]));
		ck_assert_uint_eq(
			read_back_of(fd, 0, pmu()->pmds[first]).reg_ovfl_switch_cnt, 0);
		ck_assert_uint_eq(
			read_back_of(fd, 0, pmu()->pmds[!first]).reg_ovfl_switch_cnt, 1);
		/*
		 * The other counter did not overflow. It has counted as many events as the counter
		 * that overflowed, and is not reset.
		 */
		must_be_between(-read_pmd_of(fd, 0, pmu()->pmds[!first]), 1,
				3 * exact_period());
		close(fd);
	}
}

/* Two overflows at the same time cause only one set switch. */
TEST(triggers_that_overflow_together_are_one_switch)
{
	struct pfarg_pmd other;
	unsigned int id;
	int fd;

	need_exact_work();
	fd = make_context();
	for (id = 0; id < 3; id++)
		make_exact(fd, id, BY_OVERFLOW, id ? BIT(60) : exact_period(), 1);
	other = trigger(0, exact_period(), 1);
	other.reg_num = pmu()->pmds[1];
	write_one(fd, other);
	load(fd, thread_id());
	overflow_once(fd);
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0],
			  BIT(pmu()->pmds[0]) | BIT(pmu()->pmds[1]));
	ck_assert_uint_eq(active_set(fd), 1);
	ck_assert_uint_eq(runs_of(fd, 1), 1);
	ck_assert_uint_eq(runs_of(fd, 2), 0);
	set_zero_must_be_right(fd);
}

/* ---- sets that are not left --------------------------------------------------------------------- */

TEST(without_the_flag_no_overflow_switches)
{
	static const uint32_t flags[] = { 0, BY_TIME };
	header_t header;
	size_t i;
	int fd;

	need_overflow_interrupts();
	for (i = 0; i < COUNT(flags); i++) {
		fd = default_context(0, 65536);
		header = map_buffer(fd, 65536);
		make_set(fd, 0, flags[i], HOUR);
		make_set(fd, 1, BY_OVERFLOW, 0);
		program_busy_of(fd, 0, 1);
		write_one(fd, trigger(0, PERIOD, 1));
		load_and_start(fd, thread_id());
		while (header->hdr_count < 5)
			sampled_loop(10000);
		must(fd, pfm_stop(fd));
		ck_assert_uint_eq(active_set(fd), 0);
		ck_assert_uint_eq(runs_of(fd, 0), 1);
		ck_assert_uint_eq(runs_of(fd, 1), 0);
		ck_assert_uint_eq(remaining(fd, 0), 1);
		close(fd);
	}
}

/* If the context has no format, an overflow that causes no set switch masks the context. */
TEST(an_overflow_without_notify_masks)
{
	static const struct {
		uint32_t flags;
		uint64_t count;
	} silent[] = { { 0, 1 }, { BY_TIME, 1 }, { BY_OVERFLOW, 0 } };
	size_t i;
	int fd;

	need_overflow_interrupts();
	for (i = 0; i < COUNT(silent); i++) {
		fd = make_context();
		make_set(fd, 0, silent[i].flags, HOUR);
		make_set(fd, 1, 0, 0);
		program_busy_of(fd, 0, 1);
		write_one(fd, trigger(0, PERIOD, silent[i].count));
		load_and_start(fd, thread_id());
		spin_until_masked(fd);
		ck_assert_uint_eq(active_set(fd), 0);
		ck_assert_uint_eq(runs_of(fd, 1), 0);
		must_be_silent(fd);
		must_not_restart(fd);
		close(fd);
	}
}

/*
 * Returns the least time in ns that @periods periods of PERIOD counts take. Under --icount each
 * count takes 1 ns. In other guests about 1 ns: the tests require half of it.
 */
static uint64_t least_time(uint64_t periods)
{
	return periods * (is_deterministic() ? PERIOD - EARLY : PERIOD / 2);
}

TEST(a_single_set_switches_to_itself_at_an_overflow)
{
	uint64_t runs;
	int fd;

	need_overflow_interrupts();
	fd = make_context();
	make_set(fd, 0, BY_OVERFLOW, 0);
	program_busy_of(fd, 0, 1);
	write_one(fd, trigger(0, PERIOD, 2));
	load_and_start(fd, thread_id());
	while (runs_of(fd, 0) < 6)
		sampled_loop(10000);
	must(fd, pfm_stop(fd));
	runs = runs_of(fd, 0);
	/* Each complete turn had two periods. */
	ck_assert_uint_ge(set_of(fd, 0).set_act_duration, least_time((runs - 1) * 2));
	ck_assert_int_lt((int64_t)sampled(fd, 0), 0);
	ck_assert_uint_eq(trigger_of(fd, 0).reg_last_reset_val, -PERIOD);
	set_zero_must_be_right(fd);
}

/* ---- what is reset, and when ---------------------------------------------------------------------- */

/*
 * Makes two sets. An overflow in either set switches to the other set. In both sets, the initial
 * value, the short reset value and the long reset value of the PMD are three different numbers.
 */
static int ping_pong(uint32_t flags)
{
	struct pfarg_pmd pmd;
	unsigned int id;
	int fd = make_context();

	for (id = 0; id < 2; id++) {
		make_set(fd, id, BY_OVERFLOW, 0);
		program_exact_of(fd, id, 1);
		pmd = trigger(id, exact_period(), 1);
		pmd.reg_flags = flags;
		pmd.reg_short_reset = -(exact_period() + 1);
		pmd.reg_long_reset = -(exact_period() + 2);
		write_one(fd, pmd);
	}
	load(fd, thread_id());
	return fd;
}

/*
 * A PMD is reset to its short reset value when its set becomes active again, not when the set's
 * turn ends.
 */
TEST(a_pmd_that_overflowed_is_reset_when_its_set_becomes_active)
{
	int fd;

	need_exact_work();
	fd = ping_pong(0);
	overflow_once(fd);
	ck_assert_uint_eq(active_set(fd), 1);
	ck_assert_int_ge((int64_t)sampled(fd, 0), 0);
	ck_assert_uint_eq(trigger_of(fd, 0).reg_last_reset_val, -exact_period());
	overflow_once(fd);
	ck_assert_uint_eq(active_set(fd), 0);
	ck_assert_int_lt((int64_t)sampled(fd, 0), 0);
	ck_assert_uint_eq(trigger_of(fd, 0).reg_last_reset_val, -(exact_period() + 1));
	ck_assert_int_ge((int64_t)sampled(fd, 1), 0);
	ck_assert_uint_eq(trigger_of(fd, 1).reg_last_reset_val, -exact_period());
	/*
	 * If pfm_start() names a set, a PMD that overflowed in this set gets its long reset value.
	 */
	start_set(fd, 1);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(trigger_of(fd, 1).reg_last_reset_val, -(exact_period() + 2));
	/*
	 * Since its reset, the counter has counted only the events at the end of pfm_start() and at
	 * the beginning of pfm_stop().
	 */
	must_be_between(-sampled(fd, 1), exact_period() / (is_debug_kernel() ? 20 : 2),
			exact_period() + 2);
	/* Set 0 has had no overflow since its last reset, so this start does not reset its PMD. */
	start_set(fd, 0);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(trigger_of(fd, 0).reg_last_reset_val, -(exact_period() + 1));
	set_zero_must_be_right(fd);
}

/* Each overflow masks the context and sends a message. The restart switches to the next set. */
TEST(a_switch_waits_for_the_restart)
{
	struct pfarg_ovfl_msg message;
	unsigned int turn, id;
	int fd;

	need_exact_work();
	fd = ping_pong(NOTIFY);
	must(fd, pfm_start(fd, NULL));
	for (turn = 0; turn < 6; turn++) {
		id = turn % 2;
		while (!message_waits(fd))
			exact_work(exact_period());
		message = next_overflow(fd);
		ck_assert_uint_eq(message.msg_active_set, id);
		ck_assert_uint_eq(message.msg_ovfl_pmds[0], BIT(pmu()->pmds[0]));
		ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
		ck_assert_uint_eq(active_set(fd), id);
		ck_assert_uint_eq(runs_of(fd, id), turn / 2 + 1);
		ck_assert_uint_eq(runs_of(fd, !id), (turn + 1) / 2);
		ck_assert_uint_eq(remaining(fd, id), 0);
		ck_assert_int_ge((int64_t)sampled(fd, id), 0);
		must(fd, pfm_stop(fd));
		must(fd, pfm_restart(fd));
		must_not_restart(fd);
		ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
		ck_assert_uint_eq(active_set(fd), !id);
		ck_assert_uint_eq(runs_of(fd, !id), (turn + 1) / 2 + 1);
		ck_assert_uint_eq(remaining(fd, !id), 1);
		/*
		 * The PMD of the old set is not reset yet. The PMD of the new set gets its long
		 * reset value if it has overflowed before.
		 */
		ck_assert_int_ge((int64_t)sampled(fd, id), 0);
		ck_assert_uint_eq(trigger_of(fd, !id).reg_last_reset_val,
				  turn ? -(exact_period() + 2) : -exact_period());
		must(fd, pfm_start(fd, NULL));
	}
	set_zero_must_be_right(fd);
}

/*
 * If no switch is due when an overflow masks the context, the same set stays active after the
 * restart.
 */
TEST(a_restart_switches_sets_only_if_a_switch_is_due)
{
	struct pfarg_pmd pmd;
	unsigned int turn;
	int fd;

	need_exact_work();
	fd = make_context();
	make_exact(fd, 0, BY_OVERFLOW, exact_period(), 3);
	pmd = trigger(0, exact_period(), 3);
	pmd.reg_flags = NOTIFY;
	write_one(fd, pmd);
	make_exact(fd, 1, 0, BIT(60), 0);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 3; turn++) {
		ck_assert_uint_eq(active_set(fd), 0);
		while (!message_waits(fd))
			exact_work(exact_period());
		ck_assert_uint_eq(next_overflow(fd).msg_active_set, 0);
		ck_assert_uint_eq(remaining(fd, 0), 2 - turn);
		must(fd, pfm_restart(fd));
	}
	ck_assert_uint_eq(active_set(fd), 1);
	ck_assert_uint_eq(runs_of(fd, 0), 1);
	ck_assert_uint_eq(runs_of(fd, 1), 1);
	set_zero_must_be_right(fd);
}

/*
 * The user starts another set before the restart, and this set is still active after the restart.
 */
TEST(a_start_with_a_set_replaces_a_pending_switch)
{
	int fd;

	need_exact_work();
	fd = ping_pong(NOTIFY);
	must(fd, pfm_unload_context(fd));
	make_set(fd, 2, 0, 0);
	program_exact_of(fd, 2, 1);
	write_pmd_of(fd, 2, pmu()->pmds[0], 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	while (!message_waits(fd))
		exact_work(exact_period());
	next_overflow(fd);
	start_set(fd, 2);
	ck_assert_uint_eq(active_set(fd), 2);
	ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
	must(fd, pfm_restart(fd));
	ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
	ck_assert_uint_eq(active_set(fd), 2);
	ck_assert_uint_eq(runs_of(fd, 0), 2); /* one for each load */
	ck_assert_uint_eq(runs_of(fd, 1), 0);
	ck_assert_uint_eq(runs_of(fd, 2), 1);
	exact_work(100);
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(sampled(fd, 2), 0);
	set_zero_must_be_right(fd);
}

/*
 * In all sets, the load clears the bitmaps of overflows and the pending resets. It also drops a
 * pending switch.
 */
TEST(a_load_clears_overflows)
{
	int fd;

	need_exact_work();
	fd = ping_pong(0);
	overflow_once(fd);
	ck_assert_uint_ne(set_of(fd, 0).set_ovfl_pmds[0], 0);
	must(fd, pfm_unload_context(fd));
	load_set(fd, thread_id(), 1);
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], 0);
	start_set(fd, 0);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(trigger_of(fd, 0).reg_last_reset_val, -exact_period());
	ck_assert_int_ge((int64_t)sampled(fd, 0), 0);
	close(fd);

	fd = ping_pong(NOTIFY);
	must(fd, pfm_start(fd, NULL));
	while (!message_waits(fd))
		exact_work(exact_period());
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(runs_of(fd, 1), 0);
	load(fd, thread_id());
	ck_assert_uint_eq(active_set(fd), 0);
	must(fd, pfm_start(fd, NULL));
	must_not_restart(fd);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(active_set(fd), 0);
	set_zero_must_be_right(fd);
}

/* The turns of one set end after a timeout; those of the other set end after an overflow. */
TEST(switches_by_time_and_by_overflow_can_be_combined)
{
	struct turns turns;
	int fd;

	need_overflow_interrupts();
	fd = make_context();
	make_set(fd, 0, BY_TIME, MS);
	use_busy_counters_of(fd, 0);
	make_set(fd, 1, BY_OVERFLOW, 0);
	use_busy_counters_of(fd, 1);
	write_one(fd, trigger(1, PERIOD, 1));
	load_and_start(fd, thread_id());
	while (runs_of(fd, 1) < 10)
		sampled_loop(10000);
	must(fd, pfm_stop(fd));
	turns = fair_turns_of(fd, 2);
	ck_assert_uint_eq(turns.clock, turns.duration);
	ck_assert_uint_ge(set_of(fd, 0).set_act_duration, 9 * MS);
	ck_assert_uint_ge(set_of(fd, 1).set_act_duration, least_time(9));
	set_zero_must_be_right(fd);
}
