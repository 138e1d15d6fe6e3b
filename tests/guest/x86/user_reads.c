// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests that a program that reads counter registers (RDPMC) does not see the counts of other
 * threads.
 *
 * While a program has mapped a hardware event of perf, the kernel lets this program read all
 * counters.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"

SUITE(user_reads, 300);

#define READS	 10000000 /* number of counter reads in a test */
#define COUNTERS 2 /* the monitored thread uses PMD 0 and PMD 1 */

static uint64_t rdpmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return low | (uint64_t)high << 32;
}

/*
 * Executes @steps million instructions, in a child. If @steps is large, this takes so long that
 * other threads get the CPU in between.
 */
static uint64_t loop_in_steps(uint64_t steps)
{
	while (steps--)
		loop(1000000);
	return 0;
}

/* Counts instructions and cycles of @child. */
static int watch(const struct child *child)
{
	int fd = context_of(0, instructions(AT_USER));

	use(fd, 1, cycles(AT_USER), 0);
	load(fd, child->pid);
	must(fd, pfm_start(fd, NULL));
	return fd;
}

static void watch_end(int fd, struct child *child, uint64_t steps)
{
	ck_assert_uint_ge(read_pmd(fd, 0), steps * 1000000);
	ck_assert_uint_ge(read_pmd(fd, 1), steps * 1000000);
	child_exit(child);
	close(fd);
}

/* ---- a program that may read counters ---------------------------------------------------------- */

static void check_mapped(void)
{
	const uint64_t steps = 200;
	struct child child = child_new();
	uint64_t erased[COUNTERS], switched;
	int fd, event, i;
	uint32_t n;

	pin(0);
	child_call(&child, child_pin, 0);
	fd = watch(&child);
	event = perf_open_pinned(0xc0, 0);
	ck_assert_ptr_ne(mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, event,
			      0),
			 MAP_FAILED);
	child_call(&child, loop_in_steps, 1);
	for (n = 0; n < COUNTERS; n++)
		erased[n] = rdpmc(n);
	switched = statistic("ctxswout_count");
	child_begin(&child, loop_in_steps, steps);
	for (i = 0; i < READS / COUNTERS; i++)
		for (n = 0; n < COUNTERS; n++)
			if (rdpmc(n) != erased[n])
				ck_abort_msg("read %d of counter %u: 0x%jx, not 0x%jx", i,
					     n, (uintmax_t)rdpmc(n),
					     (uintmax_t)erased[n]);
	child_finish(&child);
	/* The monitored thread has run between the reads. */
	ck_assert_uint_ge(statistic("ctxswout_count") - switched, 5);
	close(event);
	watch_end(fd, &child, steps + 1);
}

TEST(a_program_with_a_perf_event_sees_no_counts_of_another_thread)
{
	with_ownership("shared", check_mapped);
}

/* ---- a program that may not read counters ---------------------------------------------------- */

static sigjmp_buf refused;

static void on_refusal(int signal)
{
	(void)signal;
	siglongjmp(refused, 1);
}

static void must_be_refused(uint32_t n)
{
	uint64_t value;

	if (sigsetjmp(refused, 1))
		return;
	value = rdpmc(n);
	ck_abort_msg("counter %u could be read: 0x%jx", n, (uintmax_t)value);
}

static void check_refused(void)
{
	const uint64_t steps = 20;
	struct child child = child_new();
	int fd, i;

	pin(0);
	child_call(&child, child_pin, 0);
	fd = watch(&child);
	ck_assert_ptr_ne(signal(SIGSEGV, on_refusal), SIG_ERR);
	child_begin(&child, loop_in_steps, steps);
	for (i = 0; i < 10000; i++)
		must_be_refused(i % COUNTERS);
	child_finish(&child);
	signal(SIGSEGV, SIG_DFL);
	watch_end(fd, &child, steps);
}

TEST(a_program_without_a_perf_event_cannot_read_exclusive_counters)
{
	with_ownership("exclusive", check_refused);
}

TEST(a_program_without_a_perf_event_cannot_read_shared_counters)
{
	with_ownership("shared", check_refused);
}

/* perf must refuse the event, because a program that has an event can read all counters. */
static void check_no_event(void)
{
	struct child child = child_new();
	int fd = watch(&child);

	child_call(&child, loop_in_steps, 1);
	ck_assert_int_eq(perf_open(0xc0, true, 0, -1, -1), -1);
	watch_end(fd, &child, 1);
}

TEST(no_program_gets_a_perf_event_while_counters_are_exclusive)
{
	with_ownership("exclusive", check_no_event);
}
