// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armv8: the PMU is shared with perf_event, counter by counter.
 *
 * While perf's code in the kernel changes perf's events, it clears PMCR_EL0.E, which halts every
 * counter. Until perf sets this bit again, our counters miss the kernel's instructions. They miss
 * no instruction at user level. Under --icount an instruction takes 1 ns, so the task clock of the
 * context is the number of instructions that were executed. The tests compare this clock with the
 * count to find how many instructions were missed.
 */
#include <fcntl.h>
#include <stdio.h>

#include "measure.h"

SUITE(sharing, 120);

#define MILLION		 1000000ull
#define WRAP		 (1ull << 32)

/*
 * While perf's own code runs, some instructions are not counted. The maximum numbers are:
 * - MISSED_BY_PAIR each time an event of a thread is enabled and disabled;
 * - MISSED_BY_OTHER more for each other event of that thread, because perf also stops and starts
 *   the other events;
 * - MISSED_BY_SWITCH each time a thread that has events is switched.
 */
#define MISSED_BY_PAIR	 2600
#define MISSED_BY_OTHER	 2600
#define MISSED_BY_SWITCH 9000

/* ---- counts beside perf ------------------------------------------------------------ */

static void check_side_by_side(void)
{
	struct perf_count first, second;
	uint64_t extra;
	int fd, event;

	event = perf_open(INSTRUCTIONS, true, 0, -1, -1);
	ck_assert_msg(event != -1, "perf_event_open: %s", strerror(errno));
	fd = context_of(5, INSTRUCTIONS | USER);
	load(fd, thread_id());
	perf_enable(event);
	extra = count_loop(fd, 5, 1000) - 1000;
	first = perf_read(event);
	ck_assert_uint_eq(count_loop(fd, 5, 20 * MILLION), 20 * MILLION + extra);
	second = perf_read(event);
	ck_assert_msg(second.running == second.enabled && second.running,
		      "perf's event ran %ju of %ju ns", (uintmax_t)second.running,
		      (uintmax_t)second.enabled);
	/* The loop has 20 million instructions. Assertions and reads execute some more. */
	must_be_between(second.value - first.value, 20 * MILLION, 20 * MILLION + 20000);
}

TEST(both_count_right_side_by_side)
{
	need_exact_counts();
	with_pmu("perfmon_armv8", "leave_to_perf=0x7", check_side_by_side);
}

static void check_user_counts(void)
{
	uint64_t counts[2], before;
	int fd, event, round, i;

	event = perf_open(INSTRUCTIONS, true, 0, -1, -1);
	ck_assert(event != -1);
	fd = context_of(5, INSTRUCTIONS | USER);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (round = 0; round < 2; round++) {
		before = peek_pmd(fd, 5);
		for (i = 0; i < 300; i++) {
			perf_enable(event);
			loop(round ? 20000 : 10000);
			perf_disable(event);
		}
		counts[round] = peek_pmd(fd, 5) - before;
	}
	ck_assert_uint_eq(counts[1] - counts[0], 300 * 10000);
}

TEST(perfs_work_loses_no_user_counts)
{
	need_exact_counts();
	with_pmu("perfmon_armv8", "leave_to_perf=0x7", check_user_counts);
}

/*
 * A window is a part of a test. In this part, the counter missed @missed instructions, and the
 * thread was switched @switches times. The counter counts at user and kernel level.
 */
struct window {
	int64_t missed;
	uint64_t switches;
};

static struct window measure_window(int fd, int event, int pairs)
{
	static const unsigned int numbers[] = { PFM_PMD_TASK_CLOCK, 5 };
	struct window window = { .switches = switches(thread_id()) };
	uint64_t before[2], after[2];
	int i;

	read_pmds(fd, numbers, before, 2);
	for (i = 0; i < pairs; i++) {
		ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
		ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	}
	loop(MILLION);
	read_pmds(fd, numbers, after, 2);
	window.missed = (after[0] - before[0]) - (after[1] - before[1]);
	window.switches = switches(thread_id()) - window.switches;
	return window;
}

