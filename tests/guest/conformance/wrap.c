// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests 64-bit values on narrower hardware: a count must continue over each wrap. If a wrap is lost
 * or counted twice, the count is wrong by 2^width. If the counter has 31 bits or more, this error
 * is far larger than the tolerance.
 */
#include <stdio.h>

#include "conformance.h"

SUITE(wrap, CONFORMANCE_SECONDS);

#define LOOP (5 * MILLION)

/*
 * Stores in @borders values at which @counter wraps, and values at which counters of other widths
 * wrap. Returns the number of values.
 */
static unsigned int make_borders(const struct counter *counter, uint64_t *borders)
{
	static const unsigned int powers[] = { 31, 32, 40, 47, 48, 56, 63 };
	unsigned int count = 0;
	size_t i;

	if (counter->width < 64) {
		uint64_t wrap = BIT(counter->width);

		borders[count++] = wrap;
		borders[count++] = 2 * wrap;
		borders[count++] = 7 * wrap;
		borders[count++] = BIT(63) + wrap;
		borders[count++] = -wrap; /* the last wrap before the 64-bit overflow */
	}
	for (i = 0; i < COUNT(powers); i++)
		borders[count++] = BIT(powers[i]);
	return count;
}

/*
 * Stores in @preloads five initial values for each border: the border itself, the value just below
 * the border, two values from which a loop crosses the border, and one value from which a loop does
 * not reach the border. Returns the number of values.
 */
static unsigned int make_preloads(const struct counter *counter, uint64_t *preloads)
{
	uint64_t borders[16], loop_counts = expected(counter, LOOP);
	unsigned int count = 0, i, j, borders_count = make_borders(counter, borders);

	for (i = 0; i < borders_count; i++) {
		const uint64_t before[] = { 1, loop_counts / 2, loop_counts / 4,
					    3 * loop_counts, 0 };

		for (j = 0; j < COUNT(before); j++)
			preloads[count++] = borders[i] - before[j];
	}
	return count;
}

static void must_not_be_suspended(int fd)
{
	ck_assert_msg(status_of(fd).state == PFM_STATE_LOADED, "%sstate %u", subject,
		      status_of(fd).state);
	ck_assert_msg(set_of(fd, 0).set_ovfl_pmds[0] == 0, "%soverflows 0x%jx", subject,
		      (uintmax_t)set_of(fd, 0).set_ovfl_pmds[0]);
}

static void say(char *what, size_t size, const char *how, uint64_t preload)
{
	snprintf(what, size, "%s from 0x%jx", how, (uintmax_t)preload);
}

TEST(a_count_continues_over_a_wrap)
{
	const struct counter *counter;
	uint64_t preloads[128], expect;
	unsigned int i, count;
	struct done done;
	char what[64];
	int fd;

	need_overflow_interrupts();
	for_each_counter(counter) {
		count = make_preloads(counter, preloads);
		fd = context_with(set_of_counter(counter), 0);
		load(fd, thread_id());
		for (i = 0; i < count; i++) {
			write_pmd(fd, counter->pmd, preloads[i]);
			done = run(fd, LOOP);
			expect = read_pmd(fd, counter->pmd);
			say(what, sizeof(what), "stopped", preloads[i]);
			must_count(counter, what, expect - preloads[i], &done);
		}
		must_not_be_suspended(fd);
		close(fd);
	}
}

/* A read must not combine the lower bits after a wrap with the upper bits before the wrap. */
TEST(live_reads_continue_over_a_wrap)
{
	const struct counter *counter;
	uint64_t preloads[128], last, now, begun;
	unsigned int i, j, count;
	struct done done;
	char what[64];
	int fd;

	need_overflow_interrupts();
	for_each_counter(counter) {
		count = make_preloads(counter, preloads);
		fd = context_with(set_of_counter(counter), 0);
		load(fd, thread_id());
		for (i = 0; i < count; i++) {
			write_pmd(fd, counter->pmd, preloads[i]);
			say(what, sizeof(what), "live", preloads[i]);
			done.instructions = LOOP;
			done.switched = true; /* possibly */
			done.most = cpu_time();
			must(fd, pfm_start(fd, NULL));
			begun = cpu_time();
			for (last = j = 0; j < 50; j++) {
				loop(LOOP / 50);
				/*
				 * Read the clock before the PMD. If the clock were read afterwards,
				 * the measured time would include a part of the call that reads the
				 * PMD.
				 */
				done.least = cpu_time() - begun;
				now = peek_pmd(fd, counter->pmd) - preloads[i];
				ck_assert_msg(now >= last,
					      "%s%s: count %jd after count %jd", subject,
					      what, (intmax_t)now, (intmax_t)last);
				last = now;
			}
			done.most = cpu_time() - done.most;
			must_count(counter, what, last, &done);
			must(fd, pfm_stop(fd));
			now = read_pmd(fd, counter->pmd) - preloads[i];
			ck_assert_msg(now >= last && now - last < BIT(30),
				      "%s%s: the count is %jd after the stop, %jd before",
				      subject, what, (intmax_t)now, (intmax_t)last);
		}
		must_not_be_suspended(fd);
		close(fd);
	}
}

/* All counters wrap in the same run, each at a different time. */
TEST(all_counters_wrap_in_one_run)
{
	const struct counter *counter;
	uint64_t preloads[64];
	struct done done;
	int fd, round;

	need_overflow_interrupts();
	fd = context_with(ALL_COUNTERS, 0);
	load(fd, thread_id());
	for (round = 0; round < 20; round++) {
		for_each_counter(counter) {
			uint64_t counts = expected(counter, LOOP);

			preloads[counter_i] =
				3 * (mask_of(counter) / 4 + 1) * 4 -
				counts * (counter_i + 1) / (counter_count() + 1);
			if (counter->width == 64)
				preloads[counter_i] = BIT(32) - counts / 2;
			write_pmd(fd, counter->pmd, preloads[counter_i]);
		}
		done = run(fd, LOOP);
		for_each_counter(counter)
			must_count(counter, "while all counters wrap",
				   read_pmd(fd, counter->pmd) - preloads[counter_i],
				   &done);
	}
	must_not_be_suspended(fd);
	close(fd);
}

/*
 * Reads the counters of a thread that other threads preempt all the time. If the guest has several
 * CPUs, the reader and the thread run on different CPUs.
 */
TEST(a_wrap_among_competing_threads_is_seen)
{
	const struct counter *counter;
	struct child child = child_new();
	struct done done;
	uint64_t preload, last, now;
	int fd, i;

	need_overflow_interrupts();
	child_call(&child, child_pin, 0);
	pin(0);
	competitors_begin(2);
	pin(cpus_online() - 1);
	for (i = 0; i < 2; i++)
		for_each_counter(counter) {
			preload = (counter->width < 64 ? BIT(counter->width) : BIT(32)) -
				  expected(counter, 30 * MILLION);
			fd = context_on(child.pid, set_of_counter(counter), 0);
			write_pmd(fd, counter->pmd, preload);
			done = work_begin(&child);
			last = 0;
			while (child.page->turns < 60) {
				now = read_pmd(fd, counter->pmd) - preload;
				ck_assert_msg(now >= last,
					      "%sthe count is %jd, but was %jd", subject,
					      (intmax_t)now, (intmax_t)last);
				last = now;
				usleep(1000);
			}
			work_end(&child, &done);
			must_count(counter, "among competing threads",
				   read_pmd(fd, counter->pmd) - preload, &done);
			must_not_be_suspended(fd);
			close(fd);
		}
	competitors_end();
	child_exit(&child);
}
