// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the registers of several event sets, and which set is active: docs/interface.md 1.8 to
 * 1.12, 3.3 and 3.4.
 */
#include <stdio.h>

#include "sets.h"

SUITE(set_registers, 120);

#define NO_INDEX PFM_NO_INDEX

/* ---- sets that do not exist ------------------------------------------------------------- */

static int read_pmr(int fd, unsigned int id, unsigned int pmd)
{
	struct pfarg_pmr element = { .reg_num = pmd, .reg_set = id };

	return pfm_read(fd, 0, PFM_RW_PMD, &element, sizeof(element));
}

/*
 * The numbers of the missing sets are between the numbers of the existing sets, or higher than all
 * of them.
 */
TEST(no_call_accepts_a_missing_set)
{
	static const unsigned int missing[] = { 1, 2, 4, 8, 10, 65535 };
	int fd = busy_context();
	size_t i;

	make_set(fd, 3, BY_OVERFLOW, 0);
	make_set(fd, 9, 0, 0);
	for (i = 0; i < COUNT(missing); i++) {
		struct pfarg_pmc pmc = { .reg_num = pmu()->pmcs[0],
					 .reg_set = missing[i],
					 .reg_value = pmu()->busy[0] };
		struct pfarg_pmd pmd = { .reg_num = pmu()->pmds[0],
					 .reg_set = missing[i] };

		must_fail(fd, pfm_write_pmcs(fd, &pmc, 1), EINVAL, PFM_REASON_NO_SET, 0);
		must_fail(fd, pfm_write_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_NO_SET, 0);
		must_fail(fd, pfm_read_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_NO_SET, 0);
		must_fail(fd, read_pmr(fd, missing[i], pmd.reg_num), EINVAL,
			  PFM_REASON_NO_SET, 0);
		must_fail(fd, try_delete(fd, missing[i]), EINVAL, PFM_REASON_NO_SET, 0);
		must_have_no_set(fd, missing[i]);
		must_fail(fd, try_load_set(fd, thread_id(), missing[i]), EINVAL,
			  PFM_REASON_NO_SET, NO_INDEX);
		ck_assert_uint_eq(sessions(), 0);
		/* The refused load has left no context on the thread, so this load succeeds. */
		load_set(fd, thread_id(), 3);
		must_fail(fd, try_start_set(fd, missing[i]), EINVAL, PFM_REASON_NO_SET,
			  NO_INDEX);
		ck_assert_uint_eq(status_of(fd).flags & PFM_STATUS_STARTED, 0);
		ck_assert_uint_eq(active_set(fd), 3);
		ck_assert_uint_eq(runs_of(fd, 3), i + 1);
		must(fd, pfm_unload_context(fd));
	}
	set_zero_must_be_right(fd);
}

/* ---- registers ------------------------------------------------------------------------------ */

TEST(one_call_writes_registers_of_several_sets)
{
	const unsigned int n = pmu()->pmds[0];
	struct pfarg_pmd pmds[] = {
		{ .reg_num = n, .reg_set = 2, .reg_value = 22 },
		{ .reg_num = PFM_PMD_TASK_CLOCK, .reg_set = 0, .reg_value = 33 },
		{ .reg_num = n, .reg_set = 0, .reg_value = 44 },
		{ .reg_num = n, .reg_set = 65535, .reg_value = 55 },
		{ .reg_num = PFM_PMD_TASK_CLOCK, .reg_set = 2, .reg_value = 66 },
	};
	struct pfarg_pmd back[COUNT(pmds)] = {};
	struct pfarg_pmr values[COUNT(pmds)] = {};
	int fd = make_context();
	size_t i;

	make_set(fd, 65535, 0, 0);
	make_set(fd, 2, 0, 0);
	must(fd, pfm_write_pmds(fd, pmds, COUNT(pmds)));
	for (i = 0; i < COUNT(pmds); i++) {
		back[i].reg_num = values[i].reg_num = pmds[i].reg_num;
		back[i].reg_set = values[i].reg_set = pmds[i].reg_set;
	}
	must(fd, pfm_read_pmds(fd, back, COUNT(back)));
	must(fd, pfm_read(fd, 0, PFM_RW_PMD, values, sizeof(values)));
	for (i = 0; i < COUNT(pmds); i++) {
		ck_assert_uint_eq(back[i].reg_value, pmds[i].reg_value);
		ck_assert_uint_eq(values[i].reg_value, pmds[i].reg_value);
	}
	/* A PMD can be in use in one set and unused in another. */
	back[0].reg_num = PFM_PMD_TASK_CLOCK;
	back[0].reg_set = 65535;
	must_fail(fd, pfm_read_pmds(fd, back, 1), EINVAL, PFM_REASON_PMD_UNUSED, 0);
	set_zero_must_be_right(fd);
}

