// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests two kinds of races. In one kind, the close or the load of a context races with the end of
 * the monitored thread. In the other kind, the end of monitoring races with an overflow.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#include "endings.h"
#include "measure.h"

SUITE(end_races, 900);

/* ---- threads that end -------------------------------------------------------------- */

static const char *const ending_names[] = {
	[THREAD_ENDS] = "a thread ends",
	[PROCESS_ENDS] = "a process ends",
	[PROCESS_IS_KILLED] = "a process is killed",
	[LAST_THREAD_ENDS] = "the last thread ends",
	[GROUP_ENDS] = "another thread ends the process",
};

static bool all_have_happened(const struct meeting *meetings)
{
	unsigned int ending;

	for (ending = 0; ending < ENDINGS; ending++)
		if (!both_have_happened(&meetings[ending]))
			return false;
	return true;
}

static void meet_all_endings(enum order (*meet)(enum ending ending, int lead))
{
	struct meeting meetings[ENDINGS] = {};
	unsigned int count = iterations(), i, ending;
	pthread_t thread;

	need_cpus(2);
	pin(0);
	require(pthread_create(&thread, NULL, make_targets, NULL) == 0);
	for (i = 0; i < count || !all_have_happened(meetings); i++) {
		ending = i % ENDINGS;
		note_order(&meetings[ending],
			   meet(ending, choose_lead(&meetings[ending])));
	}
	for (ending = 0; ending < ENDINGS; ending++)
		print_orders(&meetings[ending], ending_names[ending]);
	all_must_be_well();
}

/* ---- close and the end of the thread ----------------------------------------------- */

static bool has_message(int fd)
{
	struct pollfd poll_one = { .fd = fd, .events = POLLIN };

	return poll(&poll_one, 1, 0) == 1;
}

static enum order close_while_it_ends(enum ending ending, int lead)
{
	int fd = create();
	uint64_t turns;
	bool ended;

	target_begin(ending, lead < 0 ? -lead : 0);
	require(try_load(fd, target.tid) == 0);
	if (random_below(2))
		require(pfm_start(fd, NULL) == 0);
	target_let_go();
	spin_turns(lead > 0 ? lead : 0);
	ended = has_message(fd);
	require(close(fd) == 0);
	turns = target.turns;
	target_reap();
	if (ended)
		return AFTER;
	return target.turns > turns ? BEFORE : DURING;
}

TEST(the_close_may_race_with_the_end_of_the_thread)
{
	meet_all_endings(close_while_it_ends);
}

/* ---- load and the end of the thread -------------------------------------------------- */

static enum order load_while_it_ends(enum ending ending, int lead)
{
	int fd = create();
	enum order order = AFTER;
	uint64_t turns;

	target_begin(ending, lead < 0 ? -lead : 0);
	target_let_go();
	spin_turns(lead > 0 ? lead : 0);
	if (try_load(fd, target.tid) == 0) {
		turns = target.turns;
		require(pfm_start(fd, NULL) == 0 || errno == EINVAL);
		must_end(fd);
		order = target.turns > turns ? BEFORE : DURING;
	} else {
		/*
		 * A thread that has ended cannot be found any more, so the errno may be ESRCH. A
		 * process that has ended can be found until its parent waits for it.
		 */
		require(errno == EBUSY || (errno == ESRCH && ending != PROCESS_ENDS &&
					   ending != PROCESS_IS_KILLED));
		require(!has_message(fd));
	}
	require(status_of(fd).state == PFM_STATE_UNLOADED);
	target_reap();
	require(close(fd) == 0);
	return order;
}

TEST(the_load_may_race_with_the_end_of_the_thread)
{
	meet_all_endings(load_while_it_ends);
}

/* ---- unload, stop or close and an overflow --------------------------------------------- */

enum way {
	STOP,
	UNLOAD,
	CLOSE,
};

/*
 * The counter begins @distance events before its next wrap. If @saturates, the 64-bit value
 * overflows at this wrap.
 */
struct approach {
	unsigned int width;
	bool saturates;
	uint64_t distance;
};

/*
 * Ends monitoring when the counter is near the wrap. The result must be consistent. If the counter
 * has wrapped, the 64-bit value includes the wrap. If the 64-bit value has overflowed, the overflow
 * is reported, and a context that is still loaded is masked.
 */
