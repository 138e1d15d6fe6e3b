// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests event sets that take turns by time: docs/interface.md 3.3.
 *
 * To check that no event is lost between two sets, the tests add up the counts of all sets. They
 * compare the sum with what the kernel reports about the thread.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "sets.h"

SUITE(set_switch, 240);

#define MILLION 1000000ull

/*
 * Under --icount, the longest time in ns by which a turn exceeds its timeout: the time that the
 * interrupt and the set switch take
 */
#define LATE	(MS / 20)

/* ---- work with a known result ----------------------------------------------------------- */

/* Minor faults and CPU time (ns) that the kernel reports for the calling thread. */
struct truth {
	uint64_t faults;
	uint64_t time;
};

static struct truth truth_now(void)
{
	return (struct truth){ minor_faults(), cpu_time() };
}

static struct truth truth_since(struct truth before)
{
	const struct truth now = truth_now();

	return (struct truth){ now.faults - before.faults, now.time - before.time };
}

/*
 * What the kernel reports for the work of a test. @inner is for the work alone. @outer also
 * includes the start before the work and the stop after it.
 */
struct measured {
	struct truth inner;
	struct truth outer;
};

static struct measured measure(int fd, void (*work)(void))
{
	struct measured measured;

	measured.outer = truth_now();
	must(fd, pfm_start(fd, NULL));
	measured.inner = truth_now();
	work();
	measured.inner = truth_since(measured.inner);
	must(fd, pfm_stop(fd));
	measured.outer = truth_since(measured.outer);
	return measured;
}

static void must_be_the_truth(const struct turns *turns, const struct measured *measured)
{
	must_be_between(turns->faults, measured->inner.faults, measured->outer.faults);
	must_be_cpu_time("the durations", turns->duration, measured->inner.time,
			 measured->outer.time);
	ck_assert_uint_eq(turns->clock, turns->duration);
}

static void loop_and_touch(void)
{
	const uint64_t end = cpu_time() + 200 * MS;

	while (cpu_time() < end) {
		loop(MILLION / 10);
		touch_pages(10);
	}
}

/* ---- turns -------------------------------------------------------------------------------- */

/* The order of the sets depends on their numbers, not on the time of their creation. */
TEST(sets_take_turns_in_the_order_of_their_numbers)
{
	static const unsigned int made[] = { 9, 65535, 3, 4, 500 };
	static const unsigned int ids[] = { 0, 3, 4, 9, 500, 65535 };
	struct measured measured;
	struct turns turns;
	int fd = make_context();
	size_t i;

	make_set(fd, 0, BY_TIME, MS);
	use_busy_counters_of(fd, 0);
	for (i = 0; i < COUNT(made); i++) {
		make_set(fd, made[i], BY_TIME, MS);
		use_busy_counters_of(fd, made[i]);
	}
	load(fd, thread_id());
	measured = measure(fd, loop_and_touch);
	turns = fair_turns(fd, ids, COUNT(ids));
	ck_assert_uint_ge(turns.runs, 3 * COUNT(ids));
	switches_must_fit(turns.runs - 1, turns.duration, MS);
	must_be_the_truth(&turns, &measured);
	for (i = 0; i < COUNT(ids); i++)
		ck_assert_uint_gt(read_pmd_of(fd, ids[i], pmu()->pmds[0]), 0);
	ck_assert_uint_eq(active_set(fd), ids[(turns.runs - 1) % COUNT(ids)]);
	set_zero_must_be_right(fd);
}

/*
 * The set named by the load has the first turn. The set with the highest number is followed by set
 * 0.
 */
TEST(turns_begin_with_the_loaded_set)
{
	static const unsigned int ids[] = { 2, 3, 0, 1 };
	struct turns turns;
	int fd = make_context();

	make_turns(fd, 4, 2 * MS);
	load_set(fd, thread_id(), 2);
	measure(fd, loop_and_touch);
	turns = fair_turns(fd, ids, 4);
	ck_assert_uint_ge(turns.runs, 8);
	set_zero_must_be_right(fd);
}