TEST(registers_before_a_refused_one_are_written)
{
	struct pfarg_pmd pmds[] = {
		{ .reg_num = pmu()->pmds[0], .reg_set = 2, .reg_value = 1 },
		{ .reg_num = pmu()->pmds[0], .reg_set = 0, .reg_value = 2 },
		{ .reg_num = pmu()->pmds[0], .reg_set = 1, .reg_value = 3 },
		{ .reg_num = pmu()->pmds[0], .reg_set = 2, .reg_value = 4 },
	};
	int fd = make_context();

	make_set(fd, 2, 0, 0);
	must_fail(fd, pfm_write_pmds(fd, pmds, COUNT(pmds)), EINVAL, PFM_REASON_NO_SET,
		  2);
	ck_assert_uint_eq(read_pmd_of(fd, 2, pmu()->pmds[0]), 1);
	ck_assert_uint_eq(read_pmd_of(fd, 0, pmu()->pmds[0]), 2);
	set_zero_must_be_right(fd);
}

/*
 * Each set has its own PMCs: those of set 0 make the counter count whenever the thread runs, and
 * those of set 1 make it count nothing.
 */
TEST(each_set_counts_with_its_own_registers)
{
	const unsigned int n = pmu()->pmds[0];
	uint64_t busy;
	int fd = make_context();

	make_set(fd, 1, 0, 0);
	program_busy_of(fd, 0, 1);
	write_pmc_of(fd, 1, pmu()->pmcs[0], pmu()->quiet[0]);
	write_pmd_of(fd, 0, n, 10);
	write_pmd_of(fd, 1, n, 20);
	load_set(fd, thread_id(), 1);
	must(fd, pfm_start(fd, NULL));
	spin_turns(10000);
	ck_assert_uint_eq(read_pmd_of(fd, 1, n), 20);
	ck_assert_uint_eq(read_pmd_of(fd, 0, n), 10);
	start_set(fd, 0);
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	busy = read_pmd_of(fd, 0, n);
	ck_assert_uint_gt(busy, 10);
	ck_assert_uint_eq(read_pmd_of(fd, 1, n), 20);
	start_set(fd, 1);
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd_of(fd, 0, n), busy);
	ck_assert_uint_eq(read_pmd_of(fd, 1, n), 20);
	set_zero_must_be_right(fd);
}

/*
 * Usually, a set switch writes only the PMCs that differ from those of the previous set. Sets 1 and
 * 2 have the same PMCs. But set 1 has no counters, so its PMCs were not written, and the hardware
 * still has those of set 0. So the switch to set 2 must write the PMCs.
 */
TEST(a_set_without_counters_does_not_hide_the_registers_of_the_next_one)
{
	const unsigned int n = pmu()->pmds[0];
	unsigned int id;
	int fd = make_context();

	for (id = 0; id < 3; id++) {
		make_set(fd, id, id < 2 ? BY_TIME : 0, id < 2 ? MS : 0);
		write_pmc_of(fd, id, pmu()->pmcs[0],
			     id == 0 ? pmu()->busy[0] : pmu()->quiet[0]);
		write_pmd_of(fd, id, id == 1 ? PFM_PMD_TASK_CLOCK : n, 0);
	}
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	while (active_set(fd) != 2)
		spin_turns(1000);
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(read_pmd_of(fd, 0, n), 0);
	ck_assert_uint_gt(read_pmd_of(fd, 1, PFM_PMD_TASK_CLOCK), 0);
	ck_assert_uint_eq(read_pmd_of(fd, 2, n), 0);
}

