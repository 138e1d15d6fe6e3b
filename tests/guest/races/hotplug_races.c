// SPDX-License-Identifier: GPL-2.0-only
/* Contexts begin and end while a CPU goes offline and online. */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "measure.h"
#include "workers.h"

SUITE(hotplug_races, 1800);

/* State of the thread that takes CPU 1 offline and online. */
static struct {
	volatile bool over;
	volatile bool moving; /* the CPU is going offline or online now */
	volatile unsigned int moves; /* two moves are a cycle: offline, online */
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

/* Moves the thread to one of the CPUs, if that CPU is online, or lets it use all CPUs. */
static void move_to_any_cpu(pid_t tid)
{
	unsigned long cpus = random_below(3) + 1;

	require(syscall(SYS_sched_setaffinity, tid, sizeof(cpus), &cpus) != -1 ||
		errno == EINVAL);
}

/* Monitors a thread that migrates. Its counts must never decrease. */
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
 * Monitors the caller's own thread. Exactly its page faults must be counted, whatever happens to
 * the CPUs.
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

/*
 * One iteration is a context that was loaded or unloaded while the CPU changed its state. A change
 * takes as long as dozens of contexts.
 */
static void everything_with_hotplug(void)
{
	struct spinner spinners[2] = { {}, { .naps = true } };
	unsigned int count = iterations(), met = 0, made;
	pthread_t thread;

	pmu();
	spinner_begin(&spinners[0]);
	spinner_begin(&spinners[1]);
	require(pthread_create(&thread, NULL, cycle_cpu, NULL) == 0);
	for (made = 0; met < count || hotplug.moves / 2 < count / 50; made++) {
		bool moved = hotplug.moving;

		if (made % 2)
			watch_oneself();
		else
			watch_moved(spinners[random_below(2)].tid);
		met += moved || hotplug.moving;
	}
	hotplug.over = true;
	pthread_join(thread, NULL);
	spinner_end(&spinners[0]);
	spinner_end(&spinners[1]);
	printf("         %u contexts, %u of them while CPU 1 went offline "
	       "or online; %u cycles\n",
	       made, met, hotplug.moves / 2);
	fflush(stdout);
	all_must_be_well();
}

TEST(all_calls_may_race_with_hotplug)
{
	need_cpus(2);
	if (!path_exists("/sys/devices/system/cpu/cpu1/online"))
		skip("CPU 1 cannot be taken offline");
	with_all_cpus_back(everything_with_hotplug);
}
