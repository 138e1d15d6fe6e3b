// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that a switch between two threads is not slower if contexts are loaded on other threads,
 * even if there are many such contexts, or many copies of a context.
 *
 * The other threads belong to one process. They sleep, each on a small stack. The cost of a switch
 * is read from the clock, which counts instructions.
 */
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "measure.h"

SUITE(many_threads, 600);

#define STACK	    2048
#define PARTNERS    16
#define ROUND_TRIPS 100
#define FEW	    1000

/* Maximum kernel memory for a thread and its context. */
#define ROOM	    (72ull << 10)

/* ---- threads that sleep -------------------------------------------------------------- */

static unsigned int most_threads(void)
{
	unsigned int wanted = strtoul(getenv("PERFMON_THREADS"), NULL, 0);

	return wanted < free_memory() / ROOM ? wanted : free_memory() / ROOM;
}

static int sleep_for_ever(void *unused)
{
	static const int never;

	(void)unused;
	for (;;)
		syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, NULL);
	return 0;
}

/*
 * Raises the limits for @count threads and their contexts. The debug kernel of x86_64 refuses a
 * pid_max above 32768, so pid_max is raised only if it is too small.
 */
static void allow(unsigned int count)
{
	const struct rlimit files = { count + 1000, count + 1000 };

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	write_text("/proc/sys/kernel/threads-max", "1000000");
	if (read_number("/proc/sys/kernel/pid_max") < files.rlim_cur)
		write_text("/proc/sys/kernel/pid_max", "1000000");
	write_text(SYSFS "set_mem_max", "4000000000");
	write_text(SYSFS "set_user_max", "4000000000");
}

/* Creates @count threads. Calls @function for each thread, unless @function is NULL. */
static void make_sleepers(unsigned int count, void (*function)(int tid))
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			  CLONE_THREAD | CLONE_SYSVSEM;
	char *stacks = mmap(NULL, (size_t)count * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned int i;
	int tid;

	ck_assert_ptr_ne(stacks, MAP_FAILED);
	for (i = 0; i < count; i++) {
		tid = clone(sleep_for_ever, stacks + (i + 1) * STACK, flags, NULL);
		ck_assert_msg(tid > 0, "thread %u: %s", i, strerror(errno));
		if (function)
			function(tid);
	}
}

static void load_and_start(int tid)
{
	int fd = make_context();

	load(fd, tid);
	must(fd, pfm_start(fd, NULL));
}

/* Creates @count threads, and starts a context on each. */
static void load_on_sleepers(unsigned int count)
{
	make_sleepers(count, load_and_start);
}

/* ---- cost of a switch -------------------------------------------------------------------- */

struct partner {
	pid_t pid;
	int there;
	int back;
};

static void echo(int from, int to)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

static struct partner make_partner(void)
{
	struct partner partner;
	int there[2], back[2];

	ck_assert_int_eq(pipe(there), 0);
	ck_assert_int_eq(pipe(back), 0);
	partner.pid = fork();
	if (partner.pid == 0)
		echo(there[0], back[1]);
	partner.there = there[1];
	partner.back = back[0];
	return partner;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Returns the number of instructions that a round trip takes: the caller sends a byte to @partner,
 * which sends it back. A round trip has two switches. On Linux 6.12 some round trips include an
 * extra switch, so this function makes many round trips and returns the smallest number.
 */
static uint64_t round_trip(const struct partner *partner)
{
	uint64_t least = UINT64_MAX, begun, taken;
	unsigned int i;
	char byte = 0;

	for (i = 0; i < ROUND_TRIPS; i++) {
		begun = instruction_time();
		if (write(partner->there, &byte, 1) != 1 ||
		    read(partner->back, &byte, 1) != 1)
			abort();
		taken = instruction_time() - begun;
		if (taken < least)
			least = taken;
	}
	return least;
}

static uint64_t median(uint64_t *values)
{
	qsort(values, PARTNERS, sizeof(values[0]), compare);
	return values[PARTNERS / 2];
}

struct costs {
	double unmonitored;
	double monitored;
};

/*
 * Measures the cost of a switch with each of several partners, because the cost depends on the
 * partner's place in the thread table. Returns the medians, because with some partners every round
 * trip includes an extra switch.
 */
static struct costs measure_costs(const struct partner *partners)
{
	uint64_t unmonitored[PARTNERS], monitored[PARTNERS];
	unsigned int i;
	int fd;

