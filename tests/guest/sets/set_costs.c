// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests how long calls on event sets take. The time for each set that a call handles must not grow
 * with the number of sets in the context. Other threads must be able to run during a call that
 * handles many sets.
 */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "sets.h"

SUITE(set_costs, 120);

#define TRIES  3

/* Number of sets of the first context. The second one has 4 * MANY sets, nearly max_sets. */
#define MANY   960

/* Number of sets that each call handles. Their structs fit into a page. */
#define PROBES 16

/*
 * The time in ns that each kind of call takes if it handles PROBES sets.
 *
 * Each member is the least elapsed time of several calls. The test does not use the CPU time,
 * because it may be too small. If an interrupt during a call wakes a thread that preempts the
 * caller, the kernel does not update the runqueue's clock again when it switches threads
 * (rq_clock_skip_update() in kernel/sched). Then the caller's CPU time lacks the part of the call
 * that follows the interrupt.
 */
struct cost {
	uint64_t make;
	uint64_t find;
	uint64_t write;
	uint64_t delete;
};

/*
 * Numbers @sets with the multiples of @factor modulo 2^16, beginning with (@first + 1) * @factor.
 * If @factor is odd, the first 2^16 of these numbers are all different.
 */
static void number_sets(struct pfarg_setdesc *sets, unsigned int first,
			unsigned int count, unsigned int factor)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		sets[i] = (struct pfarg_setdesc){ .set_id = (first + i + 1) * factor };
}

static void keep_least(uint64_t *least, uint64_t begun)
{
	uint64_t time = monotonic_time() - begun;

	if (!*least || time < *least)
		*least = time;
}

static void probe(int fd, struct pfarg_setdesc *sets, struct cost *cost)
{
	struct pfarg_setinfo infos[PROBES] = {};
	struct pfarg_pmd pmds[PROBES] = {};
	uint64_t begun;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		infos[i].set_id = pmds[i].reg_set = sets[i].set_id;
		pmds[i].reg_num = PFM_PMD_MAJOR_FAULTS;
	}
	begun = monotonic_time();
	must(fd, pfm_create_evtsets(fd, sets, PROBES));
	keep_least(&cost->make, begun);
	begun = monotonic_time();
	must(fd, pfm_getinfo_evtsets(fd, infos, PROBES));
	keep_least(&cost->find, begun);
	begun = monotonic_time();
	must(fd, pfm_write_pmds(fd, pmds, PROBES));
	keep_least(&cost->write, begun);
	begun = monotonic_time();
	must(fd, pfm_delete_evtsets(fd, sets, PROBES));
	keep_least(&cost->delete, begun);
}

static int context_with_sets(unsigned int count, unsigned int factor)
{
	static struct pfarg_setdesc sets[4 * MANY];
	int fd = make_context();
	unsigned int first;

	number_sets(sets, 0, count, factor);
	for (first = 0; first < count; first += PROBES)
		must(fd, pfm_create_evtsets(fd, sets + first, PROBES));
	return fd;
}

static void must_not_grow(const char *what, unsigned int factor, uint64_t few,
			  uint64_t many)
{
	ck_assert_msg(
		2 * many < 3 * few,
		"%s %d sets took %ju ns in a context of %d sets, but %ju ns in a context "
		"of %d sets (factor %u)",
		what, PROBES, (uintmax_t)few, MANY, (uintmax_t)many, 4 * MANY, factor);
}

/* Compares calls in a context that has MANY sets with calls in a context that has 4 * MANY sets. */
static void compare_costs(unsigned int factor)
{
	const unsigned int counts[] = { MANY, 4 * MANY };
	struct pfarg_setdesc sets[PROBES];
	struct cost costs[2] = {};
	unsigned int try, i;
	int fds[2];

	for (i = 0; i < 2; i++)
		fds[i] = context_with_sets(counts[i], factor);
	for (try = 0; try < TRIES; try++)
		for (i = 0; i < 2; i++) {
			number_sets(sets, counts[i], PROBES, factor);
			probe(fds[i], sets, &costs[i]);
		}
	must_not_grow("making", factor, costs[0].make, costs[1].make);
	must_not_grow("finding", factor, costs[0].find, costs[1].find);
	must_not_grow("writing", factor, costs[0].write, costs[1].write);
	must_not_grow("deleting", factor, costs[0].delete, costs[1].delete);
	for (i = 0; i < 2; i++)
		close(fds[i]);
}

