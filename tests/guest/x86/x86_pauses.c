// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests that no count is lost, and that no NMI is reported as unknown, when the processor
 * pauses, as in a system management interrupt (SMI). In a pause, the processor executes code
 * outside of the kernel, and the kernel does not notice it. Clocks continue to run, and interrupts
 * wait. Counters that count at kernel level may count what the processor executes in the pause. The
 * emulated PMU makes such pauses on request (tests/vm/qemu-x86-pmu).
 */
#include "x86_overflows.h"

SUITE(x86_pauses, 120);

/*
 * Length of a pause in ns. In each ns of a pause, the processor executes one instruction. A pause
 * lasts several ticks, so the kernel's clocks are late afterwards.
 */
#define PAUSE	   (20 * MS)
/*
 * From a start to the stop, fewer than FEW instructions are executed outside of a pause. In a debug
 * kernel, the interrupt handlers that run after a pause may execute more than a million
 * instructions.
 */
#define FEW	   ((is_debug_kernel() ? 2 : 1) * MILLION)
/*
 * Number of instructions from the request to the beginning of the pause, if the pause shall begin
 * in the middle of the test's loop.
 */
#define IN_LOOP	   (LOOP / 2)

#define DEBUGCTL   0x1d9
#define FREEZE_SMM BIT(14)

static uint64_t request_time;

/*
 * Requests a pause that begins @after instructions later, and counts a loop of LOOP instructions.
 */
static void run_with_pause(int fd, uint64_t after)
{
	msr_choose(TEST_PAUSE_IN, after);
	must(fd, pfm_start(fd, NULL));
	request_time = instruction_time();
	msr_write_chosen();
	loop(LOOP);
	must(fd, pfm_stop(fd));
}

/*
 * Checks that there were @pauses pauses since TEST_PAUSES was set to 0, and that at least PAUSE ns
 * have passed since the last request.
 */
static void must_have_paused(uint64_t pauses)
{
	ck_assert_uint_eq(msr_read(TEST_PAUSES), pauses);
	ck_assert_uint_ge(instruction_time() - request_time, PAUSE);
}

/* Intel's processors can freeze the counters in pauses, unless their PMU has version 1. */
static bool can_freeze(void)
{
	return pmu_is("intel") && starts_at_once();
}

static void freeze(bool yes)
{
	uint64_t others;

	if (!can_freeze())
		return;
	others = msr_read(DEBUGCTL) & ~FREEZE_SMM;
	msr_write(DEBUGCTL, others | (yes ? FREEZE_SMM : 0));
}

static void (*to_check)(void);
static bool was_frozen;

static void put_back(void)
{
	freeze(was_frozen);
}

static void check_pauses(void)
{
	was_frozen = can_freeze() && msr_read(DEBUGCTL) & FREEZE_SMM;
	freeze(false);
	msr_write(TEST_PAUSE, PAUSE);
	msr_write(TEST_PAUSES, 0);
	then_put_back(to_check, put_back);
}

static void with_pauses(void (*check)(void))
{
	to_check = check;
	with_own_counters(check_pauses);
}

/* ---- counts ------------------------------------------------------------------------------- */

static void check_overflow_in_pause(void)
{
	const bool together = starts_at_once() && !interrupts_are_shared;
	int fd = context_near_wrap(PAUSE / 2, AT_BOTH);

	look();
	run_with_pause(fd, IN_LOOP);
	must_see((struct seen){ .nmis = 1, .regular = 1 });
	must_have_paused(1);
	must_be_between(read_pmd(fd, 1), PAUSE + LOOP, PAUSE + FEW);
	must_be_near(read_pmd(fd, 0) - (WRAP - PAUSE / 2), read_pmd(fd, 1),
		     together ? 0 : MILLION / 100);
	close(fd);
}

TEST(an_overflow_in_a_pause_is_one_interrupt_after_it)
{
	with_pauses(check_overflow_in_pause);
}

static void check_user_level(void)
{
	int fd = context_near_wrap(PAUSE / 2, AT_USER);
	uint64_t counted;

	look();
	run_with_pause(fd, LOOP + FEW);
	counted = read_pmd(fd, 1);
	loop(FEW);
	must_have_paused(1);
	write_pmd(fd, 1, 0);
	run_with_pause(fd, IN_LOOP);
	must_have_paused(2);
	must_see((struct seen){});
	ck_assert_uint_eq(read_pmd(fd, 1), counted);
	close(fd);
}

TEST(a_pause_is_not_counted_at_user_level)
{
	with_pauses(check_user_level);
}

static void check_kernel_level(void)
{
	int fd = context_near_wrap(3 * PAUSE, AT_BOTH);

	look();
	run_with_pause(fd, IN_LOOP);
	must_have_paused(1);
	must_be_between(read_pmd(fd, 1), PAUSE + LOOP, PAUSE + FEW);
	if (can_freeze()) {
		write_pmd(fd, 1, 0);
		freeze(true);
		run_with_pause(fd, IN_LOOP);
		must_have_paused(2);
		must_be_between(read_pmd(fd, 1), LOOP, FEW);
	}
	must_see((struct seen){});
	close(fd);
}

TEST(a_pause_is_counted_at_the_kernels_level_unless_the_counters_freeze)
{
	with_pauses(check_kernel_level);
}

/* ---- interrupts that wait ----------------------------------------------------------------- */

/*
 * Without a pause, the overflow interrupt would come long after the stop. In each iteration, there
 * is a pause near the stop. The pause begins some instructions later than in the iteration before.
 * It lasts longer than the delay of the interrupt, so the interrupt comes when the pause ends. The
 * pause may end before, during or after the stop. If the interrupt comes after the stop, it comes
 * before the next tick. So when it comes, the kernel's variable jiffies does not yet include the
 * time since the stop.
 */
static void check_around_stop(void)
{
	const unsigned int step = is_debug_kernel() ? 200 : 20;
	int fd = context_near_wrap(0, AT_USER);
	struct found found = {};
	unsigned int i;

	msr_write(TEST_DELAY, 400 * step);
	for (i = 0; i < 300; i++) {
		set_distance(fd, 0, CLOSE_TO_THE_END);
		write_pmd(fd, 1, 0);
		look();
		run_with_pause(fd, LOOP + i * step);
		loop(800 * step);
		must_have_paused(i + 1);
		must_be_found(fd, &found, i);
	}
	must_have_all(&found);
	close(fd);
}

TEST(an_interrupt_that_waits_for_the_end_of_a_pause_is_ours)
{
	with_pauses(check_around_stop);
}

/* ---- shared counters ---------------------------------------------------------------------- */

static void check_shared_counters(void)
{
	interrupts_are_shared = true;
	check_overflow_in_pause();
}

static void with_shared_pauses(void)
{
	to_check = check_shared_counters;
	with_test_registers(check_pauses);
}

TEST(shared_counters_lose_no_counts_in_a_pause)
{
	with_ownership("shared", with_shared_pauses);
}