TEST(each_set_has_its_own_timeout)
{
	static const uint64_t timeouts[] = { 10 * MS, 100000, 3 * MS, MS };
	struct pfarg_setinfo set;
	struct turns turns;
	unsigned int id;
	int fd = make_context();

	for (id = 0; id < COUNT(timeouts); id++) {
		make_set(fd, id, BY_TIME, timeouts[id]);
		use_busy_counters_of(fd, id);
	}
	load(fd, thread_id());
	measure(fd, loop_and_touch);
	turns = fair_turns_of(fd, COUNT(timeouts));
	ck_assert_uint_ge(turns.runs, 8);
	for (id = 0; id < COUNT(timeouts); id++) {
		set = set_of(fd, id);
		/* The last turn of the active set is not complete. */
		if (id != active_set(fd))
			ck_assert_uint_ge(set.set_act_duration,
					  set.set_runs * (timeouts[id] - EARLY));
		else
			ck_assert_uint_ge(set.set_act_duration,
					  (set.set_runs - 1) * (timeouts[id] - EARLY));
		if (is_deterministic())
			ck_assert_uint_le(set.set_act_duration,
					  set.set_runs * (timeouts[id] + LATE));
	}
	set_zero_must_be_right(fd);
}

TEST(a_single_set_is_switched_to_itself)
{
	struct measured measured;
	struct turns turns;
	int fd = make_context();

	make_turns(fd, 1, 500000);
	load(fd, thread_id());
	measured = measure(fd, loop_and_touch);
	turns = fair_turns_of(fd, 1);
	switches_must_fit(turns.runs - 1, turns.duration, 500000);
	ck_assert_uint_gt(turns.runs, 10);
	must_be_the_truth(&turns, &measured);
	set_zero_must_be_right(fd);
}

/* The turn of a set without flags never ends, so the sets after it get no turn. */
TEST(a_set_without_flags_is_never_left)
{
	struct measured measured;
	uint64_t others;
	int fd = make_context();

	make_turns(fd, 4, MS);
	make_set(fd, 1, 0, 0);
	use_busy_counters_of(fd, 1);
	load_set(fd, thread_id(), 3);
	measured = measure(fd, loop_and_touch);
	ck_assert_uint_eq(runs_of(fd, 3), 1);
	ck_assert_uint_eq(runs_of(fd, 0), 1);
	ck_assert_uint_eq(runs_of(fd, 1), 1);
	ck_assert_uint_eq(runs_of(fd, 2), 0);
	ck_assert_uint_eq(active_set(fd), 1);
	ck_assert_uint_eq(set_of(fd, 2).set_act_duration, 0);
	others = set_of(fd, 3).set_act_duration + set_of(fd, 0).set_act_duration;
	must_be_cpu_time("the durations", others + set_of(fd, 1).set_act_duration,
			 measured.inner.time, measured.outer.time);
	if (is_deterministic())
		must_be_between(others, 2 * (MS - EARLY), 2 * (MS + LATE));
	/* But a start can select set 2. */
	start_set(fd, 2);
	loop_and_touch();
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(runs_of(fd, 2), 1);
	ck_assert_uint_eq(active_set(fd), 1);
	set_zero_must_be_right(fd);
}

/*
 * A start that selects set 1 ends the turn of set 0 early. The timer for the timeout of set 0 must
 * not end the turn of set 1.
 */
TEST(an_old_timer_switches_no_other_set)
{
	int fd = make_context();

	make_turns(fd, 1, 50 * MS);
	make_set(fd, 1, 0, 0);
	make_set(fd, 2, 0, 0);
	use_busy_counters_of(fd, 1);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	start_set(fd, 1);
	loop_and_touch();
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(active_set(fd), 1);
	ck_assert_uint_eq(runs_of(fd, 0), 1);
	ck_assert_uint_eq(runs_of(fd, 1), 1);
	ck_assert_uint_eq(runs_of(fd, 2), 0);
	set_zero_must_be_right(fd);
}

