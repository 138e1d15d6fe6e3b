// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the limit for the number of overflow interrupts. Because of this limit, other threads can
 * still use the machine, even with the shortest periods and with any number of counters and CPUs.
 * The buffer's header reports how often a set was throttled.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "formats.h"
#include "samples.h"

SUITE(budget, 120);

#define MIB	  (1ul << 20)
#define CHILDREN  8
#define THROTTLES "ovfl_throttle_count"

/* ---- as many interrupts as possible ----------------------------------------------------- */

/*
 * Lets all counters of the PMU count whenever the thread runs, and samples each of them with
 * @period.
 */
static void sample_everything(int fd, uint64_t period)
{
	const struct pmu *the_pmu = pmu();
	unsigned int n;

	for (n = 0; n < 64; n++) {
		struct pfarg_pmd pmd = { .reg_num = n,
					 .reg_flags = NOTIFY,
					 .reg_value = -period,
					 .reg_short_reset = -period,
					 .reg_long_reset = -period };

		if (!(the_pmu->info.counter_pmds[0] & the_pmu->info.available_pmds[0] &
		      BIT(n)))
			continue;
		program_busy_counter(fd, n);
		write_one(fd, pmd);
	}
}

/**
 * struct storm - children that run on the first CPUs and have more overflows than the limit allows
 * @latest: longest time in ns that a sleep of 1 ms took
 */
struct storm {
	unsigned int count;
	unsigned int cpus;
	struct child children[CHILDREN];
	int fds[CHILDREN];
	header_t headers[CHILDREN];
	uint64_t latest;
};

static void storm_begin(struct storm *storm, uint64_t period)
{
	unsigned int i;

	for (i = 0; i < storm->count; i++) {
		storm->children[i] = child_new();
		child_call(&storm->children[i], child_pin, i % storm->cpus);
	}
	for (i = 0; i < storm->count; i++) {
		storm->fds[i] = default_context(0, MIB);
		storm->headers[i] = map_buffer(storm->fds[i], MIB);
		sample_everything(storm->fds[i], period);
		storm->children[i].page->stop = 0;
		child_begin(&storm->children[i], loop_until_stopped, 0);
	}
	for (i = 0; i < storm->count; i++)
		load_and_start(storm->fds[i], storm->children[i].pid);
}

/*
 * Lets the storm last @length ns. Empties buffers whenever they are full, so that sampling
 * continues.
 */
static void storm_last(struct storm *storm, uint64_t length)
{
	const struct timespec shortest = { .tv_nsec = MS };
	uint64_t begun = monotonic_time(), slept;
	unsigned int i;

	while (monotonic_time() - begun < length) {
		slept = monotonic_time();
		nanosleep(&shortest, NULL);
		slept = monotonic_time() - slept;
		if (slept > storm->latest)
			storm->latest = slept;
		for (i = 0; i < storm->count; i++)
			if (message_waits(storm->fds[i])) {
				next_overflow(storm->fds[i]);
				must(storm->fds[i], pfm_restart(storm->fds[i]));
			}
	}
}

static void storm_end(struct storm *storm)
{
	unsigned int i;

	for (i = 0; i < storm->count; i++) {
		ck_assert_int_eq(storm->fds[i] == -1 ? 0 : close(storm->fds[i]), 0);
		storm->children[i].page->stop = 1;
		child_finish(&storm->children[i]);
		child_exit(&storm->children[i]);
		munmap((void *)storm->headers[i], MIB);
	}
}

static void must_have_been_responsive(const struct storm *storm, uint64_t *turns)
{
	unsigned int i;

	for (i = 0; i < storm->count; i++) {
		printf("         CPU %u: %ju iterations, throttled %ju times\n",
		       i % storm->cpus,
		       (uintmax_t)(storm->children[i].page->turns - turns[i]),
		       (uintmax_t)storm->headers[i]->hdr_throttled);
		ck_assert_uint_gt(storm->children[i].page->turns, turns[i] + 10);
		ck_assert_uint_gt(storm->headers[i]->hdr_throttled, 0);
		ck_assert_uint_gt(statistic_of(i % storm->cpus, THROTTLES), 0);
	}
	printf("         a sleep of 1 ms took up to %ju us\n",
	       (uintmax_t)storm->latest / 1000);
	fflush(stdout);
	ck_assert_uint_lt(storm->latest, (is_debug_kernel() ? 15000 : 3000) * MS);
}

