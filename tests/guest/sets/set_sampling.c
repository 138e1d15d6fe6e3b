// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests samples of event sets: which set a sample names, and which set is active after the
 * overflow. Also tests the virtual PMDs that show the runs of a set, its interrupts, and the number
 * of the CPU.
 */
#include <sched.h>
#include <stdio.h>

#include "sets.h"

SUITE(set_sampling, 300);

#define MIB	(1ul << 20)
#define MILLION 1000000ull
#define HOUR	(3600 * 1000 * MS)

/* ---- programs --------------------------------------------------------------------------- */

/*
 * Returns an argument for pfm_write_pmds(). With it, counter @i of set @id overflows once per
 * @period, and the context switches sets after @count overflows.
 */
static struct pfarg_pmd sampling_of(unsigned int id, unsigned int i, uint64_t period,
				    uint64_t count)
{
	struct pfarg_pmd pmd = sampling(i, period);

	pmd.reg_set = id;
	pmd.reg_ovfl_switch_cnt = count;
	return pmd;
}

/* ---- the set of a sample ------------------------------------------------------------------ */

/*
 * The sets are not created in the order of their numbers. A set's turn ends after one or more
 * overflows. Each sample has the number of its set.
 */
TEST(samples_have_the_number_of_their_set)
{
	static const struct {
		unsigned int id;
		unsigned int count;
	} sets[] = { { 0, 3 }, { 3, 2 }, { 700, 1 }, { 65535, 4 } };
	static const int order[] = { 2, 3, 0, 1 };
	unsigned int at = 0, left = sets[0].count;
	header_t header;
	entry_t entry;
	size_t i;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	for (i = 0; i < COUNT(order); i++) {
		const unsigned int id = sets[order[i]].id;

		make_set(fd, id, BY_OVERFLOW, 0);
		program_busy_of(fd, id, 1);
		write_one(fd, sampling_of(id, 0, PERIOD + id, sets[order[i]].count));
	}
	load_and_start(fd, thread_id());
	fill_to(header, 50);
	must(fd, pfm_stop(fd));
	must_be_whole(header, 0);
	for_each_entry(entry, header, 0) {
		ck_assert_uint_eq(entry->set, sets[at].id);
		ck_assert_uint_eq(entry->ovfl_pmd, pmu()->pmds[0]);
		ck_assert_uint_eq(entry->last_reset_val, -(PERIOD + entry->set));
		if (--left)
			continue;
		at = (at + 1) % COUNT(sets);
		left = sets[at].count;
	}
	ck_assert_uint_eq(active_set(fd), sets[at].id);
	ck_assert_uint_eq(
		read_back_of(fd, sets[at].id, pmu()->pmds[0]).reg_ovfl_switch_cnt, left);
	must_be_silent(fd);
	set_zero_must_be_right(fd);
}

/* Sets take turns by time. Samples of a set come only during its turn. */
TEST(samples_come_in_the_order_of_the_sets_turns)
{
	const unsigned int count = 4;
	uint64_t changes = 0, times[2], runs = 0;
	unsigned int id, before = 0;
	header_t header;
	entry_t entry;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	for (id = 0; id < count; id++) {
		make_set(fd, id, BY_TIME, 3 * PERIOD);
		program_busy_of(fd, id, 1);
		write_one(fd, sampling_of(id, 0, PERIOD / 2, 0));
	}
	load_and_start(fd, thread_id());
	fill_to(header, 200);
	must(fd, pfm_stop(fd));
	times[0] = 0;
	for_each_entry(entry, header, 0) {
		times[1] = entry->tstamp;
		ck_assert_uint_ge(times[1], times[0]);
		times[0] = times[1];
		/* On a slow host a whole turn may pass without a sample. */
		if (is_deterministic())
			must_be_between((entry->set + count - before) % count, 0, 1);
		changes += entry->set != before;
		before = entry->set;
	}
	for (id = 0; id < count; id++)
		runs += runs_of(fd, id);
	ck_assert_uint_ge(changes, 10);
	ck_assert_uint_ge(runs, changes + 1);
	fair_turns_of(fd, count);
	set_zero_must_be_right(fd);
}

