// SPDX-License-Identifier: GPL-2.0-only
/* Tests contexts that are loaded and closed while a CPU goes offline and online. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "families.h"
#include "system_wide.h"

SUITE(hotplug_races, 900);

/* State of the thread that takes CPU 1 offline and online. */
static struct {
	volatile bool over;
	volatile bool moving; /* the CPU is going offline or online now */
	volatile unsigned int moves; /* two per cycle: offline and online */
} hotplug;

static void *cycle_cpu(void *unused)
{
	while (!hotplug.over) {
		hotplug.moving = true;
		cpu_online(1, hotplug.moves % 2);
		hotplug.moving = false;
		hotplug.moves++;
	}
	if (hotplug.moves % 2)
		cpu_online(1, true);
	return unused;
}

/*
 * Restricts the thread to CPU 0, to CPU 1 or to both, at random. If only CPU 1 is chosen and it is
 * offline, nothing changes.
 */
static void move_to_any_cpu(pid_t tid)
{
	unsigned long cpus = random_below(3) + 1;

	require(syscall(SYS_sched_setaffinity, tid, sizeof(cpus), &cpus) != -1 ||
		errno == EINVAL);
}

/* Monitors a thread that migrates. The thread's counts must never decrease. */
static void watch_moved(pid_t tid)
{
	const unsigned int numbers[] = { pmu()->pmds[0], PFM_PMD_CONTEXT_SWITCHES };
	uint64_t last[2] = {}, values[2];
	int fd = create(), turn;

	poke_pmd(fd, PFM_PMD_CONTEXT_SWITCHES, 0);
	move_to_any_cpu(tid);
	require(try_load(fd, tid) == 0);
	require(pfm_start(fd, NULL) == 0);
	for (turn = 0; turn < 3; turn++) {
		move_to_any_cpu(tid);
		values[0] = peek_pmd(fd, numbers[0]);
		values[1] = peek_pmd(fd, numbers[1]);
		require(values[0] >= last[0] && values[1] >= last[1]);
		memcpy(last, values, sizeof(last));
	}
	if (random_below(2)) {
		require(pfm_stop(fd) == 0);
		require(peek_pmd(fd, numbers[0]) >= last[0]);
	}
	require(close(fd) == 0);
}

/*
 * Monitors the caller's own thread. No page fault of this thread may be lost or counted twice,
 * whatever happens to the CPUs.
 */
static void watch_oneself(void)
{
	uint64_t outer, inner, count;
	int fd = create();

	poke_pmd(fd, PFM_PMD_MINOR_FAULTS, 0);
	move_to_any_cpu(thread_id());
	require(try_load(fd, thread_id()) == 0);
	outer = minor_faults();
	require(pfm_start(fd, NULL) == 0);
	inner = minor_faults();
	move_to_any_cpu(thread_id());
	touch_pages(5);
	inner = minor_faults() - inner;
	require(pfm_stop(fd) == 0);
	outer = minor_faults() - outer;
	count = peek_pmd(fd, PFM_PMD_MINOR_FAULTS);
	require(count >= inner && count <= outer);
	require(close(fd) == 0);
}

static struct {
	unsigned int refused, ended, stayed;
} loads;

/* Waits for the END message. A message about an overflow may come first. */
static void wait_for_end(int fd)
{
	struct pfarg_ovfl_msg message;

	do
		require(read(fd, &message, sizeof(message)) == sizeof(message));
	while (message.msg_type != PFM_MSG_END);
}

/*
 * Uses a context of CPU 1. The load may be refused because the CPU is offline, or the context may
 * end because the CPU goes offline. The context counts only from its start to its end.
 */
static void use_cpu_context(int fd)
{
	uint64_t begun = monotonic_time(), last = 0, now;
	unsigned int turn;

	if (try_load(fd, 1)) {
		require(errno == ENODEV);
		loads.refused++;
		return;
	}
	require(pfm_start(fd, NULL) == 0 || errno == EINVAL);
	for (turn = random_below(4); turn; turn--) {
		spin_turns(random_below(1 << random_below(18)));
		now = peek_pmd(fd, PFM_PMD_TASK_CLOCK);
		require(now >= last && now <= monotonic_time() - begun);
		last = now;
	}
	/* One context in eight is used until the CPU goes offline. */
	if (random_below(8) == 0 || status_of(fd).state == PFM_STATE_UNLOADED) {
		loads.ended++;
		wait_for_end(fd);
		require(status_of(fd).state == PFM_STATE_UNLOADED);
		return;
	}
	loads.stayed++;
	if (random_below(2))
		require(pfm_unload_context(fd) == 0);
}

