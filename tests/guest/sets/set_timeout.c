// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests when the turn of a set with a timeout ends, and how much of the timeout remains until then.
 * The tests compare these times with clocks that do not belong to the module. If the guest's clock
 * counts instructions, an early or late timer is always the module's fault, and no test is skipped.
 */
#include "sets.h"

SUITE(set_timeout, 240);

#define MILLION 1000000ull
#define HOUR	(3600 * 1000 * MS)

/* ---- end of a timeout --------------------------------------------------------------------- */

#define TURNS	3

/*
 * Returns the number of set switches. Uses pfm_get_statistics(), because the caller is never
 * switched out during this call. During pfm_getinfo_evtsets(), the caller may be switched out if
 * the counters are shared with perf, because this call has to find out which counters perf holds.
 */
static uint64_t switches_so_far(int fd)
{
	struct pfm_statistics statistics = {};

	if (pfm_get_statistics(fd, &statistics))
		abort();
	return statistics.set_switches;
}

/* Returns the number of set switches, calculated from the runs of the sets. */
static uint64_t switches_of_sets(int fd)
{
	struct pfarg_setinfo infos[TURNS] = {};
	uint64_t runs = 0;
	unsigned int id;

	for (id = 0; id < TURNS; id++)
		infos[id].set_id = id;
	if (pfm_getinfo_evtsets(fd, infos, TURNS))
		abort();
	for (id = 0; id < TURNS; id++)
		runs += infos[id].set_runs;
	return runs - 1;
}

/* Returns the time in ns from the start to the moment when set switch number @switches is due. */
static uint64_t time_of_switches(const uint64_t *timeouts, uint64_t switches)
{
	uint64_t time = 0, i;

	for (i = 0; i < switches; i++)
		time += timeouts[i % TURNS];
	return time;
}

/*
 * The caller polls for switches and measures the time with a clock that is not the module's.
 * According to this clock, no switch may come too early. If this clock counts instructions, a
 * switch may be late only by the time that the interrupt and the set switch take.
 */
TEST(no_switch_comes_early_or_late)
{
	static const uint64_t timeouts[TURNS] = { 2 * MS, 700000, 5 * MS };
	const uint64_t wanted = 60, late = (is_debug_kernel() ? 10 : 1) * MS / 50;
	uint64_t elapsed, worked, switches, due;
	const bool exact = is_deterministic();
	int fd = make_context();
	unsigned int id;

	for (id = 0; id < TURNS; id++) {
		make_set(fd, id, BY_TIME, timeouts[id]);
		use_busy_counters_of(fd, id);
	}
	load(fd, thread_id());
	elapsed = elapsed_time();
	must(fd, pfm_start(fd, NULL));
	worked = cpu_time();
	do {
		const uint64_t looked = cpu_time() - worked;

		switches = switches_so_far(fd);
		due = time_of_switches(timeouts, switches);
		if (elapsed_time() - elapsed + EARLY * (switches + 1) < due)
			ck_abort_msg(
				"%ju switches after %ju ns, but the last was due at %ju",
				(uintmax_t)switches,
				(uintmax_t)(elapsed_time() - elapsed), (uintmax_t)due);
		due = time_of_switches(timeouts, switches + 1);
		if (exact && looked > due + late * (switches + 1))
			ck_abort_msg(
				"%ju switches after %ju ns, but one more was due at %ju",
				(uintmax_t)switches, (uintmax_t)looked, (uintmax_t)due);
	} while (switches < wanted);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(switches_of_sets(fd), switches_so_far(fd));
	set_zero_must_be_right(fd);
}

/* ---- remaining time ------------------------------------------------------------------------- */

/*
 * A timeout counts only the time for which the thread runs. If the clock counts instructions, the
 * thread runs for nearly all of the time between two calls. Returns the least by which a timeout
 * decreases within @elapsed ns. If the clock does not count instructions, that is 1 ns.
 */
static uint64_t least_decrease(uint64_t elapsed)
{
	return is_deterministic() ? elapsed - (is_debug_kernel() ? 10 : 1) * MS / 5 : 1;
}

/*
 * The timeout is 100 ms, so that a slow guest gets from one call to the next before the timeout
 * ends.
 */
TEST(getinfo_shows_the_rest_of_the_timeout)
{
	const uint64_t timeout = 100 * MS;
	uint64_t times[4], before, after;
	int fd = make_context();

	make_turns(fd, 2, timeout);
	ck_assert_uint_eq(set_of(fd, 0).set_timeout, effective(timeout));
	load(fd, thread_id());
	ck_assert_uint_eq(set_of(fd, 0).set_timeout, effective(timeout));
	times[0] = elapsed_time();
	must(fd, pfm_start(fd, NULL));
	before = set_of(fd, 0).set_timeout;
	times[1] = elapsed_time();
	loop(20 * MILLION);
	times[2] = elapsed_time();
	after = set_of(fd, 0).set_timeout;
	times[3] = elapsed_time();
	if (runs_of(fd, 0) != 1 || runs_of(fd, 1)) {
		/* The turn of the set must not end before its timeout. */
		ck_assert_uint_ge(elapsed_time() - times[0], timeout);
		if (!is_deterministic())
			skip("the host ran something else for 100 ms");
	}
	ck_assert_uint_eq(runs_of(fd, 0), 1);
	ck_assert_uint_le(before, effective(timeout));
	ck_assert_uint_lt(after, before);
	ck_assert_uint_ge(after + (times[3] - times[0]) + EARLY, timeout);
	ck_assert_uint_le(after, timeout - least_decrease(times[2] - times[1]));
	if (is_deterministic()) /* no part of set 1's timeout has elapsed */
		ck_assert_uint_eq(set_of(fd, 1).set_timeout, timeout);
	set_zero_must_be_right(fd);
}

TEST(a_timeout_of_an_hour_does_not_overflow)
{
	uint64_t outer, inner, remains;
	int fd = make_context();

	make_turns(fd, 2, HOUR);
	load(fd, thread_id());
	outer = elapsed_time();
	must(fd, pfm_start(fd, NULL));
	inner = elapsed_time();
	loop(10 * MILLION);
	inner = elapsed_time() - inner;
	remains = set_of(fd, 0).set_timeout;
	outer = elapsed_time() - outer;
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(runs_of(fd, 0), 1);
	ck_assert_uint_eq(runs_of(fd, 1), 0);
	must_be_between(remains, HOUR - outer - EARLY, HOUR - least_decrease(inner));
	set_zero_must_be_right(fd);
}
