// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what happens when two threads make calls on a descriptor, and a third thread closes this
 * descriptor in the middle of the calls.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "measure.h"
#include "workers.h"

SUITE(descriptor_races, 900);

#define CALLERS 2

/**
 * struct shared - a descriptor that two threads use until a third thread closes it
 * @round: increases with each new descriptor
 * @done: number of threads that have noticed that the descriptor is closed
 * @seen: largest value that a thread has read from pmu()->pmds[1]; nobody writes this PMD during
 *	the calls
 * @calls: completed calls
 * @inside: for each thread, whether it is in a call now
 * @met: number of calls that overlapped with a call of the other thread
 */
static struct shared {
	volatile int fd;
	volatile unsigned int round;
	volatile unsigned int done;
	volatile bool stop;
	uint64_t seen;
	uint64_t calls;
	volatile bool inside[CALLERS];
	uint64_t met;
	pid_t targets[2 + CALLERS];
} shared;

/*
 * Returns false if the call failed because the descriptor has been closed. In all other cases,
 * counts the call and returns true. If the call failed for another reason, its errno must be
 * @allowed or @also_allowed.
 */
static bool answered(long result, int error, int allowed, int also_allowed)
{
	if (result != -1) {
		__atomic_add_fetch(&shared.calls, 1, __ATOMIC_RELAXED);
		return true;
	}
	errno = error;
	if (error == EBADF)
		return false;
	__atomic_add_fetch(&shared.calls, 1, __ATOMIC_RELAXED);
	require(error == allowed || error == also_allowed);
	return true;
}

#define ANSWERED(call, ...)                                                              \
	({                                                                               \
		long answer = (call);                                                    \
		answered(answer, errno, __VA_ARGS__);                                    \
	})

/*
 * Reads a PMD. The value must be at least as large as every value that a thread had read before
 * this call began.
 */
static bool read_grows(int fd, bool short_form)
{
	uint64_t seen = __atomic_load_n(&shared.seen, __ATOMIC_SEQ_CST), value;
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[1] };
	pfarg_pmr_t pmr = { .reg_num = pmu()->pmds[1] };
	long result = short_form ? pfm_read(fd, 0, PFM_RW_PMD, &pmr, sizeof(pmr))
				 : pfm_read_pmds(fd, &pmd, 1);

	if (!answered(result, errno, 0, 0))
		return false;
	value = short_form ? pmr.reg_value : pmd.reg_value;
	require(value >= seen);
	while (seen < value &&
	       !__atomic_compare_exchange_n(&shared.seen, &seen, value, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return true;
}

static bool status_is_consistent(int fd)
{
	struct pfm_status status;
	size_t i;

	if (!ANSWERED(pfm_get_status(fd, &status), 0, 0))
		return false;
	if (status.state == PFM_STATE_UNLOADED) {
		require(!status.target && !(status.flags & PFM_STATUS_STARTED));
		return true;
	}
	require(status.state == PFM_STATE_LOADED);
	for (i = 0; i < COUNT(shared.targets); i++)
		if (status.target == (uint32_t)shared.targets[i])
			return true;
	require(!"unexpected target");
	return true;
}

static bool duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 100);

	if (!answered(copy, errno, 0, 0))
		return false;
	status_is_consistent(copy);
	require(close(copy) == 0);
	return true;
}

static bool poll_and_read(int fd)
{
	struct pollfd poll_one = { .fd = fd, .events = POLLIN };
	struct pfarg_ovfl_msg message;

	require(poll(&poll_one, 1, 0) != -1);
	/* There is no message, because no monitored thread ends while this test makes calls. */
	require(!(poll_one.revents & POLLIN));
	return ANSWERED(read(fd, &message, sizeof(message)), EAGAIN, 0);
}

