// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests counters that perfmon shares with perf_event (ownership=shared).
 *
 * perfmon and perf count and sample at the same time. At user level the counts of both are exact.
 * perf's code in the kernel halts all counters while it changes perf's events. During this time our
 * counters miss instructions of the kernel.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/perfmon_intel.h>

#include "samples.h"

SUITE(beside_perf, 600);

#define RAW_INSTRUCTIONS 0xc0
/*
 * 2^46 is a multiple of 2^30, so counters of 30 bits and counters of 46 bits both wrap when their
 * PMD reaches WRAP.
 */
#define WRAP		 (1ull << 46)

/*
 * perf's own code executes instructions that our counters may miss. MISSED_BY_PAIR is the largest
 * number of missed instructions in a pair of calls that enable and disable an event of a thread.
 * MISSED_BY_SWITCH is the same for a context switch of a thread that has events. A pair takes 2,270
 * instructions on Linux 6.1, and up to five times as many on 6.12. A debug kernel executes eight
 * times as many instructions.
 */
#define MISSED_BY_PAIR	 14000
#define MISSED_BY_SWITCH 20000

/*
 * Largest permitted difference between the counts of two counters that count the same event. The
 * counters may be started or read one after the other. Then one of them also counts what the kernel
 * executes in between, for example a part of perf's interrupt handler. This part has fewer than
 * 2,000 instructions on Linux 6.1, and about 3,000 on 7.2. SKEW_ONE_BY_ONE is for PMUs without a
 * register that stops all counters at the same time. There, one of the two counters may count the
 * whole handler.
 */
#define SKEW		 6000
#define SKEW_ONE_BY_ONE	 20000

/* Returns a factor for limits: a debug kernel executes up to ten times as many instructions. */
static unsigned int slowness(void)
{
	return is_debug_kernel() ? 10 : 1;
}

static void shared(void (*check)(void))
{
	with_ownership("shared", check);
}

/* Returns the number of the lowest general counter that a context can use. */
static unsigned int first_available(void)
{
	const uint64_t pmds = available_pmds();

	ck_assert(pmds & 0xffff);
	return __builtin_ctzll(pmds);
}

/* ---- counts ------------------------------------------------------------------------------ */

static void must_have_run(struct perf_count count)
{
	ck_assert_msg(count.running == count.enabled && count.running,
		      "perf's event ran %ju of %ju ns", (uintmax_t)count.running,
		      (uintmax_t)count.enabled);
}

/*
 * Returns how many instructions perf counts in addition to the instructions of the loop. They are
 * the instructions of the calls that read the event, so their number is the same for each @length.
 */
static uint64_t perfs_loop(int event, uint64_t length)
{
	struct perf_count first = perf_read(event), second;

	loop(length);
	second = perf_read(event);
	must_have_run(second);
	return second.value - first.value - length;
}

static void check_side_by_side(void)
{
	int first = perf_open_counting(RAW_INSTRUCTIONS),
	    second = perf_open_counting(RAW_INSTRUCTIONS);
	unsigned int n = first_available();
	uint64_t ours, theirs, theirs_alone;
	int fd, i;

	theirs_alone = perfs_loop(first, 1000);
	fd = context_of(n, instructions(AT_USER));
	load(fd, thread_id());
	ours = count_loop(fd, n, 1000) - 1000;
	theirs = perfs_loop(first, 1000);
	ck_assert_uint_eq(theirs, theirs_alone);
	for (i = 1; i <= 20; i++) {
		ck_assert_uint_eq(count_loop(fd, n, i * MILLION), i * MILLION + ours);
		must(fd, pfm_start(fd, NULL));
		ck_assert_uint_eq(perfs_loop(first, i * MILLION), theirs);
		ck_assert_uint_eq(perfs_loop(second, i * MILLION), theirs);
		must(fd, pfm_stop(fd));
	}
	close(second);
	close(first);
	close(fd);
}

TEST(both_count_exactly_side_by_side)
{
	shared(check_side_by_side);
}

/*
 * perf and perfmon count the same thread while it sleeps, works and sleeps again. They do not begin
 * and end at the same moment. While only one of them counts, the thread must sleep.
 */
