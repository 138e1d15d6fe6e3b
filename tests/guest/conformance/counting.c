// SPDX-License-Identifier: GPL-2.0-only
/* A counter counts only while it is started and its thread runs. */
#include <stdio.h>
#include <time.h>

#include "conformance.h"

SUITE(counting, CONFORMANCE_SECONDS);

TEST(counters_follow_the_thread)
{
	static const unsigned int lengths[] = { 600, 50, 200 };
	const struct counter *counter;
	struct done done;
	size_t i;
	int fd;

	for_each_counter(counter) {
		fd = context_with(set_of_counter(counter), 0);
		load(fd, thread_id());
		for (i = 0; i < COUNT(lengths); i++) {
			write_pmd(fd, counter->pmd, 0);
			done = run(fd, lengths[i] * MILLION);
			must_count(counter, "a loop", read_pmd(fd, counter->pmd), &done);
		}
		close(fd);
	}
}

TEST(all_counters_count_at_once)
{
	int fd = context_with(ALL_COUNTERS, 0);
	const struct counter *counter;
	struct done done;

	load(fd, thread_id());
	done = run(fd, 500 * MILLION);
	for_each_counter(counter)
		must_count(counter, "with all counters", read_pmd(fd, counter->pmd),
			   &done);
	close(fd);
}

TEST(a_live_counter_grows)
{
	int fd = context_on(thread_id(), ALL_COUNTERS, 0), i;
	const struct counter *counter;
	uint64_t last, now;

	for_each_counter(counter) {
		last = read_pmd(fd, counter->pmd);
		for (i = 0; i < 200; i++) {
			loop(MILLION / 10);
			now = read_pmd(fd, counter->pmd);
			ck_assert_msg(now > last, "%s%ju after %ju", subject,
				      (uintmax_t)now, (uintmax_t)last);
			last = now;
		}
	}
	close(fd);
}

/*
 * A counter counts while its PMCs have their first values (@value of struct setting), and counts
 * nothing while they have their second values (@quiet).
 */
TEST(a_counter_counts_what_its_pmcs_say)
{
	const struct counter *counter;
	int fd = make_context();
	unsigned int i;

	load(fd, thread_id());
	for_each_counter(counter) {
		uint64_t set = set_of_counter(counter), value, now;

		if (!counter->has_quiet)
			continue;
		program(fd, set, 0);
		must(fd, pfm_start(fd, NULL));
		for (i = 0; i < 10; i++) {
			loop(MILLION);
			value = read_pmd(fd, counter->pmd);
			ck_assert_msg(value > 0, "%sdoes not count", subject);
			program(fd, 0, set);
			write_pmd(fd, counter->pmd, value);
			loop(MILLION);
			now = read_pmd(fd, counter->pmd);
			ck_assert_msg(now == value, "%s%ju after %ju", subject,
				      (uintmax_t)now, (uintmax_t)value);
			program(fd, set, 0);
		}
		must(fd, pfm_stop(fd));
	}
	close(fd);
}

/*
 * A stopped counter does not change. The next start does not add events that happened while the
 * counter was stopped.
 */
TEST(a_stopped_counter_stands_still)
{
	const struct timespec pause = { .tv_nsec = 20 * MS };
	int fd = context_with(ALL_COUNTERS, 0), round;
	const struct counter *counter;
	uint64_t stopped[64];
	struct done sum = {}, part;

	load(fd, thread_id());
	for (round = 0; round < 10; round++) {
		part = run(fd, 40 * MILLION);
		add_part(&sum, &part);
		for_each_counter(counter)
			stopped[counter_i] = read_pmd(fd, counter->pmd);
		loop(200 * MILLION);
		nanosleep(&pause, NULL);
		for_each_counter(counter)
			ck_assert_msg(read_pmd(fd, counter->pmd) == stopped[counter_i],
				      "%s%ju after %ju", subject,
				      (uintmax_t)read_pmd(fd, counter->pmd),
				      (uintmax_t)stopped[counter_i]);
	}
	for_each_counter(counter)
		must_count(counter, "ten parts", read_pmd(fd, counter->pmd), &sum);
	close(fd);
}

TEST(a_sleeping_thread_is_not_counted)
{
	const struct timespec pause = { .tv_nsec = 500 * MS };
	int fd = context_with(ALL_COUNTERS, 0);
	const struct counter *counter;
	struct done done = { .instructions = 100 * MILLION, .switched = true };

	load(fd, thread_id());
	done.most = cpu_time();
	must(fd, pfm_start(fd, NULL));
	done.least = cpu_time();
	loop(50 * MILLION);
	nanosleep(&pause, NULL);
	loop(50 * MILLION);
	done.least = cpu_time() - done.least;
	must(fd, pfm_stop(fd));
	done.most = cpu_time() - done.most;
	for_each_counter(counter)
		must_count(counter, "including a sleep of 500 ms",
			   read_pmd(fd, counter->pmd), &done);
	close(fd);
}

TEST(other_threads_are_not_counted)
{
	int fd = context_with(ALL_COUNTERS, 0);
	const struct counter *counter;
	struct done done;

	load(fd, thread_id());
	competitors_begin(2 * cpus_online());
	done = run(fd, 300 * MILLION);
	competitors_end();
	for_each_counter(counter)
		must_count(counter, "among others", read_pmd(fd, counter->pmd), &done);
	close(fd);
}

TEST(starts_and_stops_lose_nothing)
{
	int fd = context_with(ALL_COUNTERS, 0), i;
	const struct counter *counter;
	struct done sum = {}, part;

	load(fd, thread_id());
	for (i = 0; i < 300; i++) {
		part = run(fd, MILLION);
		add_part(&sum, &part);
	}
	for_each_counter(counter)
		must_count(counter, "300 parts", read_pmd(fd, counter->pmd), &sum);
	close(fd);
}