/*
 * Three counters count the same event, two in set 0 and one in set 1. For each sample, the test
 * calculates which counter must have overflowed, and which set must have been active.
 */
TEST(several_triggers_switch_in_the_calculated_order)
{
	static const uint64_t periods[3] = { 10000000, 3700000, 4700000 };
	uint64_t left[3], step;
	unsigned int next, set = 0, i;
	header_t header;
	entry_t entry;
	int fd;

	need_known_instructions();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	for (i = 0; i < 3; i++) {
		left[i] = periods[i];
		make_set(fd, i / 2, BY_OVERFLOW, 0);
	}
	for (i = 0; i < 3; i++) {
		write_pmc_of(fd, i / 2, pmu()->pmcs[i], instructions(AT_BOTH));
		write_one(fd, sampling_of(i / 2, i, periods[i], 1));
	}
	load_and_start(fd, thread_id());
	/* QEMU updates some event counters only at exceptions. So the loop makes system calls. */
	while (header->hdr_count < 15) {
		sampled_loop(5000);
		thread_id();
	}
	must(fd, pfm_stop(fd));
	for_each_entry(entry, header, 0) {
		ck_assert_uint_eq(entry->set, set);
		next = set ? 2 : left[0] > left[1];
		ck_assert_uint_eq(entry->ovfl_pmd, pmu()->pmds[next]);
		step = left[next];
		for (i = 0; i < 3; i++)
			if (i / 2 == set)
				left[i] -= step;
		left[next] = periods[next];
		set = !set;
	}
	set_zero_must_be_right(fd);
}

/* ---- the buffer is full ------------------------------------------------------------------------- */

/*
 * Makes sets 0 and 1. An overflow in either set switches to the other set. In both sets, the
 * initial period, the short period and the long period have three different lengths.
 */
static void make_sampling_pair(int fd)
{
	struct pfarg_pmd pmd;
	unsigned int id;

	for (id = 0; id < 2; id++) {
		make_set(fd, id, BY_OVERFLOW, 0);
		program_busy_of(fd, id, 1);
		pmd = sampling_of(id, 0, PERIOD, 1);
		pmd.reg_short_reset = -(PERIOD + 1);
		pmd.reg_long_reset = -(PERIOD + 2);
		write_one(fd, pmd);
	}
}

/*
 * Each sample fills the buffer. The set switch happens at the restart, which uses the long reset
 * values.
 */
TEST(a_full_buffer_postpones_the_switch)
{
	struct pfarg_ovfl_msg message;
	unsigned int turn, id;
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, least_size());
	header = map_buffer(fd, least_size());
	make_sampling_pair(fd);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 8; turn++) {
		id = turn % 2;
		spin_until_message(fd);
		message = next_overflow(fd);
		ck_assert_uint_eq(message.msg_active_set, id);
		ck_assert_uint_eq(header->hdr_count, 1);
		ck_assert_uint_eq(first_entry(header)->set, id);
		ck_assert_uint_eq(first_entry(header)->last_reset_val,
				  turn < 2 ? -PERIOD : -(PERIOD + 2));
		ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
		ck_assert_uint_eq(active_set(fd), id);
		ck_assert_uint_eq(runs_of(fd, !id), (turn + 1) / 2);
		must(fd, pfm_restart(fd));
		ck_assert_uint_eq(runs_of(fd, !id), (turn + 1) / 2 + 1);
	}
	must(fd, pfm_stop(fd));
	set_zero_must_be_right(fd);
}