static bool any_call(int fd)
{
	pfarg_pmc_t pmcs[2] = {
		{ .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] },
		{ .reg_num = pmu()->pmcs[1], .reg_value = pmu()->busy[1] }
	};
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[0], .reg_value = random_below(~0u) };
	struct pfarg_setdesc set = {};
	struct pfarg_setinfo info = {};
	pid_t target = shared.targets[random_below(COUNT(shared.targets))];

	switch (random_below(16)) {
	case 0:
		return ANSWERED(pfm_write_pmcs(fd, pmcs, 2), 0, 0);
	case 1:
		return ANSWERED(pfm_write_pmds(fd, &pmd, 1), 0, 0);
	case 2:
		return ANSWERED(pfm_unload_context(fd), 0, 0);
	case 3:
		return ANSWERED(pfm_stop(fd), EINVAL, 0);
	case 4:
		return ANSWERED(pfm_restart(fd), EBUSY, 0);
	case 5:
		return ANSWERED(pfm_create_evtsets(fd, &set, 1), EBUSY, 0);
	case 6:
		return ANSWERED(pfm_getinfo_evtsets(fd, &info, 1), 0, 0);
	case 7:
		return ANSWERED(pfm_delete_evtsets(fd, &set, 1), EBUSY, EINVAL);
	case 8:
		return status_is_consistent(fd);
	case 9:
		return poll_and_read(fd);
	case 10:
		return duplicate(fd);
	case 11:
	case 12:
		return read_grows(fd, random_below(2));
	case 13:
		return ANSWERED(pfm_start(fd, NULL), EINVAL, 0);
	default:
		return ANSWERED(try_load(fd, target), EBUSY, 0);
	}
}

/* Makes a call, and counts it if it overlaps with a call of thread @other. */
static bool any_call_of(unsigned int self, unsigned int other)
{
	bool met, open;

	shared.inside[self] = true;
	met = shared.inside[other];
	open = any_call(shared.fd);
	met |= shared.inside[other];
	shared.inside[self] = false;
	__atomic_add_fetch(&shared.met, met, __ATOMIC_RELAXED);
	return open;
}

static void *call_until_closed(void *argument)
{
	const unsigned int self = (pid_t *)argument - &shared.targets[2];
	unsigned int round = 0;

	*(pid_t *)argument = thread_id();
	for (;;) {
		while (shared.round == round)
			if (shared.stop)
				return NULL;
		round = shared.round;
		/*
		 * The threads are on two CPUs, because their calls would seldom overlap on one CPU.
		 * Every eight rounds, the threads swap their CPUs.
		 */
		pin((self + round / 8) % 2);
		while (any_call_of(self, !self))
			;
		__atomic_add_fetch(&shared.done, 1, __ATOMIC_SEQ_CST);
	}
}

/* Closes a descriptor in the middle of the threads' calls. */
static void close_while_used(void)
{
	const uint64_t value = BIT(32) - random_below(100000); /* wraps soon */
	int fd = create();

	require(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	poke_pmc(fd, pmu()->pmcs[1], pmu()->busy[1]);
	poke_pmd(fd, pmu()->pmds[1], value);
	shared.seen = value;
	shared.done = 0;
	shared.fd = fd;
	shared.round++;
	usleep(random_below(5000));
	require(close(fd) == 0);
	while (shared.done < CALLERS)
		sched_yield();
}

/*
 * One iteration is a pair of overlapping calls. There must be at least one close for every 20
 * iterations.
 */
TEST(threads_may_use_and_close_a_descriptor_concurrently)
{
	struct spinner spinners[2] = { {}, { .naps = true } };
	const unsigned int wanted = iterations();
	pthread_t threads[CALLERS];
	size_t i;

	need_cpus(2);
	pmu();
	for (i = 0; i < 2; i++) {
		spinner_begin(&spinners[i]);
		shared.targets[i] = spinners[i].tid;
	}
	for (i = 0; i < CALLERS; i++) {
		require(!pthread_create(&threads[i], NULL, call_until_closed,
					&shared.targets[2 + i]));
		wait_until(__atomic_load_n(&shared.targets[2 + i], __ATOMIC_ACQUIRE));
	}
	while (shared.met < 2 * wanted || shared.round < wanted / 20)
		close_while_used();
	shared.stop = true;
	for (i = 0; i < CALLERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 2; i++)
		spinner_end(&spinners[i]);
	printf("         %ju calls, %ju of them overlapped with a call of the "
	       "other thread; %u closes\n",
	       (uintmax_t)shared.calls, (uintmax_t)shared.met, shared.round);
	fflush(stdout);
	all_must_be_well();
}
