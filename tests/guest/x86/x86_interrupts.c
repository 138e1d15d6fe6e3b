// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests interrupts that are late, lost or masked, that come without an overflow, or that are
 * not from our counters. Real processors have such interrupts. The emulated PMU imitates them on
 * request (tests/vm/qemu-x86-pmu). No count may be lost. The kernel must report the NMIs that are
 * not ours, and no other NMIs. In each test a statistic shows that the tested case has occurred.
 */
#include "x86_overflows.h"

SUITE(x86_interrupts, 120);

#define DELAY 50000

/* ---- late interrupts ---------------------------------------------------------------------- */

static void check_normal(void)
{
	int fd = context_near_wrap(LOOP / 2, AT_USER);

	run_and_see(fd, (struct seen){ .nmis = 1, .regular = 1 });
	must_agree(fd, LOOP / 2);
	close(fd);
}

TEST(an_overflow_is_one_interrupt)
{
	with_own_counters(check_normal);
}

static void check_after_stop(void)
{
	int fd = context_near_wrap(CLOSE_TO_THE_END, AT_USER);

	msr_write(TEST_DELAY, DELAY);
	look();
	run_loop(fd);
	loop(2 * DELAY);
	must_see((struct seen){ .nmis = 1, .late = 1, .replayed = 1 });
	must_agree(fd, CLOSE_TO_THE_END);
	close(fd);
}

TEST(an_interrupt_after_the_stop_is_ours)
{
	with_own_counters(check_after_stop);
}

static void check_after_start(void)
{
	int fd = context_near_wrap(CLOSE_TO_THE_END, AT_USER);

	msr_write(TEST_DELAY, DELAY);
	look();
	run_loop(fd);
	must(fd, pfm_start(fd, NULL));
	loop(2 * DELAY);
	must(fd, pfm_stop(fd));
	must_see((struct seen){ .nmis = 1, .late = 1, .spurious = 1, .replayed = 1 });
	must_agree(fd, CLOSE_TO_THE_END);
	close(fd);
}

TEST(an_interrupt_after_the_next_start_is_ours)
{
	with_own_counters(check_after_start);
}

static uint64_t loop_often(uint64_t unused)
{
	loop(4 * DELAY);
	return unused;
}

/* The interrupt of this thread's overflow comes while another monitored thread runs. */
static void check_after_switch(void)
{
	struct child child = child_new();
	int fd = context_near_wrap(CLOSE_TO_THE_END, AT_USER), other;

	other = context_of(0, instructions(AT_USER));
	child_call(&child, child_pin, 0);
	load(other, child.pid);
	must(other, pfm_start(other, NULL));
	msr_write(TEST_DELAY, DELAY);
	look();
	must(fd, pfm_start(fd, NULL));
	loop(LOOP);
	child_call(&child, loop_often, 0);
	must(fd, pfm_stop(fd));
	must_see((struct seen){ .nmis = 1, .late = 1, .spurious = 1, .replayed = 1 });
	must_agree(fd, CLOSE_TO_THE_END);
	must(other, pfm_stop(other));
	must_be_between(read_pmd(other, 0), 4 * DELAY, 4 * DELAY + 10000);
	child_exit(&child);
	close(other);
	close(fd);
}

TEST(an_interrupt_after_a_switch_is_ours)
{
	with_own_counters(check_after_switch);
}

/* With skid, the counters count a few more instructions before the interrupt comes. */
static void check_skid(void)
{
	static const uint64_t skids[] = { 1, 7, 40, 300 };
	const uint64_t distance = LOOP / 2;
	size_t i;
	int fd;

	for (i = 0; i < COUNT(skids); i++) {
		fd = context_near_wrap(distance, AT_USER);
		msr_write(TEST_DELAY, skids[i]);
		run_and_see(fd, (struct seen){ .nmis = 1, .regular = 1 });
		must_agree(fd, distance);
		close(fd);
	}
}

