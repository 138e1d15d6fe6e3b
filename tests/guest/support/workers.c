// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

#include "measure.h"
#include "workers.h"

static uint64_t seed;

/* Chooses one seed for the whole run, before any test begins. */
__attribute__((constructor)) static void choose_seed(void)
{
	const char *wanted = getenv("PERFMON_SEED");
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = wanted ? strtoull(wanted, NULL, 0)
		      : now.tv_sec * 1000000000ull + now.tv_nsec;
}

void give_up(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: %s%s (%s; PERFMON_SEED=%#jx)\n", file, line, subject,
		condition, strerror(errno), (uintmax_t)seed);
	_exit(EXIT_FAILURE);
}

/* xorshift64*, Vigna 2016 */
uint32_t random_below(uint32_t end)
{
	static unsigned int rows;
	static __thread uint64_t state;

	if (!state)
		state = seed + __atomic_add_fetch(&rows, 1, __ATOMIC_RELAXED) *
				       0x9e3779b97f4a7c15;
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((state * 0x2545f4914f6cdd1d) >> 32) * end >> 32;
}

/* Returns when the process has begun to run. */
pid_t fork_victim(void)
{
	int gate[2];
	char byte;
	pid_t pid;

	require(pipe(gate) == 0);
	pid = fork();
	require(pid != -1);
	if (pid == 0) {
		close(gate[0]);
		require(write(gate[1], "", 1) == 1);
		close(gate[1]);
		for (;;)
			;
	}
	close(gate[1]);
	require(read(gate[0], &byte, 1) == 1);
	close(gate[0]);
	return pid;
}

void set_apart(pid_t victim)
{
	/* In a debug guest an iteration of a race takes 0.9 s on one CPU, and 0.2 s on two CPUs. */
	if (!is_debug_kernel())
		return;
	pin(0);
	pin_thread(victim, 1);
}

static void *spin(void *argument)
{
	const struct timespec shortest = { .tv_nsec = 1 };
	struct spinner *spinner = argument;

	if (!spinner->roams)
		pin(1);
	spinner->tid = thread_id();
	while (!spinner->stop) {
		spin_turns(100);
		spinner->turns++;
		if (spinner->naps)
			nanosleep(&shortest, NULL);
	}
	return NULL;
}

void spinner_begin(struct spinner *spinner)
{
	require(pthread_create(&spinner->thread, NULL, spin, spinner) == 0);
	wait_until(spinner->tid);
}

void spinner_end(struct spinner *spinner)
{
	spinner->stop = true;
	require(pthread_join(spinner->thread, NULL) == 0);
}

int create(void)
{
	pfarg_ctx_t ctx = {};
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };
	pfarg_pmd_t pmds[2] = { { .reg_num = pmu()->pmds[0] },
				{ .reg_num = PFM_PMD_TASK_CLOCK } };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	require(fd != -1);
	require(pfm_write_pmcs(fd, &pmc, 1) == 0);
	require(pfm_write_pmds(fd, pmds, 2) == 0);
	return fd;
}

void run_workers(void (*cycle)(void), unsigned int cycles)
{
	pid_t pids[WORKERS];
	unsigned int worker, i;
	int status;

	pmu();
	for (worker = 0; worker < WORKERS; worker++) {
		pids[worker] = fork();
		ck_assert_int_ne(pids[worker], -1);
		if (pids[worker])
			continue;
		pin(worker % cpus_online());
		for (i = 0; i < cycles; i++)
			cycle();
		_exit(EXIT_SUCCESS);
	}
	for (worker = 0; worker < WORKERS; worker++) {
		ck_assert_int_eq(waitpid(pids[worker], &status, 0), pids[worker]);
		ck_assert_msg(status == 0, "worker %u ended with status %#x", worker,
			      status);
	}
}

void nothing_must_be_left(void)
{
	wait_until(sessions() == 0);
	ck_assert_int_eq(module_users(pmu_module()), 0);
	/* The PMU module is the only user of the core. */
	ck_assert_int_eq(module_users("perfmon"), 1);
}

unsigned int iterations(void)
{
	const char *wanted = getenv("PERFMON_ITERATIONS");

	if (wanted)
		return atoi(wanted);
	return is_debug_kernel() ? 1000 : 10000;
}

void all_must_be_well(void)
{
	int fd;

	nothing_must_be_left();
	fd = make_context();
	count_must_be_right(fd);
	close(fd);
	nothing_must_be_left();
}