static void check_child(void)
{
	struct child child = child_new();
	unsigned int n;
	int fd, event, i;

	event = perf_open(RAW_INSTRUCTIONS, true, child.pid, -1, -1);
	ck_assert(event != -1);
	n = first_available();
	fd = context_of(n, instructions(AT_USER));
	load(fd, child.pid);
	wait_until(thread_state(child.pid) == 'S');
	for (i = 1; i <= 20; i++) {
		must(fd, pfm_start(fd, NULL));
		perf_enable(event);
		child_call(&child, work, i * 100000);
		wait_until(thread_state(child.pid) == 'S');
		perf_disable(event);
		must(fd, pfm_stop(fd));
		ck_assert_uint_eq(read_pmd(fd, n), perf_read(event).value);
	}
	child_exit(&child);
	close(event);
	close(fd);
}

TEST(both_have_the_same_count_of_a_thread)
{
	shared(check_child);
}

static void check_child_among_others(void)
{
	competitors_begin(2);
	check_child();
	competitors_end();
}

TEST(both_have_the_same_count_of_a_thread_among_others)
{
	shared(check_child_among_others);
}

static void check_user_counts(void)
{
	const unsigned int n = first_available();
	uint64_t counts[2], before;
	int fd, event, round, i;

	event = perf_open(RAW_INSTRUCTIONS, true, 0, -1, -1);
	ck_assert(event != -1);
	fd = context_of(n, instructions(AT_USER));
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (round = 0; round < 2; round++) {
		before = peek_pmd(fd, n);
		for (i = 0; i < 300; i++) {
			perf_enable(event);
			loop(round ? 20000 : 10000);
			perf_disable(event);
		}
		counts[round] = peek_pmd(fd, n) - before;
	}
	ck_assert_uint_eq(counts[1] - counts[0], 300 * 10000);
	close(event);
	close(fd);
}

TEST(perfs_work_loses_no_user_counts)
{
	shared(check_user_counts);
}

/* Six events of perf take turns on perf's counters. Each turn lasts a tick. */
static void check_multiplexing(void)
{
	const unsigned int n = first_available();
	uint64_t extra;
	int fd, events[6], i;

	fd = context_of(n, instructions(AT_USER));
	load(fd, thread_id());
	extra = count_loop(fd, n, 1000) - 1000;
	for (i = 0; i < 6; i++)
		events[i] = perf_open_counting(perf_branches());
	for (i = 1; i <= 10; i++)
		ck_assert_uint_eq(count_loop(fd, n, i * 10 * MILLION),
				  i * 10 * MILLION + extra);
	for (i = 0; i < 6; i++) {
		ck_assert_uint_gt(perf_read(events[i]).value, MILLION);
		close(events[i]);
	}
	close(fd);
}

TEST(our_counts_are_exact_while_perf_multiplexes)
{
	shared(check_multiplexing);
}

/*
 * Returns the number of instructions that PMD @n missed. Under --icount an instruction takes 1 ns,
 * so the task clock of the context is the number of instructions that were executed.
 */
static int64_t missed(int fd, unsigned int n, int event, int pairs, uint64_t *switched)
{
	const unsigned int numbers[] = { PFM_PMD_TASK_CLOCK, n };
	uint64_t before[2], after[2];
	int i;

	*switched = switches(thread_id());
	read_pmds(fd, numbers, before, 2);
	for (i = 0; i < pairs; i++) {
		ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
		ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	}
	loop(MILLION);
	read_pmds(fd, numbers, after, 2);
	*switched = switches(thread_id()) - *switched;
	return (after[0] - before[0]) - (after[1] - before[1]);
}

static void check_windows(void)
{
	static const int pairs[] = { 0, 1, 10, 100, 1000, 0 };
	const unsigned int n = first_available();
	uint64_t switched;
	int64_t none, more;
	int fd, event;
	size_t i;

	event = perf_open(RAW_INSTRUCTIONS, true, 0, -1, -1);
	ck_assert(event != -1);
	fd = context_of(n, cycles(AT_BOTH));
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	missed(fd, n, event, 1, &switched); /* the first pair of calls costs more */
	do
		none = missed(fd, n, event, 0, &switched);
	while (switched);
	for (i = 0; i < COUNT(pairs); i++) {
		more = missed(fd, n, event, pairs[i], &switched) - none;
		printf("         %jd instructions not counted: %d pairs of enable and disable, "
		       "%ju switches\n",
		       (intmax_t)more, pairs[i], (uintmax_t)switched);
		ck_assert_int_ge(more, pairs[i] ? 1 : -20);
		ck_assert_int_le(
			more, 20 + slowness() * (pairs[i] * MISSED_BY_PAIR +
						 (int64_t)switched * MISSED_BY_SWITCH));
	}
	close(event);
	close(fd);
}

TEST(perfs_work_loses_kernel_counts_only_in_its_windows)
{
	shared(check_windows);
}

