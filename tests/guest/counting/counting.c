// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that counts are right. In a deterministic guest (--icount), a loop of N instructions counts
 * as exactly N instructions and N cycles, and takes exactly N ns.
 *
 * The thread also runs a few instructions of libpfmdev and libc "around" a loop: between start and
 * the loop, and between the loop and stop. These instructions are the same in every call of
 * count_loop(). So if one loop executes D instructions more than another loop, its count is larger
 * by exactly D.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include "measure.h"

SUITE(counting, 120);

/* Upper limit of the number of instructions around a loop (see above). */
#define AROUND 200

static uint64_t around(int fd, unsigned int n)
{
	uint64_t instructions = count_loop(fd, n, 1000) - 1000;

	ck_assert_msg(instructions < AROUND, "%ju instructions around a loop",
		      (uintmax_t)instructions);
	return instructions;
}

/* ---- known instructions ------------------------------------------------------------ */

TEST(a_loop_is_counted_exactly)
{
	static const uint64_t loops[] = { 10, 20, 1000, MILLION, 20 * MILLION };
	uint64_t extra;
	size_t i;
	int fd;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	load(fd, thread_id());
	extra = around(fd, 0);
	for (i = 0; i < COUNT(loops); i++)
		ck_assert_uint_eq(count_loop(fd, 0, loops[i]), loops[i] + extra);
}

TEST(live_reads_grow_by_the_work_done)
{
	enum {
		READS = 2000
	};
	static uint64_t reads[READS];
	uint64_t step;
	int fd, i;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < READS; i++) {
		loop(1000);
		reads[i] = peek_pmd(fd, 0);
	}
	step = reads[1] - reads[0];
	must_be_between(step, 1000, 1000 + AROUND);
	for (i = 1; i < READS; i++)
		ck_assert_msg(reads[i] - reads[i - 1] == step,
			      "read %d: the count grew by %ju, not by %ju", i,
			      (uintmax_t)(reads[i] - reads[i - 1]), (uintmax_t)step);
}

TEST(live_reads_never_go_back)
{
	const unsigned int numbers[] = { pmu()->pmds[0], PFM_PMD_TASK_CLOCK,
					 PFM_PMD_MONOTONIC_TIME };
	uint64_t last[COUNT(numbers)] = {}, now[COUNT(numbers)];
	int fd = busy_context();
	size_t n;
	int i;

	write_pmd(fd, PFM_PMD_MONOTONIC_TIME, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < 20000; i++) {
		read_pmds(fd, numbers, now, COUNT(numbers));
		/* Do not use an assertion of libcheck: it writes to a pipe even if it succeeds. */
		for (n = 0; n < COUNT(numbers); n++)
			if (now[n] < last[n])
				ck_abort_msg("PMD %u is %ju after it was %ju", numbers[n],
					     (uintmax_t)now[n], (uintmax_t)last[n]);
		memcpy(last, now, sizeof(last));
	}
}

TEST(stop_and_start_accumulate)
{
	uint64_t extra, before;
	int fd, i;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	load(fd, thread_id());
	extra = around(fd, 0);
	before = read_pmd(fd, 0);
	for (i = 0; i < 500; i++) {
		count_loop(fd, 0, 10000);
		loop(5000); /* not counted: between stop and start */
	}
	ck_assert_uint_eq(read_pmd(fd, 0) - before, 500 * (10000 + extra));
}

TEST(a_stopped_counter_does_not_change)
{
	const unsigned int numbers[] = { pmu()->pmds[0], PFM_PMD_TASK_CLOCK,
					 PFM_PMD_MINOR_FAULTS };
	uint64_t stopped[COUNT(numbers)], later[COUNT(numbers)];
	int fd = busy_context_on(thread_id());

	touch_pages(3);
	must(fd, pfm_stop(fd));
	read_pmds(fd, numbers, stopped, COUNT(numbers));
	touch_pages(3);
	spin_turns(100000);
	sched_yield();
	read_pmds(fd, numbers, later, COUNT(numbers));
	ck_assert_mem_eq(stopped, later, sizeof(stopped));
	must(fd, pfm_unload_context(fd));
	read_pmds(fd, numbers, later, COUNT(numbers));
	ck_assert_mem_eq(stopped, later, sizeof(stopped));
}