/*
 * Returns the number of instructions that seem to be missed in every window, because the two PMDs
 * are not read at the same instruction.
 */
static int64_t always_missed(int fd, int event)
{
	struct window window;

	do
		window = measure_window(fd, event, 0);
	while (window.switches);
	return window.missed;
}

/*
 * Checks the number of instructions that were missed in @window.
 * @none: the result of always_missed(). More instructions may be missed only because of perf's work
 * and thread switches.
 */
static void must_miss(struct window window, int64_t none, int pairs, int others)
{
	int64_t more = window.missed - none, most;

	most = pairs * (MISSED_BY_PAIR + others * MISSED_BY_OTHER) +
	       (int64_t)window.switches * MISSED_BY_SWITCH;
	if (is_debug_kernel())
		most *= 10;
	if (pairs)
		printf("         %jd instructions not counted: %d pairs of enable and disable, "
		       "%d other events, %ju switches\n",
		       (intmax_t)more, pairs, others, (uintmax_t)window.switches);
	ck_assert_msg(more >= (pairs ? 1 : -20) && more <= 20 + most,
		      "%jd instructions missed, %d pairs, %d other events, %ju switches",
		      (intmax_t)more, pairs, others, (uintmax_t)window.switches);
}

static void check_windows(void)
{
	static const int pairs[] = { 0, 0, 0, 1, 10, 100, 1000, 0, 0 };
	int fd, event, other, others;
	int64_t none;
	size_t i;

	event = perf_open(INSTRUCTIONS, true, 0, -1, -1);
	other = perf_open(INSTRUCTIONS, true, 0, -1, -1);
	ck_assert(event != -1 && other != -1);
	fd = context_of(5, INSTRUCTIONS);
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	measure_window(fd, event, 1); /* the first pair of calls costs more */

	none = always_missed(fd, event);
	for (others = 0; others < 2; others++) {
		if (others)
			perf_enable(other);
		for (i = 0; i < COUNT(pairs); i++)
			must_miss(measure_window(fd, event, pairs[i]), none, pairs[i],
				  others);
	}
}

TEST(perfs_work_loses_kernel_counts_only_in_its_windows)
{
	need_exact_counts();
	with_pmu("perfmon_armv8", "leave_to_perf=0x7", check_windows);
}

/* ---- the lost overflow ---------------------------------------------------------------- */

/*
 * perf's interrupt handler clears the overflow bits of all counters, even of ours. In each run five
 * of our counters wrap, a little later than in the run before. So the wraps happen at many
 * different times before and after perf's interrupts. Some wraps happen inside perf's handler,
 * because our counters count at user and kernel level. The sixth counter does not wrap. If one of
 * the five counters lost a wrap, its count would be 2^32 lower than the count of the sixth counter.
 */
static void check_no_overflow_is_lost(void)
{
	enum {
		RUNS = 2000,
		WRAPPING = EVENT_COUNTERS - 1
	};
	struct perf_ring ring;
	uint64_t preload, truth;
	int fd, run, n;

	/* perf uses the cycle counter, whose interrupts QEMU delivers in time. */
	write_text("/proc/sys/kernel/perf_event_max_sample_rate", "1000000");
	ring = perf_ring_open(CPU_CYCLES, false, 20000);
	fd = context_of(WRAPPING, INSTRUCTIONS);
	for (n = 0; n < WRAPPING; n++)
		use(fd, n, INSTRUCTIONS, 0);
	load(fd, thread_id());
	perf_enable(ring.event);
	for (run = 0; run < RUNS; run++) {
		for (n = 0; n < WRAPPING; n++)
			poke_pmd(fd, n, WRAP - 1000 - 10000 * n - 7 * run);
		truth = count_loop(fd, WRAPPING, 70000);
		for (n = 0; n < WRAPPING; n++) {
			preload = WRAP - 1000 - 10000 * n - 7 * run;
			ck_assert_msg(read_pmd(fd, n) - preload == truth,
				      "run %d, PMD %d: 0x%jx, should be 0x%jx", run, n,
				      (uintmax_t)read_pmd(fd, n),
				      (uintmax_t)(preload + truth));
		}
	}
	perf_disable(ring.event);
	/*
	 * There are three or more samples per run unless perf is throttled. One sample per run is
	 * enough.
	 */
	ck_assert_msg(perf_ring_samples(&ring) > RUNS, "perf took only %ju samples",
		      (uintmax_t)perf_ring_samples(&ring));
	perf_ring_close(&ring);
	close(fd);
}