/* ---- samples ----------------------------------------------------------------------------- */

/*
 * In each run two of our counters wrap, each a little later than in the run before. So the wraps
 * happen at many different times before, during and after perf's interrupt handler. A lost wrap
 * makes a difference of 2^30 or more.
 */
static void check_no_wrap_is_lost(void)
{
	enum {
		RUNS = 500
	};
	const unsigned int skew =
		slowness() * (starts_at_once() ? SKEW : SKEW_ONE_BY_ONE);
	unsigned int numbers[2], run, i;
	uint64_t preload, truth;
	struct perf_ring ring;
	int fd;

	write_text("/proc/sys/kernel/perf_event_max_sample_rate", "1000000");
	write_text("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	ring = perf_ring_open(perf_branches(), false, 2000);
	perf_enable(ring.event);
	numbers[0] = first_available();
	numbers[1] = numbers[0] + 1;
	fd = context_of(numbers[0], instructions(AT_BOTH));
	use(fd, numbers[1], instructions(AT_BOTH), 0);
	use(fd, numbers[1] + 1, instructions(AT_BOTH), 0);
	load(fd, thread_id());
	for (run = 0; run < RUNS; run++) {
		for (i = 0; i < 2; i++)
			poke_pmd(fd, numbers[i], WRAP - 1000 - 10000 * i - 7 * run);
		truth = count_loop(fd, numbers[1] + 1, 40000);
		for (i = 0; i < 2; i++) {
			preload = WRAP - 1000 - 10000 * i - 7 * run;
			must_be_near(read_pmd(fd, numbers[i]) - preload, truth, skew);
		}
	}
	ck_assert_msg(perf_ring_samples(&ring) > RUNS, "perf took only %ju samples",
		      (uintmax_t)perf_ring_samples(&ring));
	perf_ring_close(&ring);
	close(fd);
}

TEST(no_wrap_is_lost_to_perfs_interrupts)
{
	shared(check_no_wrap_is_lost);
}

static uint64_t samples_of_loop(const struct perf_ring *ring)
{
	const uint64_t before = perf_ring_samples(ring);

	loop(20 * MILLION);
	return perf_ring_samples(ring) - before;
}

/*
 * While our counter counts, perf must take as many samples as before and afterwards. Our counter
 * wraps in the middle of the loop, and this wrap must not be lost.
 */
static void check_samples(void)
{
	struct perf_ring ring = perf_ring_open(RAW_INSTRUCTIONS, true, 100003);
	uint64_t alone, before;
	unsigned int n;
	int fd;

	perf_enable(ring.event);
	alone = samples_of_loop(&ring);
	n = first_available();
	fd = context_of(n, instructions(AT_USER));
	write_pmd(fd, n, WRAP - 10 * MILLION);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must_be_near(samples_of_loop(&ring), alone, 1);
	must_be_between(alone, 199, 201);
	must(fd, pfm_stop(fd));
	before = read_pmd(fd, n);
	ck_assert_uint_gt(before, WRAP);
	close(fd);
	must_be_near(samples_of_loop(&ring), alone, 1);
	perf_ring_close(&ring);
}

TEST(perf_samples_as_often_while_we_count)
{
	shared(check_samples);
}

#define SAMPLE_RATE  "/proc/sys/kernel/perf_event_max_sample_rate"
#define TIME_PERCENT "/proc/sys/kernel/perf_cpu_time_max_percent"

static uint64_t samples_with(unsigned int n, unsigned int pmc, uint64_t value,
			     uint64_t period)
{
	struct pfarg_pmd pmd = {
		.reg_num = n,
		.reg_value = -period,
		.reg_short_reset = -period,
		.reg_long_reset = -period,
	};
	int fd = default_context(0, MIB);
	header_t header = map_buffer(fd, MIB);
	uint64_t count;

	write_pmc(fd, pmc, value);
	write_one(fd, pmd);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(20 * MILLION);
	must(fd, pfm_stop(fd));
	count = header->hdr_count;
	close(fd);
	return count;
}

/*
 * With these settings perf allows an event one interrupt per tick. perf would stop an event that
 * has more interrupts. Our counters have more, and must not be stopped.
 */
static void check_low_limit(void)
{
	const unsigned int n = first_available();

	write_text(TIME_PERCENT, "25");
	write_text(SAMPLE_RATE, "100");
	must_be_between(samples_with(n, n, instructions(AT_USER), 100003), 199, 200);
	if (available_pmds() & BIT(PFM_INTEL_FIXED))
		must_be_between(samples_with(PFM_INTEL_FIXED, PFM_INTEL_FIXED,
					     PFM_INTEL_FIXED_USER(0), 100003),
				199, 200);
}

static void put_back_the_limit(void)
{
	write_text(SAMPLE_RATE, "100000");
}

static void check_low_limit_and_put_back(void)
{
	then_put_back(check_low_limit, put_back_the_limit);
}

TEST(perfs_limit_of_interrupts_does_not_stop_our_counters)
{
	shared(check_low_limit_and_put_back);
}

/* ---- counters that perf and perfmon use in turn ------------------------------------------ */

/*
 * In each of a thousand rounds, two events of perf and a context get counters, count, and are
 * closed. In half of the rounds perf's events are opened before the context, in the other half
 * after it.
 */
static void check_hand_overs(void)
{
	enum {
		ROUNDS = 1000
	};
	uint64_t ours = 0, theirs = 0, extra, count;
	int fd, events[2], round;
	unsigned int n;

	for (round = 0; round < ROUNDS; round++) {
		events[0] = events[1] = -1;
		if (round & 1) {
			events[0] = perf_open_counting(RAW_INSTRUCTIONS);
			events[1] = perf_open_counting(perf_branches());
		}
		n = first_available();
		fd = context_of(n, instructions(AT_USER));
		load(fd, thread_id());
		if (!(round & 1)) {
			events[0] = perf_open_counting(RAW_INSTRUCTIONS);
			events[1] = perf_open_counting(perf_branches());
		}
		extra = count_loop(fd, n, 20000) - 20000;
		count = perfs_loop(events[0], 20000);
		if (!round) {
			ours = extra;
			theirs = count;
		}
		ck_assert_msg(
			extra == ours && count == theirs,
			"round %d: instructions around the loop: we counted %ju, not %ju; "
			"perf counted %ju, not %ju",
			round, (uintmax_t)extra, (uintmax_t)ours, (uintmax_t)count,
			(uintmax_t)theirs);
		if (round & 2)
			close(fd);
		close(events[0]);
		close(events[1]);
		if (!(round & 2))
			close(fd);
	}
}

TEST(counters_change_owner_a_thousand_times)
{
	shared(check_hand_overs);
}

/* While perf's event and our context are counting, the watchdog takes a counter or releases it. */
static void check_watchdog(void)
{
	int event = perf_open_counting(RAW_INSTRUCTIONS), fd, i;
	uint64_t extra, theirs;
	unsigned int n;

	watchdog_on();
	n = first_available();
	fd = context_of(n, instructions(AT_USER));
	load(fd, thread_id());
	extra = count_loop(fd, n, 1000) - 1000;
	theirs = perfs_loop(event, 1000);
	for (i = 0; i < 30; i++) {
		must(fd, pfm_start(fd, NULL));
		if (i & 1)
			watchdog_on();
		else
			watchdog_off();
		ck_assert_uint_eq(perfs_loop(event, 10000), theirs);
		must(fd, pfm_stop(fd));
		ck_assert_uint_eq(count_loop(fd, n, 10000), 10000 + extra);
	}
	ck_assert_uint_eq(status_of(fd).foreign_runs, 0);
	close(fd);
	close(event);
}

static void check_watchdog_and_put_back(void)
{
	then_put_back(check_watchdog, watchdog_off);
}

TEST(the_watchdog_may_come_and_go)
{
	need_watchdog();
	shared(check_watchdog_and_put_back);
}

/*
 * At first perf holds the lowest counter. When perf releases this counter, our count moves to a
 * lower counter.
 */
static void check_moves(void)
{
	int pinned, event, fd, i;
	uint64_t extra;
	unsigned int n;

	pinned = perf_open_pinned(perf_branches(), thread_id());
	ck_assert(pinned != -1);
	n = first_available();
	fd = context_of(n, instructions(AT_USER));
	load(fd, thread_id());
	extra = count_loop(fd, n, 1000) - 1000;
	for (i = 0; i < 20; i++) {
		if (pinned != -1)
			close(pinned);
		event = perf_open_counting(perf_branches());
		ck_assert_uint_eq(count_loop(fd, n, 10000), 10000 + extra);
		close(event);
		pinned = perf_open_pinned(perf_branches(), thread_id());
		ck_assert_uint_eq(count_loop(fd, n, 10000), 10000 + extra);
	}
	close(pinned);
	close(fd);
}

TEST(counts_survive_a_move_to_another_counter)
{
	shared(check_moves);
}
