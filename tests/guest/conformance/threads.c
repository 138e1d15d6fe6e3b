// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contexts of different threads have separate counts, whether the threads share a CPU or not.
 */
#include <stdio.h>

#include "conformance.h"

SUITE(threads, CONFORMANCE_SECONDS);

#define PRELOAD(i) (0x1111111100000000ull * ((i) + 1))

/* The PMCs made the counter count nothing, so the PMD must still contain exactly @value. */
static void must_have_rested(int fd, const struct counter *counter, uint64_t value)
{
	ck_assert_msg(read_pmd(fd, counter->pmd) == value,
		      "%sthe value is 0x%jx, not 0x%jx", subject,
		      (uintmax_t)read_pmd(fd, counter->pmd), (uintmax_t)value);
}

static void preload_all(int fd, uint64_t value)
{
	const struct counter *counter;

	for_each_counter(counter)
		write_pmd(fd, counter->pmd, value);
}

static void must_all_count_work(int fd, uint64_t preload, const struct done *done)
{
	const struct counter *counter;

	for_each_counter(counter)
		must_count(counter, "since its preload",
			   read_pmd(fd, counter->pmd) - preload, done);
}

/*
 * Two threads use the same counters and PMC values, but the counters begin at different values.
 * What one thread counts must not appear in the values of the other thread.
 */
static void check_two(const unsigned int *cpus)
{
	struct child children[2] = { child_new(), child_new() };
	struct done done[2];
	int fds[2], i;

	for (i = 0; i < 2; i++) {
		child_call(&children[i], child_pin, cpus[i]);
		fds[i] = context_on(children[i].pid, ALL_COUNTERS, 0);
		preload_all(fds[i], PRELOAD(i));
	}
	for (i = 0; i < 2; i++)
		done[i] = work_begin(&children[i]);
	wait_until(children[0].page->turns > 150 && children[1].page->turns > 150);
	work_end(&children[0], &done[0]);
	wait_until(children[1].page->turns > 250);
	work_end(&children[1], &done[1]);
	for (i = 0; i < 2; i++) {
		must_all_count_work(fds[i], PRELOAD(i), &done[i]);
		close(fds[i]);
		child_exit(&children[i]);
	}
}

TEST(two_threads_on_one_cpu_have_their_own_counts)
{
	check_two((const unsigned int[]){ 0, 0 });
}

TEST(two_threads_on_two_cpus_have_their_own_counts)
{
	need_cpus(2);
	check_two((const unsigned int[]){ 0, 1 });
}

/* Each counter counts for the first thread, and counts nothing for the second thread. */
static void check_pmcs(const unsigned int *cpus)
{
	struct child children[2] = { child_new(), child_new() };
	const struct counter *counter;
	struct done done[2];
	int fds[2], i;

	for (i = 0; i < 2; i++)
		child_call(&children[i], child_pin, cpus[i]);
	for_each_counter(counter) {
		uint64_t set = set_of_counter(counter);

		if (!counter->has_quiet)
			continue;
		fds[0] = context_on(children[0].pid, set, 0);
		fds[1] = context_on(children[1].pid, 0, set);
		write_pmd(fds[1], counter->pmd, 4711);
		for (i = 0; i < 2; i++)
			done[i] = work_begin(&children[i]);
		wait_until(children[0].page->turns > 50 && children[1].page->turns > 50);
		must_have_rested(fds[1], counter, 4711);
		for (i = 0; i < 2; i++)
			work_end(&children[i], &done[i]);
		must_have_rested(fds[1], counter, 4711);
		must_count_work(fds[0], counter, &done[0]);
		close(fds[0]);
		close(fds[1]);
	}
	for (i = 0; i < 2; i++)
		child_exit(&children[i]);
}

TEST(each_thread_on_a_cpu_has_its_own_pmcs)
{
	check_pmcs((const unsigned int[]){ 0, 0 });
}

TEST(each_cpu_has_its_own_pmcs)
{
	need_cpus(2);
	check_pmcs((const unsigned int[]){ 0, 1 });
	check_pmcs((const unsigned int[]){ 1, 0 });
}

TEST(threads_may_use_different_counters)
{
	struct child children[2] = { child_new(), child_new() };
	uint64_t halves[2] = { 0x5555555555555555, 0xaaaaaaaaaaaaaaaa };
	struct done done[2];
	unsigned int n;
	int fds[2], i;

	if (counter_count() < 2)
		skip("only one counter is known");
	for (i = 0; i < 2; i++) {
		child_call(&children[i], child_pin, 0);
		fds[i] = context_on(children[i].pid, halves[i], 0);
		done[i] = work_begin(&children[i]);
	}
	wait_until(children[0].page->turns > 100 && children[1].page->turns > 100);
	for (i = 0; i < 2; i++)
		work_end(&children[i], &done[i]);
	for (n = 0; n < counter_count(); n++)
		must_count_work(fds[n % 2], counter_at(n), &done[n % 2]);
	for (i = 0; i < 2; i++) {
		close(fds[i]);
		child_exit(&children[i]);
	}
}