/* ---- the thread's own time --------------------------------------------------------------------- */

static uint64_t worked; /* CPU time in ns of all work between the sleeps */

/* Works and sleeps alternately. Each piece of work is much shorter than a timeout. */
static void work_in_naps(void)
{
	const struct timespec nap = { .tv_nsec = MS };
	unsigned int turn;

	for (turn = 0; turn < 1500; turn++) {
		worked += work(MILLION / 20);
		touch_pages(2);
		nanosleep(&nap, NULL);
	}
}

TEST(the_rest_of_a_timeout_is_kept_over_sleeps)
{
	struct measured measured;
	struct turns turns;
	uint64_t naps;
	int fd = make_context();

	make_turns(fd, 3, 5 * MS);
	load(fd, thread_id());
	naps = switches(thread_id());
	measured = measure(fd, work_in_naps);
	naps = switches(thread_id()) - naps;
	/*
	 * The lower bound is the CPU time that the program itself measured. The CPU time that the
	 * kernel reports would be too long: it begins at the wakeup of the thread, so it includes
	 * the time that the host may need to wake up the CPU.
	 */
	measured.inner.time = worked;
	turns = fair_turns_of(fd, 3);
	/* In a debug kernel each sleep costs more CPU time, so a turn has fewer sleeps. */
	if (is_deterministic())
		ck_assert_uint_gt(naps, (is_debug_kernel() ? 2 : 20) * turns.runs);
	switches_must_fit(turns.runs - 1, turns.duration, 5 * MS);
	ck_assert_uint_ge(turns.runs, 5);
	must_be_the_truth(&turns, &measured);
	set_zero_must_be_right(fd);
}

TEST(no_time_passes_while_the_thread_sleeps)
{
	const uint64_t timeout = 1000 * MS;
	const struct timespec nap = { .tv_sec = 2 };
	uint64_t least, most, remains;
	int fd = make_context();

	make_turns(fd, 2, timeout);
	load(fd, thread_id());
	most = cpu_time();
	must(fd, pfm_start(fd, NULL));
	least = cpu_time();
	nanosleep(&nap, NULL);
	least = cpu_time() - least;
	remains = set_of(fd, 0).set_timeout;
	most = cpu_time() - most;
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(runs_of(fd, 0), 1);
	ck_assert_uint_eq(runs_of(fd, 1), 0);
	must_be_cpu_time("the elapsed part of the timeout", effective(timeout) - remains,
			 least, most);
	set_zero_must_be_right(fd);
}

static void work_among_competitors(void)
{
	competitors_begin(2 * cpus_online());
	loop_and_touch();
	competitors_end();
}

TEST(other_threads_on_the_cpu_take_no_time_from_the_sets)
{
	struct measured measured;
	struct turns turns;
	int fd = make_context();

	make_turns(fd, 5, MS);
	load(fd, thread_id());
	measured = measure(fd, work_among_competitors);
	turns = fair_turns_of(fd, 5);
	switches_must_fit(turns.runs - 1, turns.duration, MS);
	ck_assert_uint_ge(turns.runs, 10);
	must_be_the_truth(&turns, &measured);
	set_zero_must_be_right(fd);
}

/* Both threads run on one CPU. Each has its own timer. */
TEST(two_threads_on_a_cpu_have_their_own_turns)
{
	static const uint64_t timeouts[] = { MS, 3 * MS };
	struct child children[2];
	struct watch watches[2];
	struct turns turns;
	int fds[2], i;

	for (i = 0; i < 2; i++) {
		children[i] = child_new();
		child_call(&children[i], child_pin, 0);
		fds[i] = make_context();
		make_turns(fds[i], 3, timeouts[i]);
		load(fds[i], children[i].pid);
		watches[i] = watch_begin(fds[i], children[i].pid);
	}
	for (i = 0; i < 2; i++)
		child_busy(&children[i]);
	for (i = 0; i < 2; i++)
		wait_until(runs_of(fds[i], 2) >= 5);
	for (i = 0; i < 2; i++) {
		watch_end(fds[i], &watches[i]);
		child_rest(&children[i]);
		turns = fair_turns_of(fds[i], 3);
		switches_must_fit(turns.runs - 1, turns.duration, timeouts[i]);
		must_be_watched(&turns, &watches[i]);
	}
}