	for (i = 0; i < PARTNERS; i++) {
		unmonitored[i] = round_trip(&partners[i]);
		fd = busy_context_on(partners[i].pid);
		monitored[i] = round_trip(&partners[i]);
		close(fd);
	}
	return (struct costs){ median(unmonitored) / 2.0, median(monitored) / 2.0 };
}

static struct costs print_costs(const struct partner *partners, unsigned int count)
{
	struct costs costs = measure_costs(partners);

	printf("         %5u contexts on other threads: a switch takes %.1f instructions; "
	       "%.1f if the partner is monitored\n",
	       count, costs.unmonitored, costs.monitored);
	fflush(stdout);
	return costs;
}

/*
 * If another context happens to be in the partner's bucket of the thread table, a switch takes ten
 * instructions more. On Linux 6.12 the kernel's own part of a switch varies by up to 64
 * instructions. The limit of 100 instructions is larger than both together. If every context added
 * even one instruction to a switch, the limit would be exceeded.
 */
static void must_cost_no_more(double cost, double first)
{
	ck_assert_msg(cost <= first + 100,
		      "the cost is now %.1f instructions, but was %.1f", cost, first);
}

/*
 * Returns true on arm64. On other architectures, the kernel's own part of a switch does not always
 * take the same number of instructions. In the third measurement, which has the most contexts, this
 * number was lower by 90 than in the first two measurements.
 */
static bool kernels_part_is_constant(void)
{
#ifdef __aarch64__
	return true;
#else
	return false;
#endif
}

static void load_contexts_elsewhere(void)
{
	struct partner partners[PARTNERS];
	const unsigned int count = is_debug_kernel() ? FEW + 1000 : most_threads();
	struct costs one, few, many;
	unsigned int i;

	allow(count);
	for (i = 0; i < PARTNERS; i++)
		partners[i] = make_partner();
	load_on_sleepers(1);
	measure_costs(partners); /* lets the kernel do its one-time work */
	one = print_costs(partners, 1);
	load_on_sleepers(FEW - 1);
	few = print_costs(partners, FEW);
	load_on_sleepers(count - FEW);
	many = print_costs(partners, count);
	ck_assert_uint_eq(sessions(), count);
	must_cost_no_more(few.monitored - few.unmonitored,
			  one.monitored - one.unmonitored);
	must_cost_no_more(many.monitored - many.unmonitored,
			  one.monitored - one.unmonitored);
	if (!kernels_part_is_constant())
		return;
	must_cost_no_more(few.unmonitored, one.unmonitored);
	must_cost_no_more(many.unmonitored, one.unmonitored);
}

TEST(contexts_loaded_elsewhere_cost_a_switch_nothing)
{
	if (!is_deterministic())
		skip("no clock that counts instructions");
	/*
	 * This test runs only on request, because the kernel's own part of a switch sometimes
	 * takes 100 instructions more.
	 */
	if (!getenv("PERFMON_THREADS"))
		skip("runs only on request: set PERFMON_THREADS to the number of threads");
	with_limits_back(load_contexts_elsewhere);
}

/* ---- copies ------------------------------------------------------------------------------ */

/*
 * Returns the number of copies. The default number is so large that the thread table has to grow.
 */
static unsigned int most_copies(void)
{
	const char *wanted = getenv("PERFMON_COPIES");

	return wanted ? strtoul(wanted, NULL, 0) : 2000;
}

static void make_living_copies(void)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_THREADS };
	struct partner partners[PARTNERS];
	const unsigned int count = most_copies();
	struct costs one, many;
	unsigned int i;
	int fd;

	allow(count);
	for (i = 0; i < PARTNERS; i++)
		partners[i] = make_partner();
	fd = pfm_create_context(&ctx, NULL, NULL, 0);
	ck_assert_int_ne(fd, -1);
	use_busy_counters(fd);
	load(fd, thread_id());
	make_sleepers(1, NULL);
	must(fd, pfm_start(fd, NULL));
	measure_costs(partners); /* lets the kernel do its one-time work */
	one = print_costs(partners, 1);
	make_sleepers(count - 1, NULL);
	many = print_costs(partners, count);
	ck_assert_uint_eq(status_of(fd).copies, count);
	ck_assert_uint_eq(status_of(fd).not_followed, 0);
	must_cost_no_more(many.monitored - many.unmonitored,
			  one.monitored - one.unmonitored);
}

TEST(living_copies_cost_a_switch_nothing)
{
	if (!is_deterministic())
		skip("no clock that counts instructions");
	with_limits_back(make_living_copies);
}