/*
 * When pfm_create_evtsets() changes an existing set, the set's PMDs stay in use. But its PMCs get
 * their defaults, so they have to be written again.
 */
TEST(a_set_that_becomes_timed_goes_on_with_its_counters)
{
	const unsigned int n = pmu()->pmds[0];
	int fd = make_context();

	write_pmd_of(fd, 0, n, 0);
	make_set(fd, 0, BY_TIME, MS);
	write_pmc_of(fd, 0, pmu()->pmcs[0], pmu()->busy[0]);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(read_pmd_of(fd, 0, n), 0);
}

/*
 * A write to a set that is not active changes only values in memory. These values take effect when
 * the set becomes active.
 */
TEST(registers_of_a_set_that_is_not_active_can_be_written)
{
	const unsigned int n = pmu()->pmds[0];
	uint64_t value;
	int fd = make_context();

	make_set(fd, 1, 0, 0);
	program_busy_of(fd, 0, 1);
	write_pmd_of(fd, 0, n, 0);
	load_set(fd, thread_id(), 0);
	must(fd, pfm_start(fd, NULL));
	write_pmd_of(fd, 1, n, BIT(50));
	write_pmc_of(fd, 1, pmu()->pmcs[0], pmu()->busy[0]);
	write_pmd_of(fd, 1, PFM_PMD_MINOR_FAULTS, 1000);
	spin_turns(10000);
	ck_assert_uint_eq(read_pmd_of(fd, 1, n), BIT(50));
	ck_assert_uint_eq(read_pmd_of(fd, 1, PFM_PMD_MINOR_FAULTS), 1000);
	value = read_pmd_of(fd, 0, n);
	ck_assert_uint_gt(value, 0);
	ck_assert_uint_lt(value, BIT(50));
	start_set(fd, 1);
	value = minor_faults();
	touch_pages(50);
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(read_pmd_of(fd, 1, n), BIT(50));
	ck_assert_uint_ge(read_pmd_of(fd, 1, PFM_PMD_MINOR_FAULTS), 1050);
	ck_assert_uint_lt(read_pmd_of(fd, 0, n), BIT(50));
	set_zero_must_be_right(fd);
}

TEST(virtual_pmds_count_in_the_active_set)
{
	uint64_t outer, inner;
	int fd = make_context();
	struct turns turns;
	unsigned int id, i;

	for (id = 0; id < 3; id++) {
		make_set(fd, id, 0, 0);
		use_busy_counters_of(fd, id);
	}
	load(fd, thread_id());
	outer = minor_faults();
	must(fd, pfm_start(fd, NULL));
	inner = minor_faults();
	for (i = 0; i < 30; i++) {
		touch_pages(10 * (i % 3 + 1));
		start_set(fd, (i + 1) % 3);
	}
	inner = minor_faults() - inner;
	must(fd, pfm_stop(fd));
	outer = minor_faults() - outer;
	turns = fair_turns_of(fd, 3);
	must_be_between(turns.faults, inner, outer);
	ck_assert_uint_eq(turns.clock, turns.duration);
	for (id = 0; id < 3; id++)
		must_be_between(read_pmd_of(fd, id, PFM_PMD_MINOR_FAULTS), 100 * (id + 1),
				100 * (id + 1) + 50);
	set_zero_must_be_right(fd);
}

/* ---- the active set --------------------------------------------------------------------------- */