/*
 * Creates a context of CPU 1, uses it and closes it. Returns true if all three cases have occurred:
 * the load was refused, the CPU went offline and ended the context, and the context stayed loaded.
 */
static bool watch_cpu(unsigned int made)
{
	bool is_sampled = made % 2;
	int fd = is_sampled ? default_context(PFM_FL_SYSTEM_WIDE, least_size())
			    : system_wide_context();
	header_t header = is_sampled ? map_buffer(fd, least_size()) : NULL;

	move_to_any_cpu(thread_id());
	use_busy_counters_of_cpu(fd);
	if (is_sampled)
		write_one(fd, sampling(0, 10000 + random_below(100000)));
	use_cpu_context(fd);
	require(close(fd) == 0);
	require(read_number(SYSFS "sys_sessions_count") == 0);
	if (is_sampled) {
		must_be_whole(header, 0);
		require(munmap((void *)header, least_size()) == 0);
	}
	return loads.refused && loads.ended && loads.stayed;
}

#define CHILDREN 2

static void make_children_anywhere(void)
{
	unsigned int i;

	for (i = 0; i < CHILDREN; i++) {
		move_to_any_cpu(thread_id());
		require(waitpid(make_light_child(), NULL, 0) != -1);
	}
}

static struct family family;

/*
 * Monitors a process that makes children on any CPU. In half of the iterations the context has a
 * buffer for each CPU.
 */
static bool watch_family(unsigned int made)
{
	uint64_t faults, count;

	family_load(&family, made % 2);
	family_let_go(&family);
	move_to_any_cpu(thread_id());
	family_wait(&family);
	faults = family_faults(&family);
	count = peek_pmd(family.fd, PFM_PMD_MINOR_FAULTS);
	require(count <= faults && count + CHILDREN >= faults);
	family_forget(&family);
	return true;
}

static struct spinner spinners[2] = { {}, { .naps = true } };

static bool watch_threads(unsigned int made)
{
	if (made % 2)
		watch_oneself();
	else
		watch_moved(spinners[random_below(2)].tid);
	return true;
}

/*
 * Calls @watch again and again until all of this is true: at least @count calls have begun or ended
 * while CPU 1 was going offline or online; CPU 1 has gone offline and online at least @count / 50
 * times; the last call of @watch has returned true.
 */
static void race_with_hotplug(bool (*watch)(unsigned int made), unsigned int count)
{
	unsigned int met = 0, made;
	bool seen = false;
	pthread_t thread;

	pmu();
	require(pthread_create(&thread, NULL, cycle_cpu, NULL) == 0);
	for (made = 0; met < count || hotplug.moves / 2 < count / 50 || !seen; made++) {
		bool moved = hotplug.moving;

		seen = watch(made);
		met += moved || hotplug.moving;
	}
	hotplug.over = true;
	pthread_join(thread, NULL);
	printf("         %u contexts, %u of them while CPU 1 went offline "
	       "or online; CPU 1 went offline and online %u times\n",
	       made, met, hotplug.moves / 2);
	fflush(stdout);
}

static void need_hotplug(void)
{
	need_cpus(2);
	if (!path_exists("/sys/devices/system/cpu/cpu1/online"))
		skip("CPU 1 cannot be taken offline");
}

/* The spinners begin on CPU 1, so this function starts them before CPU 1 goes offline. */
static void check_threads(void)
{
	spinner_begin(&spinners[0]);
	spinner_begin(&spinners[1]);
	race_with_hotplug(watch_threads, iterations());
	spinner_end(&spinners[0]);
	spinner_end(&spinners[1]);
}

TEST(all_calls_may_race_with_hotplug)
{
	need_hotplug();
	with_all_cpus_back(check_threads);
	all_must_be_well();
}

static void check_cpus(void)
{
	race_with_hotplug(watch_cpu, iterations());
	printf("         %u loads refused, %u contexts ended by hotplug, %u stayed loaded\n",
	       loads.refused, loads.ended, loads.stayed);
	fflush(stdout);
}

TEST(loads_on_a_cpu_may_race_with_hotplug)
{
	need_hotplug();
	with_all_cpus_back(check_cpus);
	all_must_be_well();
}

static void check_families(void)
{
	int hooks = keep_hooks();

	family = family_begin(make_children_anywhere);
	race_with_hotplug(watch_family, iterations());
	family_end(&family);
	close(hooks);
}

TEST(copies_with_buffers_may_race_with_hotplug)
{
	need_hotplug();
	with_all_cpus_back(check_families);
	all_must_be_well();
}
