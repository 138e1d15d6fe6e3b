// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests races of event sets. A set switch races with a call that ends monitoring, with the end of
 * the thread, or with a CPU that goes offline. Sets are created and deleted while another thread
 * loads the context.
 *
 * After each race the sets must be consistent: they have taken turns in order, and no set switch
 * has lost time or counted it twice.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sets.h"
#include "workers.h"

SUITE(set_races, 900);

#define SETS	 3

/* ---- contexts ------------------------------------------------------------------------ */

/* The range of the sets' timeouts. Even a slow guest makes progress with the shortest timeout. */
#define SHORTEST 100000 /* ns */
#define LONGEST	 400000

static uint64_t short_time(void)
{
	return SHORTEST + random_below(LONGEST - SHORTEST);
}

/*
 * Creates a context whose sets are switched by time. If @overflows is true, about half of the sets,
 * chosen at random, are instead switched by overflows of a counter that counts whenever the thread
 * runs.
 */
static int switching_context(bool overflows)
{
	struct pfarg_ctx ctx = {};
	struct pfarg_setdesc sets[SETS];
	struct pfarg_pmc pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };
	struct pfarg_pmd pmds[2] = { { .reg_num = PFM_PMD_TASK_CLOCK },
				     { .reg_num = pmu()->pmds[0] } };
	unsigned int id;
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	require(fd != -1);
	for (id = 0; id < SETS; id++)
		sets[id] = (struct pfarg_setdesc){
			.set_id = id,
			.set_flags = overflows && random_below(2) ? BY_OVERFLOW : BY_TIME,
			.set_timeout = short_time(),
		};
	require(pfm_create_evtsets(fd, sets, SETS) == 0);
	for (id = 0; id < SETS; id++) {
		pmc.reg_set = pmds[0].reg_set = pmds[1].reg_set = id;
		require(pfm_write_pmcs(fd, &pmc, 1) == 0);
		if (sets[id].set_flags == BY_OVERFLOW) {
			pmds[1].reg_value = -short_time();
			pmds[1].reg_short_reset = pmds[1].reg_value;
			pmds[1].reg_long_reset = pmds[1].reg_value;
			pmds[1].reg_ovfl_switch_cnt = 1 + random_below(2);
		} else {
			pmds[1].reg_value = 0;
			pmds[1].reg_ovfl_switch_cnt = 0;
		}
		require(pfm_write_pmds(fd, pmds, 2) == 0);
	}
	return fd;
}

/*
 * The number of set switches, and the time for which the sets were active, each summed over all
 * sets.
 */
struct turns_taken {
	uint64_t switches;
	uint64_t duration;
};

/* Checks that the sets have taken turns in order, and returns the sums over all sets. */
static struct turns_taken turns_taken(int fd)
{
	struct pfarg_setinfo infos[SETS] = {};
	struct turns_taken taken = {};
	unsigned int id;

	for (id = 0; id < SETS; id++)
		infos[id].set_id = id;
	require(pfm_getinfo_evtsets(fd, infos, SETS) == 0);
	for (id = 0; id < SETS; id++) {
		require(infos[id].set_runs <= infos[0].set_runs);
		require(infos[id].set_runs + 1 >= infos[0].set_runs);
		require(id == 0 || infos[id].set_runs <= infos[id - 1].set_runs);
		taken.switches += infos[id].set_runs;
		taken.duration += infos[id].set_act_duration;
	}
	require(taken.switches > 0);
	taken.switches--;
	return taken;
}

/*
 * Must be called after the end of monitoring. @begun is a time before monitoring started. Checks
 * that the sum of the sets' durations does not exceed the time since @begun. If @overflows is
 * false, it also checks that there were not more set switches than the shortest timeout allows. The
 * task clock of a set runs only during its turns, so the sum of the task clocks must be the sum of
 * the durations.
 *
 * Return: the number of set switches.
 */
static uint64_t sets_must_be_whole(int fd, uint64_t begun, bool overflows)
{
	const struct turns_taken taken = turns_taken(fd);
	const uint64_t passed = monotonic_time() - begun;
	struct pfarg_pmd clock = { .reg_num = PFM_PMD_TASK_CLOCK };
	uint64_t clocks = 0;
	unsigned int id;

	for (id = 0; id < SETS; id++) {
		clock.reg_set = id;
		require(pfm_read_pmds(fd, &clock, 1) == 0);
		clocks += clock.reg_value;
	}
	require(clocks == taken.duration);
	require(taken.duration <= passed + EARLY);
	require(overflows || taken.switches * (SHORTEST - EARLY) <= passed);
	return taken.switches;
}

/* Waits for the first set switch, which makes set 1 active. This may take long in a slow guest. */
static void wait_for_switch(int fd, pid_t tid)
{
	struct pfarg_setinfo info = { .set_id = 1 };

	for (;;) {
		require(pfm_getinfo_evtsets(fd, &info, 1) == 0);
		if (info.set_runs)
			return;
		if (tid != thread_id())
			usleep(50);
	}
}

/* ---- switches and the end of monitoring -------------------------------------------------- */

