// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests thousands of races. One side makes a call that ends or changes sampling. The other side is
 * an overflow, a thread that waits for a restart, or the mapping of a buffer.
 *
 * In most tests, the sampled thread is on CPU 1, and the thread that makes the calls is on CPU 0.
 * Just before a call, the tests with overflows record whether the context is masked. Both states
 * must occur.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "samples.h"
#include "workers.h"

SUITE(sampling_races, 900);

static void no_buffer_must_be_left(void)
{
	all_must_be_well();
	wait_until(read_number(SYSFS "smpl_buffer_mem_cur") == 0);
}

#define SHORTEST 10000
#define LONGEST	 (1ul << 40)

/**
 * struct met - how often the context was in each state when the test looked
 * @running: how often the context was not masked
 * @masked: how often the context was masked
 * @period: the next context overflows for the first time after about this number of events. note()
 *	makes @period longer if the context is masked, because the overflow came before the test
 *	looked. If the context is not masked, note() makes @period shorter. So both states are found
 *	on a machine of any speed
 */
struct met {
	unsigned int running;
	unsigned int masked;
	uint64_t period;
};

static void note(struct met *met, int fd)
{
	struct pfm_status status;

	require(pfm_get_status(fd, &status) == 0);
	if (status.state == PFM_STATE_MASKED) {
		met->masked++;
		met->period += met->period / 2;
	} else {
		met->running++;
		met->period -= met->period / 3;
	}
	if (met->period < SHORTEST)
		met->period = SHORTEST;
	if (met->period > LONGEST)
		met->period = LONGEST;
}

static uint64_t about(uint64_t period)
{
	return period / 2 + period / 1024 * random_below(1024);
}

/*
 * Returns whether both states were found. A race continues until this function returns true, or
 * until the test's timeout ends the race.
 */
static bool both_were_met(const struct met *met)
{
	return met->running && met->masked;
}

static void print_met(const struct met *met)
{
	printf("         the context was found %u times not masked and %u times masked\n",
	       met->running, met->masked);
	fflush(stdout);
}

/* ---- the thread that is sampled ------------------------------------------------------ */

static struct spinner spinner;

/* Makes a context, and starts it on @tid. The first overflow comes about a period later. */
static int sample(const struct met *met, pid_t tid, uint32_t flags, bool with_buffer)
{
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };
	pfarg_pmd_t pmd = sampling(0, about(met->period));
	pfarg_ctx_t ctx = { .ctx_flags = flags };
	int fd = with_buffer ? try_default(flags, least_size())
			     : pfm_create_context(&ctx, NULL, NULL, 0);

	require(fd != -1);
	require(pfm_write_pmcs(fd, &pmc, 1) == 0);
	require(pfm_write_pmds(fd, &pmd, 1) == 0);
	require(try_load(fd, tid) == 0);
	require(pfm_start(fd, NULL) == 0);
	return fd;
}

/* ---- calls and an overflow -------------------------------------------------------------- */

static void call_something(int fd)
{
	pfarg_pmd_t pmd = sampling(0, 10000 + random_below(10000));
	struct pfarg_ovfl_msg message;

	switch (random_below(7)) {
	case 0:
		require(pfm_restart(fd) == 0 || errno == EBUSY);
		break;
	case 1:
		require(pfm_stop(fd) == 0);
		break;
	case 2:
		require(pfm_start(fd, NULL) == 0);
		break;
	case 3:
		require(pfm_write_pmds(fd, &pmd, 1) == 0);
		break;
	case 4:
		require(pfm_read_pmds(fd, &pmd, 1) == 0);
		break;
	case 5:
		require(read(fd, &message, sizeof(message)) == sizeof(message) ||
			errno == EAGAIN);
		break;
	case 6:
		require(pfm_unload_context(fd) == 0);
		require(try_load(fd, spinner.tid) == 0);
		require(pfm_start(fd, NULL) == 0);
		break;
	}
}

/*
 * The buffer must be consistent at any moment: it has at most one entry, and hdr_cur_offs is the
 * end of the header or of that entry.
 */
static void buffer_must_be_whole(header_t header)
{
	uint64_t end = header->hdr_cur_offs, count = header->hdr_count;

	require(count <= 1);
	require(end == sizeof(*header) ||
		end == sizeof(*header) + sizeof(struct pfm_dfl_smpl_entry));
}