TEST(skid_loses_no_count)
{
	with_own_counters(check_skid);
}

/*
 * In each pass of the loop the interrupt comes some instructions later than in the pass before:
 * first before the stop, then during the stop, and at last after the stop. If it comes after the
 * set has stopped and before the counters are read, the interrupt handler does not handle the
 * overflow, because the stop will find it.
 */
static void check_around_stop(void)
{
	const unsigned int step = is_debug_kernel() ? 200 : 20;
	int fd = context_near_wrap(0, AT_USER);
	struct found found = {};
	unsigned int delay;

	for (delay = step; delay <= 300 * step; delay += step) {
		set_distance(fd, 0, CLOSE_TO_THE_END);
		write_pmd(fd, 1, 0);
		msr_write(TEST_DELAY, delay);
		look();
		run_loop(fd);
		loop(500 * step);
		must_be_found(fd, &found, delay);
	}
	must_have_all(&found);
	close(fd);
}

TEST(an_interrupt_around_the_stop_is_ours)
{
	with_own_counters(check_around_stop);
}

/* ---- several overflows -------------------------------------------------------------------- */

static void check_two(void)
{
	int fd = context_near_wrap(LOOP / 2, AT_USER);

	use(fd, 2, instructions(AT_USER), WRAP - LOOP / 2);
	run_and_see(fd, (struct seen){ .nmis = 1, .regular = 1 });
	must_agree(fd, LOOP / 2);
	ck_assert_uint_eq(read_pmd(fd, 2), read_pmd(fd, 0));
	close(fd);
}

TEST(two_overflows_may_be_one_interrupt)
{
	with_own_counters(check_two);
}

/*
 * The counters count at both levels. In each pass of the loop the second counter wraps some
 * instructions later than in the pass before. In some passes it wraps in the NMI of the first
 * counter, before the handler halts the counters. Then AMD's local APIC raises a second NMI, which
 * finds no overflow. Intel's local APIC has masked the PMU's interrupt by then, so no second NMI
 * comes. If no register starts both counters at the same time, the second counter starts after the
 * first, and their counts differ by some instructions.
 */
static void check_during_handler(void)
{
	const uint64_t apart = starts_at_once() ? 0 : 1000;
	unsigned int later, together = 0, alone = 0, late = 0;
	struct seen all;
	int fd;

	fd = context_of(0, instructions(AT_BOTH));
	use(fd, 1, instructions(AT_BOTH), 0);
	load(fd, thread_id());
	for (later = 0; later < 3000; later += 50) {
		set_distance(fd, 0, LOOP / 2);
		set_distance(fd, 1, LOOP / 2 + later);
		look();
		run_loop(fd);
		all = seen();
		ck_assert_msg(
			!all.unknown && !all.replayed &&
				all.nmis == all.regular + all.late,
			"second wrap %u instructions later: NMIs %ju, unknown %ju, regular %ju, late %ju",
			later, all.nmis, all.unknown, all.regular, all.late);
		together += later && all.regular == 1;
		alone += all.regular == 2;
		late += all.late;
		ck_assert_uint_gt(read_pmd(fd, 1), WRAP);
		must_be_near(read_pmd(fd, 0) - (WRAP - LOOP / 2),
			     read_pmd(fd, 1) - (WRAP - LOOP / 2 - later), apart);
	}
	ck_assert_uint_gt(together, 0);
	ck_assert_uint_gt(alone, 0);
	if (pmu_is("amd"))
		ck_assert_uint_gt(late, 0);
	else
		ck_assert_uint_eq(late, 0);
	close(fd);
}

TEST(an_overflow_during_the_interrupt_is_not_lost)
{
	with_own_counters(check_during_handler);
}

/* ---- lost and masked interrupts ------------------------------------------------------------- */

static void check_lost(void)
{
	int fd = context_near_wrap(LOOP / 2, AT_USER);

	msr_write(TEST_LOSE, 1);
	run_and_see(fd, (struct seen){ .replayed = 1 });
	ck_assert_uint_eq(msr_read(TEST_LOSE), 0);
	must_agree(fd, LOOP / 2);
	close(fd);
}