/*
 * Creates sets whose numbers ascend, descend, or come in a mixed order. Whatever the order, no call
 * may search through all sets.
 */
static void compare_orders(void)
{
	static const unsigned int factors[] = { 1, 65535, 40503 };
	size_t i;

	write_text(SYSFS "set_mem_max", "4000000000\n");
	for (i = 0; i < COUNT(factors); i++)
		compare_costs(factors[i]);
}

TEST(the_cost_of_a_set_does_not_depend_on_their_number)
{
	/*
	 * Without --icount, the guest's clock shows the time of the host. Then a call takes longer
	 * if the memory of its sets is not in QEMU's TLB.
	 */
	if (!is_deterministic())
		skip("no clock that counts instructions");
	with_limits_back(compare_orders);
}

/* ---- other threads ---------------------------------------------------------------------- */

/* Number of sets that a call handles. The call takes many milliseconds. */
#define LONG_CALL 16383

struct long_call {
	const char *name;
	int (*make)(int fd);
};

static struct pfarg_setdesc all_sets[LONG_CALL];
static struct pfarg_pmd all_pmds[LONG_CALL];

static int create_all(int fd)
{
	return pfm_create_evtsets(fd, all_sets, LONG_CALL);
}

static int write_all(int fd)
{
	return pfm_write_pmds(fd, all_pmds, LONG_CALL);
}

static int delete_all(int fd)
{
	return pfm_delete_evtsets(fd, all_sets, LONG_CALL);
}

static const struct long_call long_calls[] = {
	{ "creating", create_all },
	{ "writing", write_all },
	{ "deleting", delete_all },
};

/*
 * Starts a process that wakes up once per millisecond. It is a SCHED_FIFO process, so it preempts
 * all ordinary processes.
 */
static pid_t waker_begin(volatile uint64_t *wakeups)
{
	const struct sched_param parameter = { .sched_priority = 1 };
	const struct timespec pause = { .tv_nsec = MS };
	pid_t pid = fork();

	ck_assert(pid != -1);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setscheduler(0, SCHED_FIFO, &parameter))
		_exit(1);
	for (;;) {
		nanosleep(&pause, NULL);
		++*wakeups;
	}
}

static void make_long_calls(void)
{
	volatile uint64_t *wakeups = mmap(NULL, sizeof(*wakeups), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = make_context();
	uint64_t before, begun, time;
	unsigned int i;
	pid_t waker;

	ck_assert(wakeups != MAP_FAILED);
	write_text(SYSFS "max_sets", "65536\n");
	write_text(SYSFS "set_mem_max", "4000000000\n");
	write_text(SYSFS "arg_mem_max", "8000000\n");
	number_sets(all_sets, 0, LONG_CALL, 1);
	for (i = 0; i < LONG_CALL; i++)
		all_pmds[i] = (struct pfarg_pmd){ .reg_num = PFM_PMD_MAJOR_FAULTS,
						  .reg_set = all_sets[i].set_id };
	waker = waker_begin(wakeups);
	wait_until(*wakeups);
	for (i = 0; i < COUNT(long_calls); i++) {
		before = *wakeups;
		begun = monotonic_time();
		must(fd, long_calls[i].make(fd));
		time = monotonic_time() - begun;
		ck_assert_msg(time > 8 * MS && *wakeups - before > time / (4 * MS),
			      "%s %d sets took %ju ns; another thread ran %ju times",
			      long_calls[i].name, LONG_CALL, (uintmax_t)time,
			      (uintmax_t)(*wakeups - before));
	}
	kill(waker, SIGKILL);
	ck_assert_int_eq(waitpid(waker, NULL, 0), waker);
	close(fd);
}

/*
 * If no other thread could run during a long call, any user could take a CPU away from all other
 * users until the call ends.
 */
TEST(other_threads_run_during_a_long_call)
{
	if (!is_deterministic())
		skip("no clock that counts instructions");
	with_limits_back(make_long_calls);
}