TEST(calls_may_race_with_an_overflow)
{
	/* Each iteration makes about four calls and takes a tenth of a second. */
	unsigned int count = iterations() / (is_debug_kernel() ? 2 : 5), i, calls;
	struct met met = { .period = 10 * SHORTEST };
	header_t header;
	bool before;
	int fd;

	need_cpus(2);
	need_overflow_interrupts();
	pmu();
	pin(0);
	spinner_begin(&spinner);
	for (i = 0; i < count || !both_were_met(&met); i++) {
		fd = sample(&met, spinner.tid, 0, true);
		require(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
		header = mmap(NULL, least_size(), PROT_READ, MAP_SHARED, fd, 0);
		require(header != MAP_FAILED);
		for (calls = random_below(8); calls; calls--) {
			spin_turns(random_below(1 << random_below(16)));
			note(&met, fd);
			call_something(fd);
			buffer_must_be_whole(header);
		}
		/*
		 * At random, the mapping or the descriptor holds the last reference to the buffer.
		 */
		before = random_below(2);
		if (before)
			require(munmap((void *)header, least_size()) == 0);
		require(close(fd) == 0);
		if (!before)
			require(munmap((void *)header, least_size()) == 0);
	}
	spinner_end(&spinner);
	print_met(&met);
	no_buffer_must_be_left();
}

/* ---- calls that release a waiting thread --------------------------------------------------- */

static void let_go(int fd)
{
	switch (random_below(3)) {
	case 0:
		require(pfm_stop(fd) == 0);
		require(pfm_restart(fd) == 0 || errno == EBUSY);
		break;
	case 1:
		require(pfm_unload_context(fd) == 0);
		break;
	}
	require(close(fd) == 0);
}

/*
 * The call that releases the thread may come while the thread waits, just before the thread waits,
 * or earlier. In each case the thread must continue.
 */
TEST(releasing_calls_may_race_with_a_waiting_thread)
{
	/* With a stock kernel, each iteration takes 25 ms. */
	unsigned int count = iterations() / (is_debug_kernel() ? 1 : 2), i;
	struct met met = { .period = 10 * SHORTEST };
	uint64_t turns;
	int fd;

	need_cpus(2);
	need_overflow_interrupts();
	pmu();
	pin(0);
	spinner_begin(&spinner);
	for (i = 0; i < count || !both_were_met(&met); i++) {
		fd = sample(&met, spinner.tid, PFM_FL_NOTIFY_BLOCK, random_below(2));
		spin_turns(random_below(1 << random_below(18)));
		note(&met, fd);
		let_go(fd);
		turns = spinner.turns;
		/*
		 * Sleeps, so that the other CPU can run even if the host runs one guest CPU at a
		 * time.
		 */
		while (spinner.turns == turns)
			usleep(10);
	}
	spinner_end(&spinner);
	print_met(&met);
	no_buffer_must_be_left();
}

/* ---- the end of the thread ------------------------------------------------------------------- */

static bool is_end(int fd)
{
	struct pfarg_ovfl_msg message;

	require(read(fd, &message, sizeof(message)) == sizeof(message));
	return message.msg_type == PFM_MSG_END;
}

/*
 * Kills a thread while its counter counts or overflows, or while the thread waits or is released.
 * The end of the thread must always be reported.
 */
static void kill_one(struct met *met, uint32_t flags)
{
	pid_t pid = fork_victim();
	int fd;

	set_apart(pid);
	fd = sample(met, pid, flags, random_below(2));
	spin_turns(random_below(1 << random_below(18)));
	note(met, fd);
	if (random_below(2))
		require(pfm_restart(fd) == 0 || errno == EBUSY);
	require(kill(pid, SIGKILL) == 0);
	if (random_below(2))
		require(pfm_restart(fd) == 0 || errno == EBUSY);
	if (random_below(4))
		while (!is_end(fd))
			;
	require(close(fd) == 0);
	require(waitpid(pid, NULL, 0) == pid);
}

TEST(a_kill_may_race_with_an_overflow_and_a_thread_that_waits)
{
	/* With a stock kernel, each iteration takes 40 ms. */
	unsigned int count = iterations() / (is_debug_kernel() ? 1 : 5), i;
	struct met met = { .period = 10 * SHORTEST };

	need_cpus(2);
	need_overflow_interrupts();
	pmu();
	for (i = 0; i < count || !both_were_met(&met); i++)
		kill_one(&met, i % 2 ? PFM_FL_NOTIFY_BLOCK : 0);
	print_met(&met);
	no_buffer_must_be_left();
}

/* ---- the mapping ------------------------------------------------------------------------------- */

static struct {
	volatile int fd;
	volatile bool stop;
	volatile uint64_t mapped, missed;
} mapper;

static void *map_again_and_again(void *unused)
{
	pin(1);
	while (!mapper.stop) {
		header_t header =
			mmap(NULL, least_size(), PROT_READ, MAP_SHARED, mapper.fd, 0);

		if (header == MAP_FAILED) {
			/* The descriptor is closed, or its context does not exist yet. */
			require(errno == EBADF || errno == EINVAL);
			mapper.missed++;
			continue;
		}
		require(header->hdr_buf_size == least_size());
		require(munmap((void *)header, least_size()) == 0);
		mapper.mapped++;
	}
	return unused;
}

/*
 * One thread creates and closes contexts. At the same time, another thread maps the descriptor
 * again and again.
 */
TEST(a_mapping_may_race_with_the_creation_and_the_close)
{
	pfm_dfl_smpl_arg_t argument = { .buf_size = least_size() };
	struct pfm_create create = { .format_name = (uintptr_t)PFM_DFL_SMPL_NAME,
				     .format_argument = (uintptr_t)&argument,
				     .format_size = sizeof(argument) };
	unsigned int count = iterations(), i;
	pthread_t thread;
	int fd;

	need_cpus(2);
	pin(0);
	mapper.fd = fd = pfm_open_device();
	require(fd != -1);
	require(pthread_create(&thread, NULL, map_again_and_again, NULL) == 0);
	for (i = 0; i < count || mapper.mapped < count / 10 || !mapper.missed; i++) {
		require(ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create) == 0);
		if (random_below(2))
			spin_turns(random_below(1 << random_below(14)));
		else
			usleep(random_below(100));
		require(close(fd) == 0);
		spin_turns(random_below(1 << random_below(8)));
		/*
		 * A new descriptor gets the lowest free number, so it gets the number of the closed
		 * descriptor.
		 */
		require(pfm_open_device() == fd);
	}
	mapper.stop = true;
	require(pthread_join(thread, NULL) == 0);
	require(close(fd) == 0);
	printf("         %u contexts, %ju mappings succeeded, %ju failed\n", i,
	       (uintmax_t)mapper.mapped, (uintmax_t)mapper.missed);
	fflush(stdout);
	no_buffer_must_be_left();
}