TEST(load_and_start_activate_the_set_that_they_name)
{
	int fd = make_context();

	make_set(fd, 4, 0, 0);
	make_set(fd, 6, 0, 0);
	ck_assert_uint_eq(active_set(fd), 0);
	load_set(fd, thread_id(), 4);
	ck_assert_uint_eq(active_set(fd), 4);
	ck_assert_uint_eq(runs_of(fd, 4), 1);
	ck_assert_uint_eq(runs_of(fd, 0), 0);
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_eq(active_set(fd), 4);
	ck_assert_uint_eq(runs_of(fd, 4), 1);
	/* A start of a context that already counts can select a set, even the active set. */
	start_set(fd, 6);
	ck_assert_uint_eq(active_set(fd), 6);
	ck_assert_uint_ne(status_of(fd).flags & PFM_STATUS_STARTED, 0);
	start_set(fd, 6);
	ck_assert_uint_eq(runs_of(fd, 6), 2);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(active_set(fd), 6);
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(active_set(fd), 6);
	ck_assert_uint_eq(runs_of(fd, 6), 2);
	start_set(fd, 0);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(runs_of(fd, 0), 1);
	/* The next load begins with the set that it names, not with the last active set. */
	load_set(fd, thread_id(), 6);
	ck_assert_uint_eq(active_set(fd), 6);
	ck_assert_uint_eq(runs_of(fd, 6), 3);
	ck_assert_uint_eq(runs_of(fd, 4), 1);
	set_zero_must_be_right(fd);
}

/*
 * The context is loaded on another thread, which runs while the caller selects one set after the
 * other. If there is only one CPU, that thread runs while the caller sleeps in wait_until().
 */
TEST(another_threads_sets_can_be_changed_while_it_runs)
{
	struct child child = child_new();
	struct turns turns = {};
	struct watch watch;
	uint64_t values[4], done;
	unsigned int id, i;
	int fd = make_context();

	for (id = 0; id < 4; id++) {
		make_set(fd, id, 0, 0);
		use_busy_counters_of(fd, id);
	}
	pin(0);
	child_call(&child, child_pin, cpus_online() - 1);
	load(fd, child.pid);
	watch = watch_begin(fd, child.pid);
	child_busy(&child);
	for (i = 0; i < 400; i++) {
		id = i % 4;
		start_set(fd, id);
		ck_assert_uint_eq(active_set(fd), id);
		/* The set that was active before this start must no longer count. */
		values[0] = read_pmd_of(fd, (id + 3) % 4, pmu()->pmds[0]);
		values[1] = read_pmd_of(fd, id, pmu()->pmds[0]);
		done = child.page->turns;
		wait_until(child.page->turns != done);
		values[2] = read_pmd_of(fd, (id + 3) % 4, pmu()->pmds[0]);
		values[3] = read_pmd_of(fd, id, pmu()->pmds[0]);
		ck_assert_uint_eq(values[0], values[2]);
		ck_assert_uint_lt(values[1], values[3]);
	}
	watch_end(fd, &watch);
	child_rest(&child);
	for (id = 0; id < 4; id++) {
		/* Set 0 has one more run than the other sets, because the load made it active. */
		ck_assert_uint_eq(runs_of(fd, id), 100 + (id == 0));
		ck_assert_uint_gt(read_pmd_of(fd, id, pmu()->pmds[0]), 0);
		turns.duration += set_of(fd, id).set_act_duration;
		turns.clock += read_pmd_of(fd, id, PFM_PMD_TASK_CLOCK);
	}
	must_be_watched(&turns, &watch);
	set_zero_must_be_right(fd);
}

/* ---- overflow thresholds -------------------------------------------------------------------------- */

static int write_threshold(int fd, unsigned int id, unsigned int pmd, uint64_t count)
{
	struct pfarg_pmd element = { .reg_num = pmd,
				     .reg_set = id,
				     .reg_value = 5,
				     .reg_ovfl_switch_cnt = count };

	return pfm_write_pmds(fd, &element, 1);
}

static uint64_t remaining(int fd, unsigned int id, unsigned int pmd)
{
	return read_back_of(fd, id, pmd).reg_ovfl_switch_cnt;
}

/*
 * The threshold of a PMD, reg_ovfl_switch_cnt, is the number of overflows of this PMD after which a
 * turn of the set ends. With a threshold of 0, an overflow of the PMD never ends a turn. So every
 * PMD that can be written accepts a threshold of 0.
 */