TEST(no_overflow_is_lost_to_perfs_interrupts)
{
	need_exact_counts();
	with_pmu("perfmon_armv8", "leave_to_perf=0x80000000", check_no_overflow_is_lost);
}

/*
 * Like check_no_overflow_is_lost(), but only one counter wraps, and the test also runs without
 * --icount. A counter that does not wrap is the reference.
 */
static void check_counter_survives(void)
{
	struct perf_ring ring = perf_ring_open(CPU_CYCLES, false, 2 * MILLION);
	uint64_t narrow, other;
	int fd, i;

	fd = context_of(0, CPU_CYCLES);
	use(fd, 1, CPU_CYCLES, 0);
	load(fd, thread_id());
	perf_enable(ring.event);
	for (i = 0; i < 40; i++) {
		write_pmd(fd, 0, WRAP - 200000ull * i - 1);
		write_pmd(fd, 1, 0);
		narrow = count_loop(fd, 0, 30 * MILLION);
		other = read_pmd(fd, 1);
		/* A lost wrap changes the count by 2^32 cycles, which take 4 s in QEMU. */
		must_be_near(narrow, other, 500 * MS);
		ck_assert_msg(other > MILLION, "run %d: no counter counts", i);
	}
	perf_disable(ring.event);
	ck_assert_uint_gt(perf_ring_samples(&ring), 10);
	perf_ring_close(&ring);
	close(fd);
}

TEST(a_counter_survives_perfs_interrupts)
{
	need_armv8();
	with_pmu("perfmon_armv8", "leave_to_perf=0x80000000", check_counter_survives);
}

TEST(perf_samples_as_often_while_we_count)
{
	uint64_t alone, beside;
	struct perf_ring ring;
	int fd;

	need_exact_counts();
	ring = perf_ring_open(CPU_CYCLES, false, 100000);
	perf_enable(ring.event); /* perf's event is first and gets the cycle counter */
	loop(20 * MILLION);
	alone = perf_ring_samples(&ring);
	fd = context_of(0, INSTRUCTIONS | USER);
	write_pmd(fd, 0, WRAP - 10 * MILLION);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	beside = perf_ring_samples(&ring);
	loop(20 * MILLION);
	beside = perf_ring_samples(&ring) - beside;
	ck_assert_msg(alone >= 190, "perf alone took only %ju samples", (uintmax_t)alone);
	must_be_near(beside, alone, 10);
}

static uint64_t samples_of_loop(void)
{
	struct perf_ring ring = perf_ring_open(INSTRUCTIONS, false, 100000);
	uint64_t count;

	perf_enable(ring.event);
	loop(100 * MILLION);
	count = perf_ring_samples(&ring);
	perf_ring_close(&ring);
	return count;
}

TEST(perf_samples_as_often_after_we_counted)
{
	uint64_t before;
	int fd;

	need_exact_counts();
	before = samples_of_loop();
	ck_assert_uint_gt(before, 20);
	fd = make_context();
	count_must_be_right(fd);
	close(fd);
	must_be_near(samples_of_loop(), before, 5);
}

/* ---- CPUs that are reset ------------------------------------------------------------------ */

