// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests PFM_FL_NOTIFY_BLOCK: docs/interface.md 1.12, 3.5, 4.7, and row 17 of section 10.
 *
 * After an overflow, the thread waits for the restart before it returns to user level. The thread
 * increments page->turns while it runs, so page->turns does not grow while the thread waits.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "blocking.h"

SUITE(blocking, 120);

/* ---- until the restart ------------------------------------------------------------------ */

TEST(the_thread_waits_for_the_restart)
{
	struct child child = child_new();
	int fd, turn;

	need_overflow_interrupts();
	fd = blocking_context();
	load_and_start(fd, child.pid);
	spin_begin(&child);
	for (turn = 0; turn < 5; turn++) {
		next_overflow(fd);
		must_be_blocked(&child);
		ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
		must_be_silent(fd);
		must(fd, pfm_restart(fd));
	}
	next_overflow(fd);
	/*
	 * Gives the counter a value far from an overflow, so that the thread is not blocked again.
	 */
	write_pmd(fd, pmu()->pmds[0], 0);
	must(fd, pfm_stop(fd));
	must(fd, pfm_restart(fd));
	must_go_on(&child);
	spin_end(&child);
	child_exit(&child);
}

TEST(an_overflow_without_notify_blocks_nobody)
{
	struct child child = child_new();
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	int fd;

	need_overflow_interrupts();
	fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);
	program_busy(fd, 1);
	pmd.reg_flags = 0;
	write_one(fd, pmd);
	load_and_start(fd, child.pid);
	spin_begin(&child);
	wait_until(state_of(fd) == PFM_STATE_MASKED);
	must_go_on(&child);
	must_not_restart(fd);
	spin_end(&child);
	close(fd);
}

TEST(without_messages_the_thread_waits_too)
{
	struct child child = child_new();
	int fd, turn;

	need_overflow_interrupts();
	fd = context_with_flags(PFM_FL_NOTIFY_BLOCK | PFM_FL_OVFL_NO_MSG);
	sample_busily(fd, PERIOD);
	load_and_start(fd, child.pid);
	spin_begin(&child);
	for (turn = 0; turn < 3; turn++) {
		must_be_blocked(&child);
		must_be_silent(fd);
		must(fd, pfm_restart(fd));
	}
	close(fd);
	must_go_on(&child);
	spin_end(&child);
}

static volatile bool other_stop;
static volatile uint64_t other_turns, target_turns;
static volatile pid_t target_tid;

static void *run_target(void *unused)
{
	target_tid = thread_id();
	while (!other_stop) {
		sampled_loop(100000);
		target_turns++;
	}
	return unused;
}

static void *run_other(void *unused)
{
	while (!other_stop) {
		sampled_loop(100000);
		other_turns++;
	}
	return unused;
}

TEST(other_threads_of_the_process_continue)
{
	pthread_t threads[2];
	uint64_t before;
	int fd;

	need_overflow_interrupts();
	ck_assert_int_eq(pthread_create(&threads[0], NULL, run_target, NULL), 0);
	ck_assert_int_eq(pthread_create(&threads[1], NULL, run_other, NULL), 0);
	wait_until(target_tid);
	fd = blocking_context();
	load_and_start(fd, target_tid);
	wait_until(is_blocked(target_tid));
	before = other_turns;
	wait_until(other_turns > before + 10);
	before = target_turns;
	usleep(20000);
	ck_assert_uint_eq(target_turns, before);
	must(fd, pfm_unload_context(fd));
	wait_until(target_turns > before + 2);
	other_stop = true;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

/* ---- contexts that cannot block ----------------------------------------------------------- */

TEST(a_thread_cannot_block_itself)
{
	struct child child = child_new();
	uint64_t faults;
	int fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);

	use_busy_counters(fd);
	must_fail(fd, try_load(fd, thread_id()), EINVAL, PFM_REASON_BLOCK_SELF, NO_INDEX);
	ck_assert_uint_eq(state_of(fd), PFM_STATE_UNLOADED);
	ck_assert_uint_eq(sessions(), 0);
	load_and_start(fd, child.pid);
	faults = child_call(&child, child_work, 30);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), faults);
	must_fail(fd, try_load(fd, thread_id()), EBUSY, PFM_REASON_LOADED, NO_INDEX);
	close(fd);
}

/* ---- signals, unload and close -------------------------------------------------------------- */

TEST(sigkill_kills_a_blocked_thread)
{
	struct child child;
	uint64_t begun;
	int fd, turn;

	need_overflow_interrupts();
	for (turn = 0; turn < 3; turn++) {
		fd = blocked_child(&child);
		begun = monotonic_time();
		child_kill(&child);
		ck_assert_uint_le(monotonic_time() - begun, soon_ms() * MS);
		next_overflow(fd);
		must_end(fd);
		must_be_silent(fd);
		ck_assert_uint_eq(state_of(fd), PFM_STATE_UNLOADED);
		must_fail_errno(pfm_restart(fd), EBUSY);
		close(fd);
	}
}

