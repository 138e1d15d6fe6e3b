// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests which registers of the PMU each operation accesses, and how often. The emulated PMU
 * counts the accesses (tests/vm/qemu-x86-pmu).
 */
#include "measure.h"
#include "x86_registers.h"

SUITE(x86_costs, 120);

/**
 * struct cost - number of accesses by kind
 * @reads: RDPMC
 * @selects, @counters, @global, @fixed: WRMSR of event selects, of counters, of the global control
 *	register, and of the fixed control register
 * @others: RDMSR, and WRMSR of other registers
 */
struct cost {
	uint64_t reads;
	uint64_t selects;
	uint64_t counters;
	uint64_t global;
	uint64_t fixed;
	uint64_t others;
};

static struct cost cost(void)
{
	return (struct cost){
		.reads = accesses(ACCESS_RDPMC),
		.selects = accesses(ACCESS_SELECT),
		.counters = accesses(ACCESS_COUNTER),
		.global = accesses(ACCESS_GLOBAL_CONTROL),
		.fixed = accesses(ACCESS_FIXED_CONTROL),
		.others = accesses(ACCESS_RDMSR) + accesses(ACCESS_ACKNOWLEDGE) +
			  accesses(ACCESS_OTHER),
	};
}

static void must_be(const char *what, struct cost is, struct cost wanted)
{
	ck_assert_msg(
		!memcmp(&is, &wanted, sizeof(is)),
		"%s: RDPMC %ju (not %ju), selects %ju (%ju), counters %ju (%ju), global "
		"%ju (%ju), fixed %ju (%ju), others %ju (%ju)",
		what, is.reads, wanted.reads, is.selects, wanted.selects, is.counters,
		wanted.counters, is.global, wanted.global, is.fixed, wanted.fixed,
		is.others, wanted.others);
}

/* Creates a context that uses @counters general counters. */
static int counting_context(unsigned int counters)
{
	int fd = make_context();
	unsigned int n;

	for (n = 0; n < counters; n++)
		use(fd, n, instructions(AT_USER), 0);
	return fd;
}

/*
 * Returns the cost of halting the counters. A halt writes the global control register once. If
 * there is no such register, the halt writes the event select of each counter.
 */
static struct cost of_halting(unsigned int counters)
{
	if (starts_at_once())
		return (struct cost){ .global = 1 };
	return (struct cost){ .selects = counters };
}

/* ---- start, stop, read ---------------------------------------------------------------------- */

/*
 * Checks that @call costs @wanted. If another thread ran during @call, this function calls @undo
 * and measures @call again.
 */
static void must_cost(const char *what, void (*call)(int fd), void (*undo)(int fd),
		      int fd, struct cost wanted)
{
	uint64_t switches;
	struct cost is;

	for (;;) {
		switches = statistic("ctxswin_count");
		accesses_reset();
		call(fd);
		is = cost();
		if (statistic("ctxswin_count") == switches)
			break;
		undo(fd);
	}
	must_be(what, is, wanted);
}

static void start(int fd)
{
	must(fd, pfm_start(fd, NULL));
}

static void stop(int fd)
{
	must(fd, pfm_stop(fd));
}

/*
 * Checks the costs of a start and of a stop, and closes the context. The first start is not
 * measured, because it writes all registers.
 */
static void must_start_and_stop(int fd, unsigned int counters)
{
	struct cost wanted = of_halting(counters);
	int again;

	load(fd, thread_id());
	start(fd);
	stop(fd);
	for (again = 0; again < 3; again++) {
		wanted.reads = 0;
		must_cost("start", start, stop, fd, wanted);
		wanted.reads = counters;
		must_cost("stop", stop, start, fd, wanted);
	}
	close(fd);
}

static void check_start(void)
{
	unsigned int n, numbers[MOST_COUNTERS];
	int fd;

	for (n = 1; n <= 4; n++)
		must_start_and_stop(counting_context(n), n);
	fd = make_context();
	n = use_all_counters(fd, numbers);
	must_start_and_stop(fd, n);
}

TEST(a_start_and_a_stop_are_one_write_each)
{
	with_own_counters(check_start);
}

static unsigned int to_read;

static void read_some(int fd)
{
	const unsigned int numbers[] = { 0, 1, 2, 3 };
	uint64_t values[COUNT(numbers)];

	read_pmds(fd, numbers, values, to_read);
}

static void nothing(int fd)
{
	(void)fd;
}

static void check_read(void)
{
	int fd;

	for (to_read = 1; to_read <= 4; to_read++) {
		fd = counting_context(to_read);
		load(fd, thread_id());
		start(fd);
		must_cost("read", read_some, nothing, fd,
			  (struct cost){ .reads = to_read });
		stop(fd);
		must_cost("read after the stop", read_some, nothing, fd, (struct cost){});
		close(fd);
	}
}

TEST(a_read_is_one_rdpmc_for_each_counter)
{
	with_own_counters(check_read);
}

/* ---- switches ------------------------------------------------------------------------------ */

struct switches {
	uint64_t in;
	uint64_t out;
};

static struct switches switches_now(void)
{
	return (struct switches){
		.in = statistic("ctxswin_count"),
		.out = statistic("ctxswout_count"),
	};
}

static bool are_equal(struct switches a, struct switches b)
{
	return a.in == b.in && a.out == b.out;
}

/* Begins to count accesses. Returns the number of switches until now. */
static struct switches begin_counting(void)
{
	struct switches before;

