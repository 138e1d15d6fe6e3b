// SPDX-License-Identifier: GPL-2.0-only
/*
 * Forks, ends and execs of monitored processes race with calls on their context: reads of the sum,
 * start, stop, unload and close.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "measure.h"
#include "samples.h"
#include "workers.h"

SUITE(inherit_races, 1800);

/* Shared with the processes that fork. */
struct family {
	volatile bool stop;
	volatile unsigned int forks;
};

static struct family *family;

static void __attribute__((noreturn)) live_shortly(unsigned int generations)
{
	pid_t pid = 0;

	touch_pages(3);
	if (generations && random_below(2))
		pid = fork();
	if (generations && pid == 0)
		live_shortly(generations - 1);
	if (random_below(32) == 0)
		execl("/proc/self/exe", "perfmon-tests", "-h", NULL);
	if (pid > 0 && random_below(2))
		waitpid(pid, NULL, 0);
	_exit(EXIT_SUCCESS);
}

/* A process that makes children, on any CPU, until it is told to stop. */
static void __attribute__((noreturn)) run_family(void)
{
	pid_t pid;

	close_range(3, ~0u, 0);
	require(open("/dev/null", O_WRONLY) != -1 && dup2(3, STDOUT_FILENO) != -1);
	while (!family->stop) {
		pid = fork();
		if (pid == 0)
			live_shortly(2);
		require(pid != -1);
		family->forks++;
		while (waitpid(-1, NULL, random_below(4) ? WNOHANG : 0) > 0)
			;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	_exit(EXIT_SUCCESS);
}

static pid_t family_begin(void)
{
	pid_t pid;

	family = mmap(NULL, sizeof(*family), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(family != MAP_FAILED);
	pid = check_fork();
	require(pid != -1);
	if (pid == 0)
		run_family();
	wait_until(family->forks > 0);
	return pid;
}

static void family_end(pid_t pid)
{
	int status;

	family->stop = true;
	require(waitpid(pid, &status, 0) == pid && status == 0);
	munmap(family, sizeof(*family));
}

static int inheriting_on(pid_t pid)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	require(fd != -1);
	use_busy_counters(fd);
	require(try_load(fd, pid) == 0);
	return fd;
}

static void wait_for_forks(unsigned int count)
{
	unsigned int before = family->forks;

	while (family->forks - before < count)
		spin_turns(1000);
}

/* Sums only grow, whichever thread ends during the read. */
TEST(forks_and_ends_may_race_with_reads)
{
	unsigned int count = iterations(), i;
	uint64_t faults, counter, last_faults = 0, last_counter = 0;
	pid_t pid = family_begin();
	int fd = inheriting_on(pid);

	require(pfm_start(fd, NULL) == 0);
	wait_for_forks(2);
	for (i = 0; i < count; i++) {
		faults = peek_pmd(fd, PFM_PMD_MINOR_FAULTS);
		counter = peek_pmd(fd, pmu()->pmds[0]);
		require(faults >= last_faults && counter >= last_counter);
		last_faults = faults;
		last_counter = counter;
	}
	require(pfm_unload_context(fd) == 0);
	require(peek_pmd(fd, PFM_PMD_MINOR_FAULTS) >= last_faults);
	require(last_faults > 0 && last_counter > 0);
	require(sessions() == 0);
	family_end(pid);
	close(fd);
	all_must_be_well();
}

/* Nothing is counted twice, and nothing is forgotten, while reads and ends meet. */
TEST(the_sum_is_exact_after_reads_at_any_time)
{
	unsigned int count = iterations() / 100 + 1, i, forks = 0;
	struct rusage usage;
	uint64_t faults;
	pid_t pid;
	int fd;

	family = mmap(NULL, sizeof(*family), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(family != MAP_FAILED);
	for (i = 0; i < count; i++) {
		int gate[2];
		char byte;

		require(pipe(gate) == 0);
		pid = check_fork();
		require(pid != -1);
		if (pid == 0) {
			require(read(gate[0], &byte, 1) == 1);
			for (forks = 0; forks < 20; forks++) {
				pid_t child = fork();

				if (child == 0) {
					touch_pages(20);
					_exit(EXIT_SUCCESS);
				}
				require(child != -1);
				while (waitpid(-1, NULL, random_below(2) ? WNOHANG : 0) >
				       0)
					;
			}
			while (waitpid(-1, NULL, 0) > 0)
				;
			_exit(EXIT_SUCCESS);
		}
		fd = inheriting_on(pid);
		require(pfm_start(fd, NULL) == 0);
		require(write(gate[1], "", 1) == 1);
		while (status_of(fd).state != PFM_STATE_UNLOADED)
			peek_pmd(fd, PFM_PMD_MINOR_FAULTS);
		require(wait4(pid, NULL, 0, &usage) == pid);
		faults = peek_pmd(fd, PFM_PMD_MINOR_FAULTS);
		require(faults >= 20 * 20 && faults <= (uint64_t)usage.ru_minflt);
		/* The process waited at the gate after few faults of its own. */
		require(faults + 200 >= (uint64_t)usage.ru_minflt);
		close(fd);
		close(gate[0]);
		close(gate[1]);
	}
	munmap(family, sizeof(*family));
	all_must_be_well();
}

/*
 * The tests below load contexts as fast as they can.  Another context keeps the hooks in place, which
 * would be removed and enabled again once a second, and that takes long while others fork.
 */
static int keep_hooks(void)
{
	int fd = busy_context();

	require(try_load(fd, thread_id()) == 0);
	return fd;
}

/* ---- samples ----------------------------------------------------------------------------- */

#define CPUS 2

/* A context that samples the processes, with small buffers, and the buffers. */
static int sampling_on(pid_t pid, header_t *headers)
{
	const struct pfm_dfl_smpl_arg argument = { .buf_size = least_size() };
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };
	pfarg_pmd_t pmd = sampling(0, 10000 + random_below(100000));
	int fd = pfm_create_context(&ctx, "default", (void *)&argument, sizeof(argument));
	unsigned int cpu;

	require(fd != -1);
	for (cpu = 0; cpu < CPUS; cpu++) {
		headers[cpu] = mmap(NULL, argument.buf_size, PROT_READ, MAP_SHARED, fd,
				    PFM_BUFFER_OFFSET(cpu));
		require(headers[cpu] != MAP_FAILED);
	}
	require(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	require(pfm_write_pmcs(fd, &pmc, 1) == 0);
	require(pfm_write_pmds(fd, &pmd, 1) == 0);
	require(try_load(fd, pid) == 0);
	require(pfm_start(fd, NULL) == 0);
	return fd;
}

static void end_sampling_on(int fd, const header_t *headers)
{
	unsigned int cpu;

	require(close(fd) == 0);
	require(sessions() == 1);
	for (cpu = 0; cpu < CPUS; cpu++)
		munmap((void *)headers[cpu], least_size());
}

/* Both CPUs write samples while this is called. Returns whether a buffer was handed back. */
static bool disturb(int fd, pid_t pid)
{
	struct pfarg_ovfl_msg message;
	unsigned int cpu = random_below(CPUS);

	switch (random_below(16)) {
	case 0:
		require(pfm_stop(fd) == 0 && pfm_start(fd, NULL) == 0);
		return false;
	case 1:
		require(pfm_unload_context(fd) == 0 && try_load(fd, pid) == 0 &&
			pfm_start(fd, NULL) == 0);
		return false;
	case 2:
		require(read_pmd(fd, pmu()->pmds[0]) != 0);
		return false;
	case 3:
		require(read(fd, &message, sizeof(message)) == sizeof(message) ||
			errno == EAGAIN);
		return false;
	default:
		if (pfm_restart_cpu(fd, cpu) == 0)
			return true;
		require(errno == EBUSY);
		spin_turns(random_below(2000));
		return false;
	}
}

/* No message waits for ever: as long as the buffers are handed back, samples come. */
TEST(samples_of_forks_may_race_with_restart_unload_and_close)
{
	unsigned int count = iterations(), restarts = 0, i;
	int hooks = keep_hooks(), fd;
	pid_t pid = family_begin();
	header_t headers[CPUS];

	fd = sampling_on(pid, headers);
	for (i = 0; i < count || restarts < count / 20 + 1; i++) {
		restarts += disturb(fd, pid);
		if (random_below(64))
			continue;
		end_sampling_on(fd, headers);
		fd = sampling_on(pid, headers);
	}
	end_sampling_on(fd, headers);
	family_end(pid);
	close(hooks);
	all_must_be_well();
}

/* ---- ends ---------------------------------------------------------------------------------- */

TEST(forks_may_race_with_unload_and_close)
{
	unsigned int count = iterations(), i;
	int hooks = keep_hooks(), fd;
	pid_t pid = family_begin();

	for (i = 0; i < count; i++) {
		fd = inheriting_on(pid);
		require(pfm_start(fd, NULL) == 0);
		if (random_below(4) == 0)
			wait_for_forks(1 + random_below(2));
		else
			spin_turns(random_below(20000));
		if (random_below(2))
			require(pfm_unload_context(fd) == 0);
		require(close(fd) == 0);
		require(sessions() == 1);
	}
	family_end(pid);
	close(hooks);
	all_must_be_well();
}

TEST(forks_may_race_with_start_and_stop)
{
	unsigned int count = iterations(), i;
	pid_t pid = family_begin();
	int fd = inheriting_on(pid);
	uint64_t stopped;

	for (i = 0; i < count; i++) {
		require(pfm_start(fd, NULL) == 0);
		spin_turns(random_below(2000));
		require(pfm_stop(fd) == 0);
		/* Nothing counts any more, not even in children that are being made. */
		stopped = peek_pmd(fd, pmu()->pmds[0]);
		spin_turns(random_below(2000));
		require(peek_pmd(fd, pmu()->pmds[0]) == stopped);
	}
	require(status_of(fd).not_followed == 0);
	family_end(pid);
	close(fd);
	all_must_be_well();
}

/* Each side closes a descriptor of the last context while its last threads end. */
TEST(the_last_ends_may_race_with_close)
{
	unsigned int count = iterations(), i;
	int hooks = keep_hooks(), fd;
	pid_t pid, child;

	for (i = 0; i < count; i++) {
		pid = check_fork();
		require(pid != -1);
		if (pid == 0) {
			close(hooks);
			child = fork();
			raise(SIGSTOP);
			spin_turns(random_below(2000));
			_exit(child == -1);
		}
		require(waitpid(pid, NULL, WUNTRACED) == pid);
		fd = inheriting_on(pid);
		require(pfm_start(fd, NULL) == 0);
		require(kill(pid, SIGCONT) == 0);
		spin_turns(random_below(20000));
		require(close(fd) == 0);
		require(waitpid(pid, NULL, 0) == pid);
		require(sessions() == 1);
	}
	close(hooks);
	all_must_be_well();
}