static volatile struct child_page *signal_page;

static void note_signal(int number)
{
	(void)number;
	signal_page->number++;
}

static uint64_t catch_signal(uint64_t number)
{
	signal_page = child_own_page();
	signal(number, note_signal);
	return 0;
}

TEST(another_signal_waits_for_the_restart)
{
	struct child child = child_new();
	int fd;

	need_overflow_interrupts();
	child_call(&child, catch_signal, SIGUSR1);
	fd = blocking_context();
	load_and_start(fd, child.pid);
	spin_begin(&child);
	must_be_blocked(&child);
	ck_assert_int_eq(kill(child.pid, SIGUSR1), 0);
	must_be_blocked(&child);
	ck_assert_uint_eq(child.page->number, 0);
	must(fd, pfm_restart(fd));
	/*
	 * The counter may overflow and block the child again before the child handles the signal.
	 */
	while (!child.page->number) {
		next_overflow(fd);
		pfm_restart(fd);
	}
	close(fd);
	spin_end(&child);
}

static void unload(int fd)
{
	must(fd, pfm_unload_context(fd));
}

static void close_it(int fd)
{
	close(fd);
}

static void must_be_released_by(void (*release)(int fd))
{
	struct child child;
	uint64_t begun, turns;
	int fd = blocked_child(&child);

	turns = child.page->turns;
	begun = monotonic_time();
	release(fd);
	wait_until(child.page->turns > turns);
	ck_assert_uint_le(monotonic_time() - begun, soon_ms() * MS);
	must_go_on(&child);
	spin_end(&child);
	child_exit(&child);
}

TEST(unload_and_close_release_a_blocked_thread)
{
	need_overflow_interrupts();
	must_be_released_by(unload);
	must_be_released_by(close_it);
}

/*
 * The test fills the queue with messages, so there is no room for a message about the last
 * overflow. An overflow without a message gives no credit, so no restart is possible.
 */
TEST(a_thread_blocked_by_a_full_queue_can_be_released)
{
	struct child child = child_new();
	unsigned int i;
	int fd;

	need_overflow_interrupts();
	fd = blocking_context();
	load_and_start(fd, child.pid);
	spin_begin(&child);
	for (i = 0; i < pmu()->info.message_queue_depth; i++) {
		wait_until(is_blocked(child.pid));
		must(fd, pfm_restart(fd));
		wait_until(!is_blocked(child.pid) || state_of(fd) == PFM_STATE_MASKED);
	}
	must_be_blocked(&child);
	must_not_restart(fd);
	next_overflow(fd);
	must_not_restart(fd);
	must_be_blocked(&child);
	must(fd, pfm_unload_context(fd));
	must_go_on(&child);
	spin_end(&child);
	close(fd);
}

TEST(a_context_blocks_after_each_load)
{
	struct child children[2] = { child_new(), child_new() };
	int fd, turn;

	need_overflow_interrupts();
	fd = blocking_context();
	for (turn = 0; turn < 6; turn++) {
		const struct child *child = &children[turn % 2];

		sample_busily(fd, PERIOD);
		load_and_start(fd, child->pid);
		spin_begin(child);
		must_be_blocked(child);
		must(fd, pfm_unload_context(fd));
		must_go_on(child);
		spin_end(child);
	}
	close(fd);
}

/* ---- modules ------------------------------------------------------------------------------------- */

static char module[64];

static void modules_back(void)
{
	if (!module_is_loaded("perfmon"))
		module_load("perfmon", "");
	if (!module_is_loaded(module))
		module_load(module, "");
}

static void check_modules(void)
{
	struct child child;
	int fd = blocked_child(&child);

	ck_assert_int_eq(module_unload(module), EAGAIN);
	ck_assert_int_eq(module_unload("perfmon"), EAGAIN);
	must_be_blocked(&child);
	close(fd);
	must_go_on(&child);
	ck_assert_int_eq(module_unload(module), 0);
	/* The unload of the core is refused until the thread's task work has run. */
	wait_until(module_unload("perfmon") == 0);
	must_go_on(&child);
	spin_end(&child);
	child_exit(&child);
}

TEST(no_module_can_be_unloaded_while_a_thread_is_blocked)
{
	need_overflow_interrupts();
	snprintf(module, sizeof(module), "%s", pmu_module());
	then_put_back(check_modules, modules_back);
	pmu_forget();
	count_must_be_right(make_context());
}