/*
 * The software PMU has at most one interrupt per 10 us, and on a slow machine only a few interrupts
 * per tick. This is within the default limit, so the tests need a lower limit for this PMU.
 */
static void limit_soft(void)
{
	if (pmu_is("soft"))
		write_text(INTERRUPT_LIMIT, "1\n");
}

static void check_storm_of(unsigned int count, unsigned int cpus)
{
	struct storm storm = { .count = count, .cpus = cpus };
	uint64_t turns[CHILDREN];
	unsigned int i;

	limit_soft();
	write_text(SYSFS "reset_stats", "0");
	storm_begin(&storm, 1);
	for (i = 0; i < storm.count; i++)
		turns[i] = storm.children[i].page->turns;
	storm_last(&storm, 3000 * MS);
	must_have_been_responsive(&storm, turns);
	storm_end(&storm);
	/* After the storm, the counters of each CPU must count correctly. */
	for (i = 0; i < cpus; i++) {
		pin(i);
		count_must_be_right(make_context());
	}
}

static void check_storm(void)
{
	unsigned int cpus = cpus_online();

	if (cpus > CHILDREN)
		cpus = CHILDREN;
	check_storm_of(cpus, cpus);
}

TEST(an_overflow_at_every_event_leaves_time_for_other_processes)
{
	need_overflow_interrupts();
	with_interrupt_limit(check_storm);
}

/*
 * The limit applies to each event set separately, so the sets of four threads may together have
 * four times as many interrupts as one set. Even so, the four threads must leave CPU time for other
 * threads.
 */
static void check_shared_storm(void)
{
	check_storm_of(4, 1);
}

TEST(overflows_of_threads_on_one_cpu_leave_time_for_other_processes)
{
	need_overflow_interrupts();
	with_interrupt_limit(check_shared_storm);
}

/*
 * A thread that monitors itself makes progress although it has more overflows than the limit
 * allows.
 */
static void check_own_storm(void)
{
	header_t header;
	unsigned int turn;
	int fd;

	limit_soft();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	sample_everything(fd, 1);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 500; turn++) {
		sampled_loop(1000000);
		if (message_waits(fd)) {
			next_overflow(fd);
			must(fd, pfm_restart(fd));
		}
	}
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(header->hdr_throttled, 0);
	close(fd);
	count_must_be_right(make_context());
}

TEST(an_overflow_at_every_event_leaves_time_for_the_thread_itself)
{
	need_overflow_interrupts();
	with_interrupt_limit(check_own_storm);
}

/* ---- beyond the limit ------------------------------------------------------------------------- */

TEST(the_limit_can_be_written)
{
	char before[32];

	strcpy(before, read_text(INTERRUPT_LIMIT));
	write_text(INTERRUPT_LIMIT, "7\n");
	ck_assert_uint_eq(read_number(INTERRUPT_LIMIT), 7);
	write_text(INTERRUPT_LIMIT, before);
	ck_assert_str_eq(read_text(INTERRUPT_LIMIT), before);
}