static enum order end_at_overflow(int *fd, pid_t tid, enum way way,
				  const struct approach *approach)
{
	const unsigned int pmd = pmu()->pmds[0];
	const uint64_t wrap = approach->saturates ? 0 : 3ull << approach->width;
	const uint64_t preload = wrap - approach->distance;
	uint64_t begun = monotonic_time(), counted;
	struct pfm_status status;
	bool wrapped, told;

	poke_pmd(*fd, pmd, preload);
	require(try_load(*fd, tid) == 0);
	require(pfm_start(*fd, NULL) == 0);
	spin_turns(random_below(1000));
	if (way == CLOSE) {
		require(close(*fd) == 0);
		*fd = create();
		return UNSEEN;
	}
	require((way == STOP ? pfm_stop(*fd) : pfm_unload_context(*fd)) == 0);
	counted = peek_pmd(*fd, pmd) - preload;
	told = set_of(*fd, 0).set_ovfl_pmds[0] != 0;
	require(pfm_get_status(*fd, &status) == 0);
	require(pfm_unload_context(*fd) == 0);

	/*
	 * On every PMU this counter counts time, so the count is at most the elapsed time. An error
	 * of half the counter's range is tolerated: if a wrap were lost or counted twice, the error
	 * would be the whole range.
	 */
	require(counted <= monotonic_time() - begun + BIT(approach->width - 1));
	wrapped = counted >= approach->distance;
	require(told == (wrapped && approach->saturates));
	require(way == UNLOAD ? status.state == PFM_STATE_UNLOADED
			      : (status.state == PFM_STATE_MASKED) == told);
	return wrapped ? AFTER : BEFORE;
}

static const char *const way_names[] = {
	[STOP] = "stop",
	[UNLOAD] = "unload",
	[CLOSE] = "close",
};

/*
 * Returns true if two conditions are met: interrupts have handled at least one overflow, and enough
 * overflows were still pending when monitoring ended.
 */
static bool enough_overflows(unsigned int taken_before, unsigned int pending_before)
{
	return statistic("ovfl_intr_regular_count") > taken_before &&
	       statistic("ovfl_intr_replay_count") - pending_before >= iterations() / 20;
}

/*
 * Returns whether monitoring has ended before the counter wrapped, and also after it wrapped. Both
 * must have happened without an overflow (meetings[0]) and with an overflow (meetings[1]). With
 * CLOSE the order cannot be seen, so this function always returns true for CLOSE.
 */
static bool sees_both(enum way way, const struct meeting *meetings)
{
	return way == CLOSE ||
	       (both_have_happened(&meetings[0]) && both_have_happened(&meetings[1]));
}

/*
 * One iteration ends monitoring just before or after an overflow. For each value of @way,
 * interrupts must have handled at least one overflow, and enough overflows must have been pending
 * when monitoring ended. An overflow is pending if the counter has wrapped, but no interrupt has
 * handled the wrap.
 */
static void end_in_one_way(enum way way, struct approach *approach,
			   struct meeting *meetings, const pid_t *tids)
{
	const unsigned int count = iterations();
	unsigned int taken = statistic("ovfl_intr_regular_count");
	unsigned int pending = statistic("ovfl_intr_replay_count"), i;
	int fd = create();

	for (i = 0;
	     i < count || !enough_overflows(taken, pending) || !sees_both(way, meetings);
	     i++) {
		struct meeting *meeting = &meetings[i % 2];
		pid_t tid = random_below(8) ? tids[random_below(2)] : thread_id();
		int distance = 20000 - choose_lead(meeting);

		approach->saturates = i % 2;
		approach->distance = distance > 0 ? distance : 1;
		note_order(meeting, end_at_overflow(&fd, tid, way, approach));
	}
	close(fd);
	taken = statistic("ovfl_intr_regular_count") - taken;
	pending = statistic("ovfl_intr_replay_count") - pending;
	printf("         %s: %u iterations; overflows: %u handled, %u pending at the end\n",
	       way_names[way], i, taken, pending);
	fflush(stdout);
}

static void overflows_must_be_whole(void)
{
	struct spinner spinners[2] = { {}, { .naps = true } };
	struct approach approach = {};
	struct meeting meetings[2] = {};
	pid_t tids[2];
	char path[64];
	enum way way;
	int i;

	snprintf(path, sizeof(path), SYSFS "pmu_desc/pmd%u/width", pmu()->pmds[0]);
	approach.width = read_number(path);
	pin(0);
	for (i = 0; i < 2; i++) {
		spinner_begin(&spinners[i]);
		tids[i] = spinners[i].tid;
	}
	/*
	 * With CLOSE the order cannot be seen, so note_order() does not change the leads (struct
	 * meeting). CLOSE is last, and uses the leads that STOP and UNLOAD have found.
	 */
	for (way = STOP; way <= CLOSE; way++)
		end_in_one_way(way, &approach, meetings, tids);
	for (i = 0; i < 2; i++)
		spinner_end(&spinners[i]);
	print_orders(&meetings[0], "a wrap without an overflow");
	print_orders(&meetings[1], "an overflow of 64 bits");
	all_must_be_well();
}

/* With narrow counters, the software PMU raises many interrupts. */
TEST(the_end_of_monitoring_may_race_with_an_overflow)
{
	need_cpus(2);
	if (pmu_is("soft"))
		with_pmu("perfmon_soft", "counter_width=31", overflows_must_be_whole);
	else
		overflows_must_be_whole();
}