/* The thread blocks while one set is active. When it continues, the next set is active. */
TEST(a_blocked_thread_continues_in_the_next_set)
{
	struct child child = child_new();
	struct pfarg_ovfl_msg message;
	unsigned int turn, id;
	uint64_t turns;
	int fd;

	need_overflow_interrupts();
	fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);
	for (id = 0; id < 3; id++) {
		make_set(fd, id, BY_OVERFLOW, 0);
		program_busy_of(fd, id, 1);
		write_one(fd, sampling_of(id, 0, PERIOD, 1));
	}
	load_and_start(fd, child.pid);
	child.page->stop = 0;
	child.page->turns = 0;
	child_begin(&child, loop_until_stopped, 0);
	for (turn = 0; turn < 9; turn++) {
		message = next_overflow(fd);
		ck_assert_uint_eq(message.msg_active_set, turn % 3);
		wait_until(thread_state(child.pid) == 'D');
		turns = child.page->turns;
		usleep(20000);
		ck_assert_uint_eq(child.page->turns, turns);
		ck_assert_uint_eq(active_set(fd), turn % 3);
		must(fd, pfm_restart(fd));
	}
	must(fd, pfm_unload_context(fd));
	child.page->stop = 1;
	child_finish(&child);
	for (id = 0; id < 3; id++)
		ck_assert_uint_eq(runs_of(fd, id), 3 + (id == 0));
}

/*
 * The buffer has room for four entries. The first three set switches happen at overflows and use
 * the short reset values. The fourth set switch happens at the restart and uses the long reset
 * value.
 */
TEST(each_switch_uses_its_short_or_long_values)
{
	const uint64_t size = least_size() + 3 * sizeof(struct pfm_dfl_smpl_entry);
	uint64_t most, i, wanted;
	unsigned int turn, before = 1;
	uint64_t seen[2] = {};
	bool is_long = false;
	header_t header;
	entry_t entry;
	int fd;

	need_overflow_interrupts();
	most = entries_until_full(size, 0);
	fd = default_context(0, size);
	header = map_buffer(fd, size);
	make_sampling_pair(fd);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 4; turn++) {
		spin_until_message(fd);
		ck_assert_uint_eq(header->hdr_count, most);
		ck_assert_uint_eq(next_overflow(fd).msg_active_set,
				  first_entry(header)[most - 1].set);
		for (i = 0; i < most; i++) {
			entry = first_entry(header) + i;
			ck_assert_uint_eq(entry->set, !before);
			before = entry->set;
			/*
			 * The restart has switched sets and used the long reset value, so the first
			 * sample after the restart ends a long period. But the very first sample of
			 * each set ends the set's initial period.
			 */
			wanted = is_long ? PERIOD + 2 : PERIOD + 1;
			if (!seen[entry->set]++)
				wanted = PERIOD;
			ck_assert_uint_eq(entry->last_reset_val, -wanted);
			is_long = false;
		}
		must(fd, pfm_restart(fd));
		is_long = true;
	}
	must(fd, pfm_stop(fd));
	set_zero_must_be_right(fd);
}

/*
 * When a counter overflows, the PMDs in its reg_reset_pmds are reset, but only in the counter's
 * set.
 */
TEST(a_sample_resets_pmds_of_its_set_only)
{
	const unsigned int listed = pmu()->pmds[1];
	struct pfarg_pmd pmd, quiet = { .reg_num = listed,
					.reg_short_reset = 1000,
					.reg_long_reset = 2000 };
	header_t header;
	unsigned int id;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	for (id = 0; id < 2; id++) {
		make_set(fd, id, BY_OVERFLOW, 0);
		write_pmc_of(fd, id, pmu()->pmcs[0], pmu()->busy[0]);
		write_pmc_of(fd, id, pmu()->pmcs[1], pmu()->quiet[1]);
		quiet.reg_set = id;
		quiet.reg_value = 5 + id;
		write_one(fd, quiet);
		pmd = sampling_of(id, 0, PERIOD, id ? 1 : 2);
		if (id == 0)
			add_to(pmd.reg_reset_pmds, listed);
		write_one(fd, pmd);
	}
	load_and_start(fd, thread_id());
	fill_to(header, 4);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd_of(fd, 0, listed), 1000);
	ck_assert_uint_eq(read_pmd_of(fd, 1, listed), 6);
	ck_assert_uint_eq(read_back_of(fd, 1, listed).reg_last_reset_val, 6);
	set_zero_must_be_right(fd);
}