/* The first interrupt in a tick is allowed, and the second one throttles the set. */
static void check_one_in_a_tick(void)
{
	header_t header;
	uint64_t begun;
	int fd;

	write_text(INTERRUPT_LIMIT, "1\n");
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	sample_busily(fd, MS / 10);
	load(fd, thread_id());
	begun = ticks();
	must(fd, pfm_start(fd, NULL));
	do {
		sampled_loop(1000000);
		ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
	} while (ticks() < begun + 200);
	must(fd, pfm_stop(fd));
	begun = ticks() - begun;
	printf("         %ju samples in %ju ticks, throttled %ju times\n",
	       (uintmax_t)header->hdr_count, (uintmax_t)begun,
	       (uintmax_t)header->hdr_throttled);
	fflush(stdout);
	ck_assert_uint_gt(header->hdr_count, 20);
	ck_assert_uint_gt(header->hdr_throttled, 10);
	ck_assert_uint_le(header->hdr_count, 2 * (begun + 1));
	ck_assert_uint_le(header->hdr_throttled, begun + 1);
	ck_assert_uint_eq(header->hdr_lost, 0);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(more_interrupts_than_the_limit_wait_for_the_next_tick)
{
	need_overflow_interrupts();
	with_interrupt_limit(check_one_in_a_tick);
}

/*
 * The core checks the number of interrupts after every 16 interrupts. All interrupts of this test
 * come within one tick. So with a limit of 64, the fifth check finds 80 interrupts and throttles
 * the set. The core would throttle the set earlier if the interrupts took more than a quarter of
 * the set's duration, but here they take less. If the core finds an overflow at a context switch or
 * at the stop, before the interrupt comes, it takes the sample without an interrupt. So there may
 * be more samples than interrupts.
 */
static void check_looks(void)
{
	uint64_t interrupts = statistic("ovfl_intr_regular_count");
	uint64_t at_stops = statistic("ovfl_intr_replay_count");
	header_t header;
	int fd;

	write_text(INTERRUPT_LIMIT, "64\n");
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	sample_busily(fd, 30000);
	load_and_start(fd, thread_id());
	while (header->hdr_throttled == 0) {
		sampled_loop(10000);
		getppid(); /* see loop_and_call_until_stopped() */
	}
	must(fd, pfm_stop(fd));
	interrupts = statistic("ovfl_intr_regular_count") - interrupts;
	at_stops = statistic("ovfl_intr_replay_count") - at_stops;
	ck_assert_uint_eq(interrupts, 80);
	ck_assert_uint_eq(header->hdr_count, interrupts + at_stops);
	ck_assert_uint_eq(header->hdr_throttled, 1);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(a_set_may_have_16_interrupts_more_than_the_limit)
{
	need_exact_work();
	if (pmu_is("soft") || is_debug_kernel())
		skip("interrupts take more than a quarter of the CPU time");
	with_interrupt_limit(check_looks);
}

/* No counter counts while the set is throttled. No period is lost or counted twice. */
static void check_chain(void)
{
	/* A period so short that even a slow machine has several overflows in a tick. */
	const uint64_t period = pmu_is("soft") ? 10 : exact_period();
	struct chain chain;
	header_t header;
	int fd;

	write_text(INTERRUPT_LIMIT, "1\n");
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_exact(fd, 2);
	chain = chain_begin(fd, 0, 1, period);
	load_and_start(fd, thread_id());
	while (header->hdr_throttled < 10)
		exact_work(period);
	must(fd, pfm_stop(fd));
	chain_follow(&chain, header);
	chain_end(&chain, fd);
	ck_assert_uint_eq(chain.samples, header->hdr_count);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(throttling_stops_all_counters_of_a_context_at_once)
{
	need_exact_work();
	with_interrupt_limit(check_chain);
}

/*
 * For child_call(): works until page->stop is set. Under --icount, QEMU delays the interrupt of an
 * Armv8 event counter until the next exception. So this function makes a system call every 0.1 ms.
 */
static uint64_t loop_and_call_until_stopped(uint64_t unused)
{
	struct child_page *page = child_own_page();

	(void)unused;
	while (!page->stop) {
		sampled_loop(100000);
		getppid();
	}
	page->stop = 0;
	return 0;
}

/*
 * Two threads take turns on a CPU. One thread has too many overflows. The other thread only counts,
 * with busy_context(). In QEMU, the counter of busy_context() counts one event per ns of the
 * thread's CPU time. So the count of the other thread must equal its CPU time.
 */
static void check_neighbour(void)
{
	const unsigned int numbers[] = { pmu()->pmds[0], PFM_PMD_TASK_CLOCK };
	struct child child = child_new();
	uint64_t values[2], least, most, switched;
	header_t header;
	int fd, other;

	write_text(INTERRUPT_LIMIT, "1\n");
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	sample_busily(fd, MS / 10);
	child_call(&child, child_pin, 0);
	pin(0);
	child.page->stop = 0;
	child_begin(&child, loop_and_call_until_stopped, 0);
	load_and_start(fd, child.pid);
	other = busy_context();
	load(other, thread_id());
	switched = switches(thread_id());
	most = cpu_time();
	must(other, pfm_start(other, NULL));
	least = cpu_time();
	while (cpu_time() - least < 1000 * MS)
		sampled_loop(1000000);
	least = cpu_time() - least;
	must(other, pfm_stop(other));
	most = cpu_time() - most;
	least = less_switches(least, switches(thread_id()) - switched);
	read_pmds(other, numbers, values, 2);
	printf("         throttled %ju times; %ju of %ju ns were counted\n",
	       (uintmax_t)header->hdr_throttled, (uintmax_t)values[0], (uintmax_t)most);
	fflush(stdout);
	ck_assert_uint_gt(header->hdr_throttled, 10);
	must_be_cpu_time("busy counter", values[0], least, most);
	must_be_cpu_time("task clock", values[1], least, most);
	close(fd);
	child.page->stop = 1;
	child_finish(&child);
}

TEST(throttling_one_thread_takes_nothing_from_another)
{
	need_overflow_interrupts();
	with_interrupt_limit(check_neighbour);
}

/*
 * Two sets take turns. One set has too many overflows. The other set only counts how long it is
 * active.
 */
static void check_next_set(void)
{
	struct pfarg_setdesc sets[] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_TIME_SWITCH, .set_timeout = 2 * MS },
		{ .set_id = 1, .set_flags = PFM_SETFL_TIME_SWITCH, .set_timeout = 2 * MS },
	};
	struct pfarg_pmc pmc = { .reg_num = pmu()->pmcs[0],
				 .reg_set = 1,
				 .reg_value = pmu()->busy[0] };
	struct pfarg_pmd pmd = { .reg_num = pmu()->pmds[0], .reg_set = 1 };
	uint64_t durations[2], least, most;
	header_t header;
	int fd;

	write_text(INTERRUPT_LIMIT, "1\n");
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	must(fd, pfm_create_evtsets(fd, sets, 2));
	sample_busily(fd, MS / 10);
	must(fd, pfm_write_pmcs(fd, &pmc, 1));
	must(fd, pfm_write_pmds(fd, &pmd, 1));
	load(fd, thread_id());
	most = cpu_time();
	must(fd, pfm_start(fd, NULL));
	least = cpu_time();
	/*
	 * With shared ownership, each call of set_of() makes a kernel thread look for available
	 * counters. Each switch to the kernel thread increases the difference between count and
	 * duration a little, so the loop calls set_of() seldom.
	 */
	while (set_of(fd, 1).set_act_duration < 300 * MS)
		sampled_loop(5000000);
	least = cpu_time() - least;
	must(fd, pfm_stop(fd));
	most = cpu_time() - most;
	durations[0] = set_of(fd, 0).set_act_duration;
	durations[1] = set_of(fd, 1).set_act_duration;
	must(fd, pfm_read_pmds(fd, &pmd, 1));
	printf("         throttled %ju times; %ju of %ju ns were counted\n",
	       (uintmax_t)header->hdr_throttled, (uintmax_t)pmd.reg_value,
	       (uintmax_t)durations[1]);
	fflush(stdout);
	ck_assert_uint_gt(header->hdr_throttled, 10);
	must_be_cpu_time("both sets", durations[0] + durations[1], least, most);
	must_be_near(pmd.reg_value, durations[1],
		     is_deterministic() ? durations[1] / (is_debug_kernel() ? 50 : 100)
					: durations[1] / 50 + HOST_PAUSE);
	/* Throttling must not make the turns of the first set longer. */
	if (is_deterministic())
		must_be_near(durations[0], durations[1], durations[1] / 20 + 2 * MS);
}

TEST(throttling_one_set_takes_nothing_from_the_next)
{
	need_overflow_interrupts();
	with_interrupt_limit(check_next_set);
}

TEST(an_ordinary_period_is_not_throttled)
{
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	sample_busily(fd, 2 * PERIOD);
	load_and_start(fd, thread_id());
	while (header->hdr_count < 100)
		sampled_loop(1000000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(header->hdr_throttled, 0);
	end_sampling(fd);
	count_must_be_right(fd);
}

/* ---- other formats ---------------------------------------------------------------------------- */

static void must_tell_throttles(int fd, const volatile __u64 *throttled)
{
	uint64_t before = statistic(THROTTLES);

	write_text(INTERRUPT_LIMIT, "1\n");
	sample_busily(fd, MS / 10);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	while (statistic(THROTTLES) < before + 10)
		sampled_loop(1000000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(*throttled, statistic(THROTTLES) - before);
	close(fd);
}

static void check_formats(void)
{
	const struct pfm_hist_arg hist = { .entries = 64 };
	const struct pfm_nway_arg nway = { .region_size = 65536, .regions = 2 };
	const volatile struct pfm_hist_hdr *hist_header;
	const volatile struct pfm_nway_hdr *nway_header;
	int fd;

	fd = format_context("hist", &hist, sizeof(hist));
	hist_header = format_buffer(fd, sizeof(*hist_header));
	must_tell_throttles(fd, &hist_header->throttled);
	fd = format_context("nway", &nway, sizeof(nway));
	nway_header = format_buffer(fd, sizeof(*nway_header));
	must_tell_throttles(fd, &nway_header->throttled);
}

static void with_all_formats(void)
{
	with_formats(check_formats);
}

TEST(every_format_reports_how_often_it_was_throttled)
{
	need_overflow_interrupts();
	with_interrupt_limit(with_all_formats);
}