	do {
		before = switches_now();
		accesses_reset();
	} while (!are_equal(before, switches_now()));
	return before;
}

/* Returns the accesses and the switches since @begun. */
static struct cost end_counting(struct switches begun, struct switches *made)
{
	struct switches now;
	struct cost is;

	do {
		now = switches_now();
		is = cost();
	} while (!are_equal(now, switches_now()));
	*made = (struct switches){ now.in - begun.in, now.out - begun.out };
	return is;
}

/*
 * Compares the measured cost @is with the expected cost. @made is the number of switches. @loads is
 * the number of switches that wrote the counters.
 */
static void must_switch(struct cost is, unsigned int counters, struct switches made,
			uint64_t loads)
{
	struct cost wanted = {
		.reads = made.out * counters,
		.counters = loads * counters,
	};

	if (starts_at_once())
		wanted.global = made.in + made.out;
	else
		wanted.selects = (made.in + made.out) * counters;
	must_be("switch", is, wanted);
}

/*
 * Only this thread is monitored, so at each switch to this thread the counters still have the
 * thread's values.
 */
static void check_alone(void)
{
	int fd = counting_context(3), i;
	struct switches begun, made;
	struct cost is;

	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	usleep(1000);
	begun = begin_counting();
	for (i = 0; i < 20; i++)
		usleep(1000);
	is = end_counting(begun, &made);
	ck_assert_uint_ge(made.in, 20);
	must_switch(is, 3, made, 0);
	must(fd, pfm_stop(fd));
	close(fd);
}

TEST(a_switch_to_the_same_thread_writes_no_pmc_and_no_pmd)
{
	with_own_counters(check_alone);
}

static uint64_t do_nothing(uint64_t unused)
{
	return unused;
}

/*
 * The threads have different counts, but the same PMCs. A switch to a thread writes the counters
 * only if another monitored thread has run since this thread left the CPU.
 */
static void check_alternating(void)
{
	struct child child = child_new();
	int fd = counting_context(3), other = counting_context(3), i;
	struct switches begun, made;
	struct cost is;

	child_call(&child, child_pin, 0);
	load(fd, thread_id());
	load(other, child.pid);
	must(fd, pfm_start(fd, NULL));
	must(other, pfm_start(other, NULL));
	child_call(&child, do_nothing, 0);
	begun = begin_counting();
	for (i = 0; i < 20; i++)
		child_call(&child, do_nothing, 0);
	is = end_counting(begun, &made);
	must_be_between(is.counters / 3, 40, made.in);
	must_switch(is, 3, made, is.counters / 3);
	child_exit(&child);
	close(other);
	close(fd);
}

TEST(a_switch_to_a_thread_with_the_same_pmcs_writes_no_pmc)
{
	with_own_counters(check_alternating);
}

/*
 * The threads have different values of one PMC. If one register starts all counters, a switch
 * writes only this PMC. If there is no such register, each switch writes all PMCs, to start or to
 * halt the counters.
 */
static void check_different(void)
{
	struct child child = child_new();
	int fd = counting_context(3), other = counting_context(3), i;
	struct switches begun, made;
	struct cost is;

	write_pmc(other, 1, cycles(AT_USER));
	child_call(&child, child_pin, 0);
	load(fd, thread_id());
	load(other, child.pid);
	must(fd, pfm_start(fd, NULL));
	must(other, pfm_start(other, NULL));
	child_call(&child, do_nothing, 0);
	begun = begin_counting();
	for (i = 0; i < 20; i++)
		child_call(&child, do_nothing, 0);
	is = end_counting(begun, &made);
	if (starts_at_once())
		must_be_between(is.selects, 40, made.in);
	else
		ck_assert_uint_eq(is.selects, 3 * (made.in + made.out));
	must_be_between(is.counters, 3 * 40, 3 * made.in);
	ck_assert_uint_eq(is.fixed, 0);
	child_exit(&child);
	close(other);
	close(fd);
}

TEST(a_switch_to_a_thread_with_another_pmc_writes_that_one)
{
	with_own_counters(check_different);
}

/* ---- overflows ------------------------------------------------------------------------------- */

static void run_over_wrap(int fd)
{
	start(fd);
	loop(10000);
	stop(fd);
}

static void set_near_wrap(int fd)
{
	write_pmd(fd, 0, BIT(46) - 5000);
}

/*
 * The test causes a start, an interrupt and a stop. The start writes all counters, because
 * set_near_wrap() changed the value of one counter. The interrupt handler halts the counters and
 * reads all of them: the highest bit of each counter is its overflow flag, which a wrap clears. The
 * handler writes the counter that has wrapped, to set its flag again. Then it starts the counters
 * again.
 */
static void check_overflow(void)
{
	struct cost wanted = of_halting(2);
	int fd = counting_context(2);

	load(fd, thread_id());
	run_over_wrap(fd);
	wanted.global *= 4;
	wanted.selects *= 4;
	wanted.reads = 2 /* flags */ + 1 /* written again */ + 2 /* stop */;
	wanted.counters = 2 /* start */ + 1;
	wanted.others = starts_at_once(); /* acknowledge */
	set_near_wrap(fd);
	must_cost("over a wrap", run_over_wrap, set_near_wrap, fd, wanted);
	close(fd);
}

TEST(an_overflow_writes_only_the_counter_that_wrapped)
{
	with_own_counters(check_overflow);
}
