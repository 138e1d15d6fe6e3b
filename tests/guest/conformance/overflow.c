// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a 64-bit value overflows, the context is masked. This happens in the overflow interrupt, or
 * at the latest when the context is stopped. Only the counter that overflowed is reported.
 */
#include "conformance.h"

SUITE(overflow, CONFORMANCE_SECONDS);

#define LOOP (10 * MILLION)

static void must_be_suspended(int fd, const struct counter *counter)
{
	uint64_t overflows = set_of(fd, 0).set_ovfl_pmds[0];

	ck_assert_msg(status_of(fd).state == PFM_STATE_MASKED, "%sstate %u", subject,
		      status_of(fd).state);
	ck_assert_msg(overflows == BIT(counter->pmd), "%soverflows 0x%jx", subject,
		      (uintmax_t)overflows);
}

/*
 * Checks all counters except @counter, and sets them to 0. They began at 0 and did not wrap, so
 * their values must be small.
 */
static void others_must_be_small(int fd, const struct counter *counter)
{
	unsigned int i;
	uint64_t value;

	for (i = 0; i < counter_count(); i++) {
		if (counter_at(i) == counter)
			continue;
		value = read_pmd(fd, counter_at(i)->pmd);
		ck_assert_msg(value < BIT(29) + expected(counter_at(i), 40 * LOOP),
			      "%sPMD %u is 0x%jx", subject, counter_at(i)->pmd,
			      (uintmax_t)value);
		write_pmd(fd, counter_at(i)->pmd, 0);
	}
}

static void check_overflow(int fd, const struct counter *counter, uint64_t before)
{
	uint64_t left;

	write_pmd(fd, counter->pmd, -before);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	/*
	 * The loop executes many more instructions than should be necessary for the overflow. If
	 * the counter counts time, and the machine is faster now than when its speed was measured,
	 * the overflow needs more instructions than expected.
	 */
	run(fd, 10 * LOOP);
	must_be_suspended(fd, counter);
	others_must_be_small(fd, counter);
	left = read_pmd(fd, counter->pmd);
	/* The PMD contains only the events since the overflow. */
	ck_assert_msg(left < BIT(31) + expected(counter, 10 * LOOP),
		      "%sthe PMD contains 0x%jx after the overflow", subject,
		      (uintmax_t)left);
	/* No counter counts until the context is loaded again. */
	must(fd, pfm_start(fd, NULL));
	loop(LOOP);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, counter->pmd), left);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(read_pmd(fd, counter->pmd), left);
	load(fd, thread_id());
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], 0);
}

/*
 * Lets each counter overflow in turn. Each time, the kernel must report only the counter that
 * overflows, and the other counters must have small counts.
 */
TEST(an_overflow_of_64_bits_masks)
{
	const struct counter *counter;
	int fd = context_with(ALL_COUNTERS, 0);

	load(fd, thread_id());
	for_each_counter(counter) {
		check_overflow(fd, counter, 1);
		check_overflow(fd, counter, expected(counter, LOOP) / 2);
		check_overflow(fd, counter, expected(counter, LOOP) / 10);
		write_pmd(fd, counter->pmd, 0);
	}
	for_each_counter(counter)
		must_count_right(fd, counter);
	close(fd);
}

/*
 * While the child works, the test makes no call on the context. Nevertheless, the overflow must
 * mask the context, at the latest when the child is switched out.
 */
TEST(the_overflow_of_another_thread_masks)
{
	const struct counter *counter;
	struct child child = child_new();
	struct done done;
	uint64_t left;
	int fd;

	for_each_counter(counter) {
		fd = context_on(child.pid, set_of_counter(counter), 0);
		write_pmd(fd, counter->pmd, -expected(counter, 10 * MILLION));
		done = work_begin(&child);
		wait_until(child.page->turns > 30);
		work_end(&child, &done);
		must_be_suspended(fd, counter);
		left = read_pmd(fd, counter->pmd);
		done = work_begin(&child);
		wait_until(child.page->turns > 5);
		work_end(&child, &done);
		ck_assert_uint_eq(read_pmd(fd, counter->pmd), left);
		close(fd);
	}
	child_exit(&child);
}

/*
 * A wrap of the hardware is not an overflow, even if it is the last wrap before the 64-bit value
 * overflows.
 */
TEST(the_last_wraps_do_not_mask)
{
	const struct counter *counter;
	struct done done;
	uint64_t preload;
	int fd = make_context();

	need_overflow_interrupts();
	load(fd, thread_id());
	for_each_counter(counter) {
		if (counter->width > 62)
			continue;
		program(fd, set_of_counter(counter), 0);
		preload = -BIT(counter->width) - expected(counter, LOOP) / 2;
		write_pmd(fd, counter->pmd, preload);
		done = run(fd, LOOP);
		must_count(counter, "after a wrap, before the overflow",
			   read_pmd(fd, counter->pmd) - preload, &done);
		ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
		ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], 0);
	}
	close(fd);
}