/* ---- several threads ------------------------------------------------------------------ */

struct worker {
	pthread_t thread;
	uint64_t instructions;
	int rounds;
	uint64_t counted;
	uint64_t extra;
};

/*
 * Counts many short loops, and yields the CPU after each loop, so that the two threads of the test
 * alternate.
 */
static void *count_own_loops(void *argument)
{
	struct worker *worker = argument;
	int fd = context_of(0, instructions(AT_USER)), i;

	load(fd, thread_id());
	worker->extra = around(fd, 0);
	for (i = 0; i < worker->rounds; i++) {
		worker->counted += count_loop(fd, 0, worker->instructions);
		sched_yield();
	}
	close(fd);
	return NULL;
}

TEST(counts_of_two_threads_are_separate)
{
	struct worker workers[] = { { .instructions = 3 * MILLION, .rounds = 30 },
				    { .instructions = MILLION, .rounds = 70 } };
	size_t i;

	need_known_instructions();
	for (i = 0; i < COUNT(workers); i++)
		ck_assert(!pthread_create(&workers[i].thread, NULL, count_own_loops,
					  &workers[i]));
	for (i = 0; i < COUNT(workers); i++) {
		struct worker *worker = &workers[i];

		pthread_join(worker->thread, NULL);
		ck_assert_uint_eq(worker->counted,
				  worker->rounds *
					  (worker->instructions + worker->extra));
	}
}

TEST(other_threads_on_the_cpu_are_not_counted)
{
	uint64_t extra, count, out;
	int fd;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	load(fd, thread_id());
	extra = around(fd, 0);
	competitors_begin(2);
	out = statistic("ctxswout_count");
	count = count_loop(fd, 0, 100 * MILLION);
	out = statistic("ctxswout_count") - out;
	competitors_end();
	ck_assert_uint_eq(count, 100 * MILLION + extra);
	ck_assert_msg(out > 3, "the competitors did not run: only %ju switches",
		      (uintmax_t)out);
}

static uint64_t loop_in_child(uint64_t instructions)
{
	loop(instructions);
	return 0;
}

TEST(start_and_stop_take_effect_on_a_running_thread)
{
	struct child child = child_new();
	uint64_t counts[2];
	int fd, i;

	/*
	 * The test reads the count of the child. The child gets its commands through a pipe, and
	 * executes the same number of instructions to read each command. When the child sleeps
	 * again, it has executed all of these instructions.
	 */
	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	child_call(&child, loop_in_child, 1000);
	wait_until(thread_state(child.pid) == 'S');
	for (i = 0; i < 2; i++) {
		uint64_t before = read_pmd(fd, 0);

		child_call(&child, loop_in_child, i ? 20 * MILLION : 1000);
		wait_until(thread_state(child.pid) == 'S');
		counts[i] = read_pmd(fd, 0) - before;
	}
	ck_assert_uint_eq(counts[1] - counts[0], 20 * MILLION - 1000);
	child_exit(&child);
}

/* ---- levels and filters ----------------------------------------------------------------- */