/* ---- virtual PMDs about sets ---------------------------------------------------------------------- */

#define RUNS	   PFM_PMD_SET_RUNS
#define INTERRUPTS PFM_PMD_INTERRUPTS
#define CPU	   PFM_PMD_CPU

static const unsigned int new_pmds[] = { RUNS, INTERRUPTS, CPU };

TEST(the_virtual_pmds_about_sets_exist)
{
	size_t i;
	int fd = make_context();

	for (i = 0; i < COUNT(new_pmds); i++) {
		ck_assert_uint_eq(new_pmds[i], 262 + i);
		ck_assert_uint_ne(pmu()->info.implemented_pmds[4] & BIT(new_pmds[i] % 64),
				  0);
		ck_assert_uint_eq(pmu()->info.counter_pmds[4] & BIT(new_pmds[i] % 64), 0);
		write_pmd(fd, new_pmds[i], 0);
	}
	set_zero_must_be_right(fd);
}

/* Each set has a PMD that shows the number of its runs, even while another set is active. */
TEST(a_pmd_counts_the_runs_of_a_set)
{
	/* Number of times that the test starts each set. The load adds one run to set 0. */
	static const unsigned int starts[] = { 4, 7, 2 };
	unsigned int id, i;
	int fd = make_context();

	for (id = 0; id < 3; id++) {
		make_set(fd, id, 0, 0);
		use_busy_counters_of(fd, id);
		write_pmd_of(fd, id, RUNS, 0);
	}
	load(fd, thread_id());
	for (id = 0; id < 3; id++) {
		for (i = 0; i < starts[id]; i++)
			start_set(fd, id);
		must(fd, pfm_stop(fd));
	}
	for (id = 0; id < 3; id++)
		ck_assert_uint_eq(read_pmd_of(fd, id, RUNS), starts[id] + (id == 0));
	start_set(fd, 1);
	ck_assert_uint_eq(read_pmd_of(fd, 1, RUNS), starts[1] + 1);
	must(fd, pfm_stop(fd));
	for (id = 0; id < 3; id++)
		ck_assert_uint_eq(read_pmd_of(fd, id, RUNS),
				  starts[id] + (id == 0) + (id == 1));
	set_zero_must_be_right(fd);
}

/*
 * Under --icount all instructions take the same time. Then the loop lasts for 10.5 timeouts, so
 * there are at least 11 runs.
 */
TEST(turns_by_time_are_counted_as_runs)
{
	uint64_t begun, time, runs, all = 0;
	unsigned int id;
	int fd = make_context();

	for (id = 0; id < 3; id++) {
		make_set(fd, id, BY_TIME, MS);
		use_busy_counters_of(fd, id);
		write_pmd_of(fd, id, RUNS, 0);
	}
	load(fd, thread_id());
	begun = elapsed_time();
	must(fd, pfm_start(fd, NULL));
	if (is_deterministic())
		loop(10 * MILLION + MILLION / 2);
	else
		while (runs_of(fd, 2) < 4)
			loop(MILLION / 10);
	must(fd, pfm_stop(fd));
	time = elapsed_time() - begun;
	for (id = 0; id < 3; id++) {
		runs = read_pmd_of(fd, id, RUNS);
		must_be_between(runs, read_pmd_of(fd, 2, RUNS), read_pmd_of(fd, 0, RUNS));
		ck_assert_uint_eq(runs, runs_of(fd, id));
		all += runs;
	}
	ck_assert_uint_le(read_pmd_of(fd, 0, RUNS), read_pmd_of(fd, 2, RUNS) + 1);
	must_be_between(all, is_deterministic() ? 11 : 12, time / MS + 1);
	set_zero_must_be_right(fd);
}