/* Two threads on one CPU work in turn, each for a short time, so they are switched often. */
TEST(many_switches_lose_nothing)
{
	struct child children[2] = { child_new(), child_new() };
	struct done done[2] = { { .switched = true }, { .switched = true } };
	uint64_t before[2];
	int fds[2], i, turn;

	for (i = 0; i < 2; i++) {
		child_call(&children[i], child_pin, 0);
		before[i] = cpu_time_of(children[i].pid);
		fds[i] = context_on(children[i].pid, ALL_COUNTERS, 0);
		preload_all(fds[i], PRELOAD(i));
	}
	for (turn = 0; turn < 300; turn++)
		for (i = 0; i < 2; i++) {
			done[i].least += child_call(&children[i], work, MILLION / 2);
			done[i].instructions += MILLION / 2;
		}
	for (i = 0; i < 2; i++) {
		wait_until(thread_state(children[i].pid) == 'S');
		done[i].most = cpu_time_of(children[i].pid) - before[i];
		must_all_count_work(fds[i], PRELOAD(i), &done[i]);
		close(fds[i]);
		child_exit(&children[i]);
	}
}

TEST(a_thread_that_migrates_keeps_its_counts)
{
	struct child child = child_new();
	struct done done;
	int fd, i;

	need_cpus(2);
	fd = context_on(child.pid, ALL_COUNTERS, 0);
	preload_all(fd, PRELOAD(0));
	done = work_begin(&child);
	for (i = 0; i < 200; i++) {
		pin_thread(child.pid, i % 2);
		usleep(2000);
	}
	work_end(&child, &done);
	/*
	 * The counts are checked only at the end, because the thread's CPU time between two
	 * migrations is not known.
	 */
	must_all_count_work(fd, PRELOAD(0), &done);
	close(fd);
	child_exit(&child);
}

TEST(one_context_is_closed_while_the_other_counts)
{
	struct child children[2] = { child_new(), child_new() };
	struct done done[2];
	int fds[2], i, round;

	for (i = 0; i < 2; i++)
		child_call(&children[i], child_pin, i % cpus_online());
	fds[0] = context_on(children[0].pid, ALL_COUNTERS, 0);
	done[0] = work_begin(&children[0]);
	for (round = 0; round < 10; round++) {
		fds[1] = context_on(children[1].pid, ALL_COUNTERS, 0);
		done[1] = work_begin(&children[1]);
		wait_until(children[1].page->turns > 10);
		if (round % 2) {
			close(fds[1]); /* while the counters run */
			work_end(&children[1], &done[1]);
		} else {
			work_end(&children[1], &done[1]);
			must_all_count_work(fds[1], 0, &done[1]);
			close(fds[1]);
		}
	}
	wait_until(children[0].page->turns > 100);
	work_end(&children[0], &done[0]);
	must_all_count_work(fds[0], 0, &done[0]);
	close(fds[0]);
	for (i = 0; i < 2; i++)
		child_exit(&children[i]);
}

/*
 * The values of a new context do not contain anything that another context left in the registers.
 */
TEST(a_new_context_has_no_values_of_another)
{
	const struct counter *counter;
	uint64_t now;
	int fd;

	for_each_counter(counter) {
		fd = context_on(thread_id(), ALL_COUNTERS, 0);
		preload_all(fd, 0x0123456776543210);
		loop(MILLION);
		close(fd);
		fd = make_context();
		load(fd, thread_id());
		program(fd, set_of_counter(counter), 0);
		ck_assert_uint_eq(read_pmd(fd, counter->pmd), 0);
		write_pmd(fd, counter->pmd, 5);
		ck_assert_uint_eq(read_pmd(fd, counter->pmd), 5);
		must(fd, pfm_start(fd, NULL));
		now = read_pmd(fd, counter->pmd);
		must(fd, pfm_stop(fd));
		ck_assert_msg(now >= 5 && now <= expected(counter, 100 * MILLION),
			      "%sthe value is %ju right after the start", subject,
			      (uintmax_t)now);
		close(fd);
		if (!counter->has_quiet)
			continue;
		fd = context_on(thread_id(), 0, set_of_counter(counter));
		loop(MILLION);
		must_have_rested(fd, counter, 0);
		close(fd);
	}
}

TEST(contexts_loaded_in_turn_continue_with_their_values)
{
	int fds[2] = { context_with(ALL_COUNTERS, 0), context_with(ALL_COUNTERS, 0) };
	struct done sums[2] = {}, part;
	int i, round;

	for (i = 0; i < 2; i++)
		preload_all(fds[i], PRELOAD(i));
	for (round = 0; round < 20; round++)
		for (i = 0; i < 2; i++) {
			load(fds[i], thread_id());
			part = run(fds[i], (i + 1) * 2 * MILLION);
			must(fds[i], pfm_unload_context(fds[i]));
			add_part(&sums[i], &part);
		}
	for (i = 0; i < 2; i++) {
		must_all_count_work(fds[i], PRELOAD(i), &sums[i]);
		close(fds[i]);
	}
}