TEST(user_and_kernel_counts_add_up)
{
	static const unsigned int numbers[] = { 0, 1, 2, 3 };
	uint64_t counts[COUNT(numbers)];
	int fd, i;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	use(fd, 1, instructions(AT_KERNEL), 0);
	use(fd, 2, instructions(AT_BOTH), 0);
	use(fd, 3, instructions(0), 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	for (i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	must(fd, pfm_stop(fd));
	read_pmds(fd, numbers, counts, COUNT(numbers));

	/*
	 * A call of getppid() takes at most 50 instructions at user level and at least 50 in the
	 * kernel.
	 */
	must_be_between(counts[0], MILLION + 1000, MILLION + 50 * 1000);
	ck_assert_msg(counts[1] > 50 * 1000, "%ju kernel instructions",
		      (uintmax_t)counts[1]);
	/*
	 * The counters start one after the other, with some instructions of the kernel in between.
	 */
	must_be_near(counts[0] + counts[1], counts[2],
		     starts_at_once() && !counters_are_shared() ? 0
		     : is_debug_kernel()			? 1000
								: 100);
	ck_assert_uint_eq(counts[3], 0);
}

/*
 * Tests the filters with cycles, so that the test also runs without --icount. The loop takes most
 * of the cycles, at user level.
 */
TEST(filters_separate_user_and_kernel_cycles)
{
	static const unsigned int numbers[] = { 0, 1, 2, 3 };
	uint64_t counts[COUNT(numbers)];
	int fd;

	need_levels();
	fd = context_of(0, cycles(AT_USER));
	use(fd, 1, cycles(AT_KERNEL), 0);
	use(fd, 2, cycles(AT_BOTH), 0);
	use(fd, 3, cycles(0), 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(500 * MILLION); /* long compared with start, stop and timer ticks */
	must(fd, pfm_stop(fd));
	read_pmds(fd, numbers, counts, COUNT(numbers));
	/*
	 * At each exception QEMU reads its clock once for each counter. So the sum of the user
	 * count and the kernel count may differ from the count at both levels by the time between
	 * two reads. This time is much shorter than 2 % of the count.
	 */
	must_be_near(counts[0] + counts[1], counts[2], counts[2] / 50);
	ck_assert_msg(counts[0] > counts[1], "%ju user, %ju kernel cycles",
		      (uintmax_t)counts[0], (uintmax_t)counts[1]);
	ck_assert_uint_eq(counts[3], 0);
}

TEST(all_counters_count_at_once)
{
	unsigned int numbers[MOST_COUNTERS], count, i;
	uint64_t counts[MOST_COUNTERS], extra;
	int fd;

	need_known_instructions();
	fd = make_context();
	count = use_all_counters(fd, numbers);
	load(fd, thread_id());
	extra = around(fd, numbers[0]);
	count_loop(fd, numbers[0], 5 * MILLION);
	read_pmds(fd, numbers, counts, count);
	for (i = 0; i < count; i++)
		ck_assert_msg(counts[i] == 5 * MILLION + 1000 + 2 * extra,
			      "the count of PMD %u is %ju", numbers[i],
			      (uintmax_t)counts[i]);
}

TEST(a_pmc_written_while_counting_takes_effect_at_once)
{
	uint64_t before[2], after[3];
	int fd;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	use(fd, 1, instructions(AT_USER), 0);
	use(fd, 2, 0, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	poke_pmc(fd, 0, 0);
	before[0] = peek_pmd(fd, 0);
	before[1] = peek_pmd(fd, 1);
	loop(MILLION);
	poke_pmc(fd, 2, instructions(AT_USER));
	loop(MILLION);
	after[0] = peek_pmd(fd, 0);
	after[1] = peek_pmd(fd, 1);
	after[2] = peek_pmd(fd, 2);
	must(fd, pfm_stop(fd));

	must_be_between(before[0], MILLION, MILLION + 2000);
	must_be_between(before[1] - before[0], 1, 2 * AROUND);
	ck_assert_uint_eq(after[0], before[0]);
	must_be_between(after[1] - before[1], 2 * MILLION, 2 * MILLION + 3 * AROUND);
	must_be_between(after[2], MILLION, MILLION + 3 * AROUND);
}

TEST(a_pmd_written_while_counting_continues_from_that_value)
{
	const uint64_t value = 0x123456789abcull;
	uint64_t counts[2], other;
	int fd;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	use(fd, 1, instructions(AT_USER), 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	other = peek_pmd(fd, 1);
	poke_pmd(fd, 0, value);
	loop(MILLION);
	counts[0] = peek_pmd(fd, 0);
	counts[1] = peek_pmd(fd, 1);
	must(fd, pfm_stop(fd));
	must_be_between(counts[0], value + MILLION, value + MILLION + 2 * AROUND);
	must_be_between(counts[1] - other, MILLION, MILLION + 4 * AROUND);
}

TEST(a_pmd_first_used_while_counting_starts_from_that_value)
{
	uint64_t count;
	int fd;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	write_pmc(fd, 3, instructions(AT_USER));
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	poke_pmd(fd, 3, 0);
	loop(MILLION);
	count = peek_pmd(fd, 3);
	must(fd, pfm_stop(fd));
	must_be_between(count, MILLION, MILLION + 2 * AROUND);
}

/*
 * In each of two rounds, writes PMD 1 and its PMC 500 times during counting. PMD 0 and its PMC are
 * not written. PMD 0 counts the loops, and a few instructions for each write. Each loop executes
 * 10000 instructions in the first round, and 20000 in the second round. The writes must add the
 * same number of instructions in both rounds.
 */
TEST(writing_one_counter_loses_no_count_of_the_others)
{
	uint64_t counts[2], before;
	int fd, i, round;

	need_known_instructions();
	fd = context_of(0, instructions(AT_USER));
	use(fd, 1, instructions(AT_USER), 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (round = 0; round < 2; round++) {
		before = peek_pmd(fd, 0);
		for (i = 0; i < 500; i++) {
			loop(round ? 20000 : 10000);
			poke_pmd(fd, 1, 0xfffffc00); /* the lower 32 bits wrap */
			poke_pmc(fd, 1, i % 2 ? instructions(AT_USER) : 0);
		}
		counts[round] = peek_pmd(fd, 0) - before;
	}
	ck_assert_uint_eq(counts[1] - counts[0], 500 * 10000);
}

/* ---- migration --------------------------------------------------------------------------- */

TEST(migration_keeps_the_count)
{
	uint64_t most, moved, busy, clock, moves, least = 0;
	int fd = busy_context(), i;

	need_cpus(2);
	write_pmd(fd, PFM_PMD_CPU_MIGRATIONS, 0);
	load(fd, thread_id());
	pin(0);
	moved = migrations(thread_id());
	most = cpu_time();
	must(fd, pfm_start(fd, NULL));
	for (i = 1; i <= 400; i++) {
		pin(i % 2);
		least += work(5 * MILLION);
	}
	must(fd, pfm_stop(fd));
	most = cpu_time() - most;
	moved = migrations(thread_id()) - moved;
	busy = read_pmd(fd, pmu()->pmds[0]);
	clock = read_pmd(fd, PFM_PMD_TASK_CLOCK);
	moves = read_pmd(fd, PFM_PMD_CPU_MIGRATIONS);
	must_be_cpu_time("busy counter", busy, least, most);
	must_be_cpu_time("task clock", clock, least, most);
	ck_assert_uint_eq(moves, moved);
	ck_assert_uint_ge(moves, 400);
}

TEST(migration_of_a_monitored_thread_keeps_the_count)
{
	struct child child = child_new();
	uint64_t least, most, busy, clock;
	int fd, i;

	need_cpus(2);
	most = cpu_time_of(child.pid);
	fd = busy_context_on(child.pid);
	child_begin(&child, work_until_stopped, 0);
	for (i = 0; i < 200; i++) {
		uint64_t turns = child.page->turns;

		pin_thread(child.pid, i % 2);
		wait_until(child.page->turns > turns + 2);
	}
	child.page->stop = 1;
	least = child_finish(&child);
	must(fd, pfm_stop(fd));
	most = cpu_time_of(child.pid) - most;
	busy = read_pmd(fd, pmu()->pmds[0]);
	clock = read_pmd(fd, PFM_PMD_TASK_CLOCK);
	must_be_cpu_time("busy counter", busy, least, most);
	must_be_cpu_time("task clock", clock, least, most);
	child_exit(&child);
}