enum way {
	STOP,
	UNLOAD,
	CLOSE,
	START, /* start with a random set, then unload */
	WAYS
};

/**
 * struct end - a way to end monitoring
 * @overflows: some sets are switched by overflows
 * @late: monitoring ends only after the first set switch
 */
struct end {
	enum way way;
	bool overflows;
	bool late;
};

/*
 * Ends monitoring at a random time, in the way that @end describes.
 *
 * Return: the number of set switches; 0 if @end->way is CLOSE or START, because the sets are not
 * checked then.
 */
static uint64_t end_while_it_switches(pid_t tid, const struct end *end)
{
	int fd = switching_context(end->overflows);
	uint64_t switches = 0, begun;

	require(try_load(fd, tid) == 0);
	begun = monotonic_time();
	require(pfm_start(fd, NULL) == 0);
	if (end->late)
		wait_for_switch(fd, tid);
	spin_turns(random_below(1 << random_below(17)));
	if (end->way == START)
		/* The call activates a random set, so the sets do not take turns in order. */
		require(try_start_set(fd, random_below(SETS)) == 0);
	else if (end->way == STOP)
		require(pfm_stop(fd) == 0);
	if (end->way == STOP)
		switches = sets_must_be_whole(fd, begun, end->overflows);
	if (end->way != CLOSE) {
		require(pfm_unload_context(fd) == 0);
		if (end->way == UNLOAD)
			switches = sets_must_be_whole(fd, begun, end->overflows);
	}
	require(close(fd) == 0);
	return switches;
}

static void end_on_the_way(void)
{
	struct spinner spinners[2] = { {}, { .naps = true } };
	const unsigned int count = iterations();
	uint64_t switches = 0, with_some = 0, found;
	struct end end;
	unsigned int i;
	pid_t tid;

	pin(0);
	spinner_begin(&spinners[0]);
	spinner_begin(&spinners[1]);
	for (i = 0; i < count; i++) {
		tid = random_below(8) ? spinners[random_below(2)].tid : thread_id();
		end.way = i % WAYS;
		end.overflows = i / WAYS % 2;
		/*
		 * If overflows raise no interrupts (see need_overflow_interrupts()), the turn of a
		 * set that is switched by overflows might never end. So the test does not wait for
		 * the first switch of a context with such sets.
		 */
		end.late = !end.overflows && i / WAYS / 2 % 2;
		found = end_while_it_switches(tid, &end);
		switches += found;
		with_some += found > 0;
	}
	spinner_end(&spinners[0]);
	spinner_end(&spinners[1]);
	printf("         %u ends, %u of them checked; %ju of the checked ends came after a set switch; %ju switches in total\n",
	       count, count / 2, (uintmax_t)with_some, (uintmax_t)switches);
	fflush(stdout);
	all_must_be_well();
}

TEST(the_end_of_monitoring_may_race_with_a_switch)
{
	need_cpus(2);
	end_on_the_way();
}

/* ---- switches and the end of the thread --------------------------------------------------- */

static void thread_ends_on_the_way(void)
{
	/* With a stock kernel, each iteration takes 30 ms. */
	const unsigned int count = iterations() / (is_debug_kernel() ? 1 : 4);
	uint64_t switches = 0, begun;
	unsigned int i;
	pid_t pid;
	int fd;

	for (i = 0; i < count; i++) {
		pid = fork_victim();
		set_apart(pid);
		fd = switching_context(i % 2);
		require(try_load(fd, pid) == 0);
		begun = monotonic_time();
		require(pfm_start(fd, NULL) == 0);
		if (i % 4 == 0)
			wait_for_switch(fd, pid);
		spin_turns(random_below(1 << random_below(17)));
		require(kill(pid, SIGKILL) == 0);
		require(waitpid(pid, NULL, 0) == pid);
		must_end(fd);
		switches += sets_must_be_whole(fd, begun, i % 2);
		require(close(fd) == 0);
	}
	printf("         %u threads ended after %ju set switches in total\n", count,
	       (uintmax_t)switches);
	fflush(stdout);
	all_must_be_well();
}

TEST(the_end_of_the_thread_may_race_with_a_switch)
{
	need_cpus(2);
	thread_ends_on_the_way();
}

/* ---- switches and CPUs that go offline ------------------------------------------------------- */

static volatile bool over;
static volatile unsigned int moves; /* how often CPU 1 went offline or online */

static void *cycle_cpu(void *unused)
{
	while (!over) {
		cpu_online(1, moves % 2);
		moves++;
	}
	if (moves % 2)
		cpu_online(1, true);
	return unused;
}

/*
 * Restricts the thread to CPU 0, to CPU 1 or to both, at random. If only CPU 1 is chosen and it is
 * offline, nothing changes.
 */
static void drive(pid_t tid)
{
	unsigned long cpus = random_below(3) + 1;

	require(syscall(SYS_sched_setaffinity, tid, sizeof(cpus), &cpus) != -1 ||
		errno == EINVAL);
}