TEST(an_overflow_without_its_interrupt_is_found_at_the_stop)
{
	with_own_counters(check_lost);
}

static void check_lost_and_read(void)
{
	const unsigned int numbers[] = { 0, 1 };
	int fd = context_near_wrap(LOOP / 2, AT_USER);
	uint64_t values[2];

	msr_write(TEST_LOSE, 1);
	look();
	must(fd, pfm_start(fd, NULL));
	loop(LOOP);
	read_pmds(fd, numbers, values, 2);
	must(fd, pfm_stop(fd));
	ck_assert_uint_ge(values[1], LOOP);
	/*
	 * The counters are read one after the other, but no user-level instruction is executed in
	 * between.
	 */
	ck_assert_uint_eq(values[0] - (WRAP - LOOP / 2), values[1]);
	ck_assert_uint_eq(seen().nmis, 0);
	must_agree(fd, LOOP / 2);
	close(fd);
}

TEST(an_overflow_without_its_interrupt_is_found_in_a_read)
{
	with_own_counters(check_lost_and_read);
}

static void check_lost_before_another(void)
{
	int fd = context_near_wrap(LOOP / 4, AT_USER);

	use(fd, 2, instructions(AT_USER), WRAP - LOOP / 2);
	msr_write(TEST_LOSE, 1);
	run_and_see(fd, (struct seen){ .nmis = 1, .regular = 1 });
	must_agree(fd, LOOP / 4);
	ck_assert_uint_eq(read_pmd(fd, 2) - (WRAP - LOOP / 2), read_pmd(fd, 1));
	close(fd);
}

TEST(an_overflow_without_its_interrupt_is_found_in_the_next_interrupt)
{
	with_own_counters(check_lost_before_another);
}

static void check_masked(void)
{
	int fd = context_near_wrap(LOOP / 2, AT_USER);

	msr_write(TEST_DO, DO_MASK);
	run_and_see(fd, (struct seen){ .replayed = 1 });
	must_agree(fd, LOOP / 2);
	set_distance(fd, 0, LOOP / 2);
	write_pmd(fd, 1, 0);
	run_and_see(fd, (struct seen){ .nmis = 1, .regular = 1 });
	must_agree(fd, LOOP / 2);
	close(fd);
}

TEST(a_masked_interrupt_is_unmasked_at_the_stop)
{
	with_own_counters(check_masked);
}

/* ---- interrupts without overflow ------------------------------------------------------------ */

/*
 * Waits until the module no longer accepts late interrupts. On AMD's processors this takes 100 ms
 * after an overflow.
 */
static void wait_until_none_is_late(void)
{
	usleep(pmu_is("amd") ? 150000 : 30000);
}

/* Makes the emulator do @what while the counters of @fd count. */
static void run_and_do(int fd, uint64_t what)
{
	msr_choose(TEST_DO, what);
	must(fd, pfm_start(fd, NULL));
	loop(LOOP);
	msr_write_chosen();
	loop(LOOP);
	must(fd, pfm_stop(fd));
}

/* With AMD's local APIC, the PMU's NMIs cannot be distinguished from other NMIs. */
static void check_without_overflow(void)
{
	const bool is_known = pmu_is("intel");
	int fd = context_near_wrap(MILLION, AT_USER), i;

	wait_for_unknown_nmi_reports();
	wait_until_none_is_late();
	for (i = 0; i < 3; i++) {
		look();
		run_and_do(fd, DO_PMI);
		must_see((struct seen){ .nmis = 1,
					.unknown = !is_known,
					.late = is_known,
					.spurious = 1 });
	}
	look();
	msr_write(TEST_DO, DO_PMI);
	must_see((struct seen){ .nmis = 1, .unknown = !is_known, .late = is_known });
	must_agree(fd, MILLION);
	close(fd);
}