/* ---- what stops the timeouts ------------------------------------------------------------- */

static struct turns turns_now(int fd)
{
	return fair_turns_of(fd, 3);
}

TEST(no_set_is_switched_while_nothing_is_counted)
{
	struct turns before, after;
	int fd = make_context(), turn;

	make_turns(fd, 3, MS);
	load(fd, thread_id());
	loop(20 * MILLION); /* loaded, not started */
	ck_assert_uint_eq(turns_now(fd).runs, 1);
	for (turn = 0; turn < 3; turn++) {
		must(fd, pfm_start(fd, NULL));
		loop_and_touch();
		must(fd, pfm_stop(fd));
		before = turns_now(fd);
		loop(20 * MILLION);
		after = turns_now(fd);
		ck_assert_mem_eq(&after, &before, sizeof(after));
	}
	ck_assert_uint_ge(before.runs, 6);
	must(fd, pfm_unload_context(fd));
	loop(20 * MILLION);
	after = turns_now(fd);
	ck_assert_mem_eq(&after, &before, sizeof(after));
	set_zero_must_be_right(fd);
}

/*
 * The start after a stop continues the turn of the set that was active at the stop. The start after
 * an unload and a load begins with the set that the load names. No count is lost.
 */
TEST(turns_continue_after_stop_and_after_unload)
{
	struct turns turns;
	uint64_t runs = 0, faults;
	unsigned int turn;
	int fd = make_context();

	make_turns(fd, 3, 2 * MS);
	load(fd, thread_id());
	faults = minor_faults();
	for (turn = 0; turn < 10; turn++) {
		must(fd, pfm_start(fd, NULL));
		loop(MILLION);
		touch_pages(20);
		must(fd, pfm_stop(fd));
		turns = turns_now(fd);
		ck_assert_uint_ge(turns.runs, runs);
		runs = turns.runs;
	}
	faults = minor_faults() - faults;
	must_be_between(turns.faults, 200, faults);
	must(fd, pfm_unload_context(fd));
	/* The load begins a turn of the set that it names. */
	load_set(fd, thread_id(), 1);
	ck_assert_uint_eq(active_set(fd), 1);
	must(fd, pfm_start(fd, NULL));
	wait_until((loop(MILLION), active_set(fd) == 2));
	must(fd, pfm_stop(fd));
	set_zero_must_be_right(fd);
}

/*
 * Ten times, an overflow of a sampled counter masks the context, and the test restarts the context.
 */
TEST(masked_time_does_not_count)
{
	const uint64_t period = 3 * MS, masks = 10;
	struct pfarg_pmd pmd = sampling(0, period);
	uint64_t most, masked;
	struct turns before, after;
	unsigned int id, turn;
	int fd;

	need_overflow_interrupts();
	fd = make_context();
	make_turns(fd, 3, MS);
	for (id = 0; id < 3; id++) {
		pmd.reg_set = id;
		write_one(fd, pmd);
	}
	load(fd, thread_id());
	most = -cpu_time();
	must(fd, pfm_start(fd, NULL));
	for (turn = 0; turn < masks; turn++) {
		spin_until_masked(fd);
		masked = cpu_time();
		before = turns_now(fd);
		loop(10 * MILLION);
		after = turns_now(fd);
		ck_assert_mem_eq(&after, &before, sizeof(after));
		ck_assert_uint_eq(next_overflow(fd).msg_active_set, active_set(fd));
		most -= cpu_time() - masked;
		must(fd, pfm_restart(fd));
	}
	must(fd, pfm_stop(fd));
	most += cpu_time();
	after = turns_now(fd);
	switches_must_fit(after.runs - 1, after.duration, MS);
	/* The sampled counter counts one event per ns, so a period lasts @period ns. */
	must_be_cpu_time("the durations", after.duration, masks * period, most);
	ck_assert_uint_eq(after.clock, after.duration);
	set_zero_must_be_right(fd);
}