static void cpus_go_on_the_way(void)
{
	struct spinner spinners[2] = { { .roams = true },
				       { .roams = true, .naps = true } };
	const unsigned int cycles = iterations() / 100;
	unsigned int made, turn;
	uint64_t switches = 0, begun;
	pthread_t thread;
	bool overflows;
	pid_t tid;
	int fd;

	spinner_begin(&spinners[0]);
	spinner_begin(&spinners[1]);
	require(pthread_create(&thread, NULL, cycle_cpu, NULL) == 0);
	for (made = 0; moves / 2 < cycles; made++) {
		tid = spinners[made % 2].tid;
		overflows = made / 2 % 2;
		fd = switching_context(overflows);
		require(try_load(fd, tid) == 0);
		begun = monotonic_time();
		require(pfm_start(fd, NULL) == 0);
		for (turn = random_below(20); turn > 0; turn--) {
			drive(tid);
			usleep(random_below(1000));
		}
		if (!overflows)
			wait_for_switch(fd, tid);
		require(pfm_stop(fd) == 0);
		switches += sets_must_be_whole(fd, begun, overflows);
		require(close(fd) == 0);
	}
	over = true;
	pthread_join(thread, NULL);
	spinner_end(&spinners[0]);
	spinner_end(&spinners[1]);
	printf("         %u contexts, %ju switches, CPU 1 went offline and online %u times\n",
	       made, (uintmax_t)switches, moves / 2);
	fflush(stdout);
	all_must_be_well();
}

TEST(switches_may_race_with_hotplug)
{
	need_cpus(2);
	if (!path_exists("/sys/devices/system/cpu/cpu1/online"))
		skip("CPU 1 cannot be taken offline");
	with_all_cpus_back(cpus_go_on_the_way);
}

/* ---- sets created and deleted while the context is used --------------------------------------- */

#define LAST_SET 6

static struct {
	int fd;
	pid_t target;
	volatile bool stop;
	volatile unsigned int made, deleted,
		busy; /* counted by the thread that creates and deletes sets */
	unsigned int loaded, missing; /* counted by the thread that loads */
} duel;

static void note(int result, volatile unsigned int *done, volatile unsigned int *refused,
		 int refusal)
{
	if (result == 0) {
		++*done;
		return;
	}
	require(errno == refusal || errno == EINVAL);
	*refused += errno == refusal;
}

/* Makes and deletes sets 1 to LAST_SET, in any order. */
static void *make_and_delete(void *unused)
{
	unsigned int id;

	pin(1);
	while (!duel.stop) {
		id = 1 + random_below(LAST_SET);
		if (random_below(2))
			note(try_set(duel.fd, id, BY_TIME, short_time()), &duel.made,
			     &duel.busy, EBUSY);
		else
			note(try_delete(duel.fd, id), &duel.deleted, &duel.busy, EBUSY);
	}
	return unused;
}

/*
 * Uses sets that may have been deleted. A load or a start with a deleted set must fail with EINVAL.
 */
static void load_and_use(void)
{
	struct pfarg_setinfo info = { .set_id = random_below(LAST_SET + 1) };
	struct pfarg_pmd pmd = { .reg_num = PFM_PMD_TASK_CLOCK, .reg_set = info.set_id };
	unsigned int other = random_below(LAST_SET + 1);

	pfm_write_pmds(duel.fd, &pmd, 1);
	if (try_load_set(duel.fd, duel.target, info.set_id)) {
		require(errno == EINVAL && info.set_id);
		duel.missing++;
		return;
	}
	duel.loaded++;
	require(pfm_start(duel.fd, NULL) == 0);
	require(pfm_getinfo_evtsets(duel.fd, &info, 1) == 0 && info.set_runs > 0);
	require(try_start_set(duel.fd, other) == 0 || errno == EINVAL);
	spin_turns(random_below(5000));
	require(pfm_unload_context(duel.fd) == 0);
}

/*
 * One iteration tries to load the context with a random set, which may have been deleted. The race
 * continues until a load has failed because the set was deleted, and until a change or deletion of
 * a set has failed because the context was loaded.
 */
static void duel_of_two(void)
{
	/* With a stock kernel, each iteration takes up to 30 ms. */
	const unsigned int wanted = iterations() / (is_debug_kernel() ? 1 : 2);
	struct spinner spinner = {};
	pthread_t thread;

	pin(0);
	spinner_begin(&spinner);
	duel.target = spinner.tid;
	duel.fd = switching_context(false);
	require(pthread_create(&thread, NULL, make_and_delete, NULL) == 0);
	while (duel.loaded + duel.missing < wanted || duel.made < wanted ||
	       duel.deleted < wanted || !duel.busy || !duel.missing) {
		load_and_use();
		usleep(random_below(200)); /* the other thread can change sets now */
	}
	duel.stop = true;
	require(pthread_join(thread, NULL) == 0);
	spinner_end(&spinner);
	close(duel.fd);
	printf("         %u sets created, %u deleted, %u calls refused; %u loads, %u failed loads of deleted sets\n",
	       duel.made, duel.deleted, duel.busy, duel.loaded, duel.missing);
	fflush(stdout);
	all_must_be_well();
}

TEST(sets_may_be_created_and_deleted_while_another_thread_loads)
{
	need_cpus(2);
	duel_of_two();
}