TEST(an_interrupt_without_overflow_is_ours_if_the_apic_tells)
{
	with_own_counters(check_without_overflow);
}

static void check_foreign(void)
{
	int fd = context_near_wrap(MILLION, AT_USER);

	wait_for_unknown_nmi_reports();
	wait_until_none_is_late();
	look();
	msr_write(TEST_DO, DO_FOREIGN_NMI);
	must_see((struct seen){ .nmis = 1, .unknown = 1 });
	look();
	run_and_do(fd, DO_FOREIGN_NMI);
	must_see((struct seen){ .nmis = 1, .unknown = 1, .spurious = 1 });
	must_agree(fd, MILLION);
	must(fd, pfm_unload_context(fd));
	look();
	msr_write(TEST_DO, DO_FOREIGN_NMI);
	must_see((struct seen){ .nmis = 1, .unknown = 1 });
	close(fd);
}

TEST(a_foreign_nmi_is_passed_on)
{
	with_own_counters(check_foreign);
}

/*
 * The module finds the overflow in an NMI that is not ours. The interrupt of the overflow comes
 * later, after this NMI has ended.
 */
static void check_found_by_foreign(void)
{
	int fd = context_near_wrap(LOOP / 2, AT_USER);

	msr_write(TEST_DELAY, DELAY);
	msr_choose(TEST_DO, DO_FOREIGN_NMI);
	look();
	must(fd, pfm_start(fd, NULL));
	loop(LOOP);
	msr_write_chosen();
	loop(2 * DELAY);
	must(fd, pfm_stop(fd));
	must_see((struct seen){ .nmis = 2, .regular = 1, .late = 1, .spurious = 1 });
	ck_assert_uint_eq(read_pmd(fd, 0) - (WRAP - LOOP / 2), read_pmd(fd, 1));
	close(fd);
}

TEST(an_interrupt_whose_overflow_a_foreign_nmi_has_found_is_ours)
{
	if (is_debug_kernel())
		skip("an NMI takes longer than the delay");
	with_own_counters(check_found_by_foreign);
}

/* On AMD's processors several interrupts may follow an overflow, up to 100 ms later. */
static void check_several_late(void)
{
	const bool is_known = pmu_is("intel");
	int fd = context_near_wrap(LOOP / 2, AT_USER);
	uint64_t begun;

	wait_for_unknown_nmi_reports();
	begun = monotonic_time();
	run_loop(fd);
	do {
		look();
		msr_write(TEST_DO, DO_PMI);
		must_see((struct seen){ .nmis = 1, .late = 1 });
		usleep(10000);
	} while (monotonic_time() - begun < 50 * MS);
	wait_until_none_is_late();
	look();
	msr_write(TEST_DO, DO_PMI);
	must_see((struct seen){ .nmis = 1, .unknown = !is_known, .late = is_known });
	close(fd);
}

TEST(interrupts_for_some_time_after_an_overflow_are_ours)
{
	with_own_counters(check_several_late);
}

/*
 * If an interrupt is lost, the module still expects it for some ticks. During these ticks, the
 * module mistakes an NMI from another source for the lost interrupt. If such an NMI comes later,
 * the module must not accept it.
 */
static void check_foreign_after_lost(void)
{
	int fd = context_near_wrap(LOOP / 2, AT_USER);

	wait_for_unknown_nmi_reports();
	msr_write(TEST_LOSE, 1);
	look();
	run_loop(fd);
	wait_until_none_is_late();
	msr_write(TEST_DO, DO_FOREIGN_NMI);
	must_see((struct seen){ .nmis = 1, .unknown = 1, .replayed = 1 });
	close(fd);
}

TEST(a_foreign_nmi_some_ticks_after_a_lost_interrupt_is_passed_on)
{
	with_own_counters(check_foreign_after_lost);
}

/* ---- counters that nobody has cleared -------------------------------------------------------- */