/*
 * Each sampling period ends with an overflow. Each overflow raises one interrupt, unless the core
 * finds the overflow when the thread leaves the CPU. There are no other interrupts. Without
 * --icount the time of an instruction varies, so the loop runs until there are enough samples.
 */
TEST(interrupts_are_one_per_period)
{
	const uint64_t periods = 50;
	uint64_t taken, counted, left_cpu, time;
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	sample_promptly(fd, PERIOD, 0);
	write_pmd(fd, INTERRUPTS, 0);
	load(fd, thread_id());
	left_cpu = switches(thread_id());
	taken = statistic("ovfl_intr_regular_count");
	time = elapsed_time();
	must(fd, pfm_start(fd, NULL));
	if (is_deterministic())
		sampled_loop(periods * PERIOD + PERIOD / 2);
	else
		fill_to(header, periods);
	must(fd, pfm_stop(fd));
	time = elapsed_time() - time;
	taken = statistic("ovfl_intr_regular_count") - taken;
	left_cpu = switches(thread_id()) - left_cpu;
	counted = read_pmd(fd, INTERRUPTS);
	ck_assert_uint_eq(counted, taken);
	ck_assert_uint_le(counted, header->hdr_count);
	ck_assert_uint_ge(counted + left_cpu, header->hdr_count);
	if (is_deterministic())
		must_be_between(header->hdr_count, periods, time / PERIOD);
	/* The number of interrupts does not change while the context is stopped. */
	sampled_loop(10 * PERIOD);
	ck_assert_uint_eq(read_pmd(fd, INTERRUPTS), counted);
	close(fd);
}

TEST(the_cpu_number_is_the_threads_cpu)
{
	struct child child = child_new();
	unsigned int cpu;
	int fd = make_context();

	need_cpus(2);
	make_set(fd, 1, 0, 0);
	write_pmd_of(fd, 1, CPU, 0);
	use_busy_counters_of(fd, 1);
	load_set(fd, child.pid, 1);
	must(fd, pfm_start(fd, NULL));
	for (cpu = 0; cpu < 4; cpu++) {
		child_call(&child, child_pin, cpu % 2);
		child_busy(&child);
		ck_assert_uint_eq(read_pmd_of(fd, 1, CPU), cpu % 2);
		child_rest(&child);
	}
	must(fd, pfm_stop(fd));
	set_zero_must_be_right(fd);
}

/* Each sample contains the values that the PMDs had at the overflow. */
TEST(virtual_pmds_of_sets_are_in_samples)
{
	uint64_t samples[2] = {};
	struct pfarg_pmd pmd;
	const uint64_t *values;
	header_t header;
	entry_t entry;
	unsigned int id;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	pin(cpus_online() - 1);
	for (id = 0; id < 2; id++) {
		make_set(fd, id, BY_OVERFLOW, 0);
		program_busy_of(fd, id, 1);
		pmd = sampling_of(id, 0, PERIOD, 1);
		add_to(pmd.reg_smpl_pmds, RUNS);
		add_to(pmd.reg_smpl_pmds, INTERRUPTS);
		add_to(pmd.reg_smpl_pmds, CPU);
		write_one(fd, pmd);
	}
	load_and_start(fd, thread_id());
	fill_to(header, 40);
	must(fd, pfm_stop(fd));
	must_be_whole(header, 3);
	for_each_entry(entry, header, 3) {
		values = values_of(entry);
		/*
		 * The first value is the number of runs of the set. There is one sample in each
		 * run.
		 */
		ck_assert_uint_eq(values[0], ++samples[entry->set]);
		/*
		 * The second value is the number of interrupts of the set. An overflow that the
		 * core found when the thread was switched out caused no interrupt.
		 */
		if (is_deterministic() && !is_debug_kernel())
			ck_assert_uint_eq(values[1], samples[entry->set]);
		else
			ck_assert_uint_le(values[1], samples[entry->set]);
		ck_assert_uint_eq(values[2], entry->cpu);
		ck_assert_uint_eq(values[2], cpus_online() - 1);
	}
	set_zero_must_be_right(fd);
}