TEST(a_pmd_that_never_overflows_has_no_threshold)
{
	unsigned int numbers[16], count = 0, n, i;
	int fd = make_context();

	make_set(fd, 1, BY_OVERFLOW, 0);
	for (n = 0; n < PFM_MAX_PMDS && count < COUNT(numbers); n++) {
		bool is_there = pmu()->info.available_pmds[n / 64] >> (n % 64) & 1;
		bool counts = pmu()->info.counter_pmds[n / 64] >> (n % 64) & 1;

		if (is_there && !counts && !is_only_sampled(fd, n))
			numbers[count++] = n;
	}
	ck_assert_uint_ge(count, 6);
	for (i = 0; i < count; i++) {
		must_fail(fd, write_threshold(fd, 1, numbers[i], 1), EINVAL,
			  PFM_REASON_SWITCH_COUNT, 0);
		must_fail(fd, write_threshold(fd, 1, numbers[i], ~0ull), EINVAL,
			  PFM_REASON_SWITCH_COUNT, 0);
		/* The write was refused, so it has not brought the PMD into use. */
		must_fail(fd, read_pmr(fd, 1, numbers[i]), EINVAL, PFM_REASON_PMD_UNUSED,
			  0);
		must(fd, write_threshold(fd, 1, numbers[i], 0));
		must_fail(fd, write_threshold(fd, 1, numbers[i], 1), EINVAL,
			  PFM_REASON_SWITCH_COUNT, 0);
		ck_assert_uint_eq(remaining(fd, 1, numbers[i]), 0);
	}
	must_fail(fd, write_threshold(fd, 1, pmu()->missing_pmd, 1), EINVAL,
		  PFM_REASON_NO_PMD, 0);
	must_fail(fd, write_threshold(fd, 2, pmu()->pmds[0], 1), EINVAL,
		  PFM_REASON_NO_SET, 0);
	set_zero_must_be_right(fd);
}

TEST(a_threshold_that_is_refused_changes_nothing)
{
	struct pfarg_pmd pmds[] = {
		{ .reg_num = pmu()->pmds[1], .reg_value = 11, .reg_ovfl_switch_cnt = 2 },
		{ .reg_num = PFM_PMD_TASK_CLOCK,
		  .reg_value = 12,
		  .reg_ovfl_switch_cnt = 3 },
		{ .reg_num = pmu()->pmds[1], .reg_value = 13, .reg_ovfl_switch_cnt = 4 },
	};
	int fd = make_context();

	make_set(fd, 0, BY_OVERFLOW, 0);
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 77);
	must_fail(fd, pfm_write_pmds(fd, pmds, COUNT(pmds)), EINVAL,
		  PFM_REASON_SWITCH_COUNT, 1);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_TASK_CLOCK), 77);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[1]), 11);
	ck_assert_uint_eq(remaining(fd, 0, pmu()->pmds[1]), 2);
	set_zero_must_be_right(fd);
}

/* All 64 bits of a threshold can be read back, even in a set without PFM_SETFL_OVFL_SWITCH. */
TEST(a_threshold_can_be_read_back)
{
	static const uint64_t counts[] = { 1, 2, BIT(32), ~0ull, 0 };
	int fd = make_context();
	size_t i;

	make_set(fd, 1, BY_OVERFLOW, 0);
	for (i = 0; i < COUNT(counts); i++) {
		must(fd, write_threshold(fd, 1, pmu()->pmds[0], counts[i]));
		ck_assert_uint_eq(remaining(fd, 1, pmu()->pmds[0]), counts[i]);
	}
	must(fd, write_threshold(fd, 0, pmu()->pmds[0], 8));
	must(fd, write_threshold(fd, 1, pmu()->pmds[0], 9));
	ck_assert_uint_eq(remaining(fd, 0, pmu()->pmds[0]), 8);
	ck_assert_uint_eq(remaining(fd, 1, pmu()->pmds[0]), 9);
	load_set(fd, thread_id(), 1);
	ck_assert_uint_eq(remaining(fd, 1, pmu()->pmds[0]), 9);
	/* A write with a threshold of 0 removes the previous threshold. */
	write_pmd_of(fd, 1, pmu()->pmds[0], 1);
	ck_assert_uint_eq(remaining(fd, 1, pmu()->pmds[0]), 0);
	set_zero_must_be_right(fd);
}