/* ---- migrations and calls during the turns ------------------------------------------------ */

TEST(turns_continue_when_the_thread_migrates)
{
	struct child child = child_new();
	uint64_t undisturbed, moves, i;
	struct watch watch;
	struct turns turns;
	int fd = make_context();

	need_cpus(2);
	make_turns(fd, 4, MS);
	for (i = 0; i < 4; i++)
		write_pmd_of(fd, i, PFM_PMD_CPU_MIGRATIONS, 0);
	load(fd, child.pid);
	watch = watch_begin(fd, child.pid);
	moves = migrations(child.pid);
	undisturbed = work_on_two_cpus(&child);
	watch_end(fd, &watch);
	moves = migrations(child.pid) - moves;
	turns = fair_turns_of(fd, 4);
	ck_assert_uint_ge(turns.runs, 40);
	switches_must_fit(turns.runs - 1, turns.duration, MS);
	watch.inner = undisturbed;
	must_be_watched(&turns, &watch);
	ck_assert_uint_ge(moves, 200);
	for (i = 0; i < 4; i++)
		moves -= read_pmd_of(fd, i, PFM_PMD_CPU_MIGRATIONS);
	ck_assert_uint_eq(moves, 0);
	set_zero_must_be_right(fd);
}

/* Another thread stops, starts, reads and queries the context while sets are switched. */
TEST(turns_are_right_while_another_thread_makes_calls)
{
	struct child child = child_new();
	uint64_t last[3] = {}, value;
	struct watch watch, sum = {};
	unsigned int i, id;
	struct turns turns;
	int fd = make_context();

	make_turns(fd, 3, 200000);
	load(fd, child.pid);
	watch = watch_begin(fd, child.pid);
	child_busy(&child);
	for (i = 0; i < 500; i++) {
		id = i % 3;
		value = read_pmd_of(fd, id, pmu()->pmds[0]);
		ck_assert_uint_ge(value, last[id]);
		last[id] = value;
		value = set_of(fd, id).set_timeout;
		ck_assert_uint_le(value, effective(200000));
		if (i % 5 == 0) {
			watch_end(fd, &watch);
			sum.inner += watch.inner;
			sum.outer += watch.outer;
			sum.switches += watch.switches;
			fair_turns_of(fd, 3);
			watch = watch_begin(fd, child.pid);
		}
		usleep(500);
	}
	wait_until(runs_of(fd, 2) >= 3);
	watch_end(fd, &watch);
	sum.inner += watch.inner;
	sum.outer += watch.outer;
	sum.switches += watch.switches;
	child_rest(&child);
	turns = fair_turns_of(fd, 3);
	must_be_watched(&turns, &sum);
	set_zero_must_be_right(fd);
}

/*
 * Returns the CPU time in ns of all children that have ended and been waited for. Its resolution is
 * 1 us.
 */
static uint64_t time_of_reaped(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return ((usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * MILLION +
		usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) *
	       1000;
}

TEST(the_counts_of_all_sets_survive_the_end_of_the_thread)
{
	struct turns turns;
	struct watch watch;
	struct child child;
	uint64_t faults, before;
	int fd, turn;

	for (turn = 0; turn < 10; turn++) {
		child = child_new();
		fd = make_context();
		make_turns(fd, 4, 100000);
		load(fd, child.pid);
		watch = watch_begin(fd, child.pid);
		before = time_of_reaped();
		faults = child_call(&child, child_work, 3000);
		watch.inner = cpu_time_of(child.pid) - watch.inner;
		child_kill(&child);
		watch.outer = time_of_reaped() - before - watch.outer;
		must_end(fd);
		turns = fair_turns_of(fd, 4);
		ck_assert_uint_ge(turns.faults, faults);
		ck_assert_uint_lt(turns.faults, faults + 100);
		must_be_watched(&turns, &watch);
		close(fd);
	}
}