static void check_maximum(void)
{
	const uint32_t counter = pmu_is("intel") ? 0xc1 : 0xc0010004;
	int fd;

	/* Perhaps the module has not released the counters of the previous test yet. */
	wait_until(msr_read(counter) == 0);
	msr_write(TEST_DO, DO_MAXIMUM);
	ck_assert_uint_ne(msr_read(counter), 0);
	look();
	fd = context_near_wrap(MILLION, AT_USER);
	run_loop(fd);
	must_see((struct seen){});
	must_agree(fd, MILLION);
	close(fd);
}

TEST(counters_at_their_highest_value_cause_no_overflow)
{
	with_own_counters(check_maximum);
}

/* ---- all at once ----------------------------------------------------------------------------- */

/* Interrupts are delayed or lost. A delayed interrupt may come after the next overflow. */
static void check_storm(void)
{
	static const uint64_t delays[] = { 0, 3, 500, 2500, 9000, 40000 };
	const uint64_t distance = LOOP - 40;
	int fd = context_near_wrap(distance, AT_USER);
	struct seen all;
	unsigned int i;

	look();
	for (i = 0; i < 600; i++) {
		msr_write(TEST_DELAY, delays[i % COUNT(delays)]);
		msr_write(TEST_LOSE, i % 7 == 0);
		set_distance(fd, 0, distance - i % 90 * 3);
		write_pmd(fd, 1, 0);
		run_loop(fd);
		must_agree(fd, distance - i % 90 * 3);
	}
	loop(100000);
	all = seen();
	ck_assert_uint_eq(all.unknown, 0);
	ck_assert_uint_eq(all.regular + all.replayed, 600);
	ck_assert_uint_gt(all.late, 100);
	close(fd);
}

TEST(late_and_lost_interrupts_among_many_starts_and_stops)
{
	with_own_counters(check_storm);
}

/* ---- shared counters ---------------------------------------------------------------------- */

static void check_shared_counters(void)
{
	interrupts_are_shared = true;
	/*
	 * This check comes first: on AMD's processors, perf accepts any NMI for some time after an
	 * NMI of its own.
	 */
	check_foreign();
	check_normal();
	check_after_stop();
	check_after_start();
	check_after_switch();
	check_skid();
	check_two();
	check_lost();
	check_lost_and_read();
	check_lost_before_another();
}

static void with_registers(void)
{
	with_test_registers(check_shared_counters);
}

TEST(shared_counters_lose_no_counts_either)
{
	with_ownership("shared", with_registers);
}

/*
 * The local APIC belongs to perf. The stop finds an overflow whose interrupt is masked, but does
 * not unmask the interrupt. The module cannot rely on the APIC's registers, because they are not
 * mapped if the firmware has switched to x2APIC mode. perf unmasks the interrupt in its next NMI.
 */
static void check_masked_beside_perf(void)
{
	int fd = context_near_wrap(LOOP / 2, AT_USER), i;

	msr_write(TEST_DO, DO_MASK);
	for (i = 0; i < 2; i++) {
		set_distance(fd, 0, LOOP / 2);
		write_pmd(fd, 1, 0);
		run_and_see(fd, (struct seen){ .replayed = 1 });
		must_agree(fd, LOOP / 2);
	}
	msr_write(TEST_DO, DO_FOREIGN_NMI);
	set_distance(fd, 0, LOOP / 2);
	look();
	run_loop(fd);
	ck_assert_uint_eq(seen().regular, 1);
	close(fd);
}

static void with_masked_beside_perf(void)
{
	with_test_registers(check_masked_beside_perf);
}

TEST(shared_counters_leave_the_local_apic_to_perf)
{
	/*
	 * The module accepts the foreign NMI only on processors without a status register. On these
	 * processors, when a stop has found an overflow, the module still expects the NMI of this
	 * overflow.
	 */
	if (pmu_is("amd") && !starts_at_once())
		with_ownership("shared", with_masked_beside_perf);
}