static void check_reset(void)
{
	struct child child = child_new();
	uint64_t least = 0, most, counted;
	struct perf_count before, after;
	int fd, event, i;

	fd = context_of(0, CPU_CYCLES);
	use(fd, PFM_ARMV8_CYCLE_COUNTER, 0, 0);
	write_pmd(fd, 0, WRAP - 2 * MILLION); /* counter 0 wraps during the test */
	load(fd, child.pid);
	most = cpu_time_of(child.pid);
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < 5; i++) {
		child_call(&child, child_pin, 1);
		least += child_call(&child, work, 400 * MILLION);
		cpu_online(1, false); /* the child goes to CPU 0 */
		least += child_call(&child, work, 400 * MILLION);
		cpu_online(1, true);
		child_call(&child, child_pin, 1);
		least += child_call(&child, work, 400 * MILLION);
		event = perf_open(CPU_CYCLES, false, -1, 1, -1);
		ck_assert_msg(event != -1, "perf_event_open: %s", strerror(errno));
		perf_enable(event);
		before = perf_read(event);
		least += child_call(&child, work, 400 * MILLION);
		after = perf_read(event);
		ck_assert_msg(after.value > before.value + MILLION,
			      "perf counts only %ju cycles",
			      (uintmax_t)(after.value - before.value));
		close(event);
	}
	must(fd, pfm_stop(fd));
	most = cpu_time_of(child.pid) - most;
	counted = read_pmd(fd, PFM_ARMV8_CYCLE_COUNTER);
	must_be_cpu_time("cycles", counted, least, most);
	must_be_near(read_pmd(fd, 0) - (WRAP - 2 * MILLION), counted, 500 * MS);
	child_exit(&child);
	close(fd);
}

static void check_reset_and_put_back(void)
{
	with_all_cpus_back(check_reset);
}

TEST(counts_survive_the_reset_of_a_cpu)
{
	need_armv8();
	need_cpus(2);
	with_pmu("perfmon_armv8", "leave_to_perf=0x2", check_reset_and_put_back);
}

/*
 * The kernel does a part of a hibernation: it takes all CPUs except one offline, notifies the
 * drivers that save registers, and brings the CPUs back after 5 s. All other processes are frozen,
 * so the thread monitors itself. The test counts only the user level. The lower limits are small,
 * because on a busy host the thread spends only a part of its CPU time at user level.
 */
static void check_power(void)
{
	static const unsigned int numbers[] = { PFM_ARMV8_CYCLE_COUNTER, 0 };
	const uint64_t preload = WRAP - 2 * MILLION; /* counter 0 wraps during the test */
	uint64_t begun, worked, before[2], after[2], last[2];
	int fd = context_of(0, CPU_CYCLES | USER), i;

	use(fd, PFM_ARMV8_CYCLE_COUNTER, CPU_CYCLES | USER, preload);
	write_pmd(fd, 0, preload);
	load(fd, thread_id());
	begun = monotonic_time();
	must(fd, pfm_start(fd, NULL));
	worked = work(400 * MILLION);
	read_pmds(fd, numbers, before, 2);
	write_text("/sys/power/pm_test", "core");
	write_text("/sys/power/state", "disk");
	read_pmds(fd, numbers, after, 2);
	loop(400 * MILLION);
	must(fd, pfm_stop(fd));
	read_pmds(fd, numbers, last, 2);
	begun = monotonic_time() - begun;
	for (i = 0; i < 2; i++) {
		must_be_between(before[i] - preload, worked / 4, begun);
		must_be_between(after[i] - before[i], 0, 500 * MS);
		must_be_between(last[i] - after[i], worked / 4, begun);
	}
	close(fd);
}

static void put_back_the_power(void)
{
	write_text("/sys/power/pm_test", "none");
}

TEST(counts_survive_the_loss_of_power)
{
	need_armv8();
	if (is_deterministic())
		skip("with --icount the kernel's wait takes 5 billion instructions");
	then_put_back(check_power, put_back_the_power);
}
