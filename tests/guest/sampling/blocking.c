// SPDX-License-Identifier: GPL-2.0-only
/*
 * PFM_FL_NOTIFY_BLOCK: perfmon-api.md 1.12, 3.5 and 4.7, and 10, row 17.
 *
 * The thread that overflowed waits on its way to user mode until the restart; what it
 * counts in its page stands still.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "samples.h"

SUITE(blocking, 120);

#define NO_INDEX PFM_NO_INDEX

/* Stands for "at once", in ms. */
static unsigned int soon(void)
{
	return kernel_checks_itself() ? 1000 : 100;
}

/* ---- a child that is blocked --------------------------------------------------------- */

static void spin_begin(const struct child *child)
{
	child->page->turns = 0;
	child->page->stop = 0;
	child_begin(child, loop_until_stopped, 0);
}

static bool waits(pid_t tid)
{
	return thread_state(tid) == 'D';
}

/* It got that far and no further. */
static void must_be_blocked(const struct child *child)
{
	uint64_t turns;

	wait_until(waits(child->pid));
	turns = child->page->turns;
	usleep(50000);
	ck_assert(waits(child->pid));
	ck_assert_uint_eq(child->page->turns, turns);
}

static void must_go_on(const struct child *child)
{
	uint64_t turns = child->page->turns;

	wait_until(child->page->turns > turns + 2);
}

static int blocking_context(void)
{
	int fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);

	sample_busily(fd, PERIOD);
	return fd;
}

/* A child that spins and is blocked, its message not yet read. */
static int blocked(struct child *child)
{
	int fd;

	*child = child_new();
	fd = blocking_context();
	load_and_start(fd, child->pid);
	spin_begin(child);
	must_be_blocked(child);
	return fd;
}

static void spin_end(const struct child *child)
{
	child->page->stop = 1;
	child_finish(child);
}

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
	/* Counting far from an overflow it is left alone. */
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

TEST(without_messages_the_thread_waits_as_well)
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

static void *be_target(void *unused)
{
	target_tid = thread_id();
	while (!other_stop) {
		sampled_loop(100000);
		target_turns++;
	}
	return unused;
}

static void *be_other(void *unused)
{
	while (!other_stop) {
		sampled_loop(100000);
		other_turns++;
	}
	return unused;
}

TEST(other_threads_of_the_process_go_on)
{
	pthread_t threads[2];
	uint64_t before;
	int fd;

	need_overflow_interrupts();
	ck_assert_int_eq(pthread_create(&threads[0], NULL, be_target, NULL), 0);
	ck_assert_int_eq(pthread_create(&threads[1], NULL, be_other, NULL), 0);
	wait_until(target_tid);
	fd = blocking_context();
	load_and_start(fd, target_tid);
	wait_until(waits(target_tid));
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

/* ---- refused ------------------------------------------------------------------------------ */

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

/* ---- other ways out ------------------------------------------------------------------------ */

TEST(sigkill_ends_a_blocked_thread)
{
	struct child child;
	uint64_t begun;
	int fd, turn;

	need_overflow_interrupts();
	for (turn = 0; turn < 3; turn++) {
		fd = blocked(&child);
		begun = monotonic_time();
		child_kill(&child);
		ck_assert_uint_le(monotonic_time() - begun, soon() * MS);
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
	/* Perhaps after the next overflow. */
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
	int fd = blocked(&child);

	turns = child.page->turns;
	begun = monotonic_time();
	release(fd);
	wait_until(child.page->turns > turns);
	ck_assert_uint_le(monotonic_time() - begun, soon() * MS);
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

/* The message that blocks had no place: no restart helps. */
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
		wait_until(waits(child.pid));
		must(fd, pfm_restart(fd));
		wait_until(!waits(child.pid) || state_of(fd) == PFM_STATE_MASKED);
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

/* The context can be loaded again, and blocks again. */
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

/* ---- the tool dies ---------------------------------------------------------------------------- */

/*
 * A process that has loaded the context, and one that only has the descriptor, if
 * @heir is asked for.
 */
struct tool {
	pid_t pid;
	pid_t heir;
	int heir_gate; /* closed: it closes the descriptor */
	int told; /* what the tool has to tell: a byte when it has loaded */
};

static void be_heir(int fd, int gate)
{
	char byte;

	if (read(gate, &byte, 1) != 0)
		_exit(20);
	close(fd);
	pause();
	_exit(21);
}

static void be_tool(pid_t target, int told)
{
	int fd = blocking_context();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (try_load(fd, target) || pfm_start(fd, NULL) || write(told, "", 1) != 1)
		_exit(22);
	pause();
	_exit(23);
}

static void be_tool_with_heir(pid_t target, int told, struct tool *tool, int gate[2])
{
	int fd = blocking_context();

	tool->heir = fork();
	if (tool->heir == 0) {
		close(told);
		close(gate[1]);
		be_heir(fd, gate[0]);
	}
	if (try_load(fd, target) || pfm_start(fd, NULL) ||
	    write(told, &tool->heir, sizeof(tool->heir)) != sizeof(tool->heir))
		_exit(22);
	pause();
	_exit(23);
}

static struct tool tool_begin(pid_t target, bool with_heir)
{
	struct tool tool = {};
	int told[2], gate[2];
	char byte;

	pmu();
	/* The heir is to be ours when the tool is gone. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ck_assert_int_eq(pipe(told), 0);
	ck_assert_int_eq(pipe(gate), 0);
	tool.pid = fork();
	if (tool.pid == 0) {
		if (with_heir)
			be_tool_with_heir(target, told[1], &tool, gate);
		be_tool(target, told[1]);
	}
	close(told[1]);
	close(gate[0]);
	tool.heir_gate = gate[1];
	if (with_heir)
		ck_assert_int_eq(read(told[0], &tool.heir, sizeof(tool.heir)),
				 sizeof(tool.heir));
	else
		ck_assert_int_eq(read(told[0], &byte, 1), 1);
	close(told[0]);
	return tool;
}

static void must_survive_the_tool(bool with_heir)
{
	struct child child = child_new();
	struct tool tool = tool_begin(child.pid, with_heir);
	uint64_t begun, turns;

	spin_begin(&child);
	must_be_blocked(&child);
	turns = child.page->turns;
	begun = monotonic_time();
	ck_assert_int_eq(kill(tool.pid, SIGKILL), 0);
	while (child.page->turns == turns)
		usleep(500);
	ck_assert_uint_le(monotonic_time() - begun, soon() * MS);
	ck_assert_int_eq(waitpid(tool.pid, NULL, 0), tool.pid);
	must_go_on(&child);
	ck_assert_uint_eq(sessions(), with_heir);
	close(tool.heir_gate);
	wait_until(sessions() == 0);
	if (with_heir) {
		ck_assert_int_eq(kill(tool.heir, SIGKILL), 0);
		ck_assert_int_eq(waitpid(tool.heir, NULL, 0), tool.heir);
	}
	spin_end(&child);
	child_exit(&child);
}

TEST(a_blocked_thread_survives_the_death_of_its_tool)
{
	need_overflow_interrupts();
	must_survive_the_tool(false);
}

TEST(a_blocked_thread_does_not_wait_for_an_heir_of_its_tool)
{
	need_overflow_interrupts();
	must_survive_the_tool(true);
}

/* The tool was gone before: nobody would know what to do. */
TEST(a_thread_without_its_tool_is_not_blocked_any_more)
{
	struct child child;
	struct tool tool;

	need_overflow_interrupts();
	child = child_new();
	tool = tool_begin(child.pid, true);
	ck_assert_int_eq(kill(tool.pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(tool.pid, NULL, 0), tool.pid);
	ck_assert_uint_eq(sessions(), 1);
	spin_begin(&child);
	/* Some periods of its CPU time. */
	wait_until(cpu_time_of(child.pid) > 20 * PERIOD + 100 * MS);
	must_go_on(&child);
	spin_end(&child);
	close(tool.heir_gate);
	wait_until(sessions() == 0);
	child_exit(&child);
}

/* Who closes the descriptor that he passed on has not died: it blocks for the heir. */
TEST(an_heir_may_restart_when_the_tool_has_closed)
{
	struct child child;
	int fd, status, gate[2];
	pid_t pid;
	char byte;

	need_overflow_interrupts();
	ck_assert_int_eq(pipe(gate), 0);
	fd = blocked(&child);
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) != 0)
			_exit(10);
		if (pfm_restart(fd) || pfm_unload_context(fd))
			_exit(11);
		_exit(EXIT_SUCCESS);
	}
	close(fd);
	must_be_blocked(&child);
	close(gate[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	must_go_on(&child);
	spin_end(&child);
}

/* ---- in system calls ------------------------------------------------------------------------------ */

/* Each switch is an overflow, so that the child overflows when it falls asleep. */
static int context_on_switches(void)
{
	int fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);

	write_pmc(fd, pmu()->pmcs[0], PFM_SOFT_CONTEXT_SWITCHES);
	write_one(fd, sampling(0, 1));
	return fd;
}

/*
 * It overflowed when it fell asleep in the read() of its next command, and has to wait
 * after that.  Whoever took the CPU from it before made it wait at once.
 */
static void fall_asleep(int fd, const struct child *child)
{
	load_and_start(fd, child->pid);
	child_begin(child, child_tid, 0);
	next_overflow(fd);
	wait_until(waits(child->pid) || thread_state(child->pid) == 'S');
	while (waits(child->pid)) {
		must(fd, pfm_restart(fd));
		next_overflow(fd);
		wait_until(waits(child->pid) || thread_state(child->pid) == 'S');
	}
	ck_assert_uint_eq(child_finish(child), child->pid);
	ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
}

static void check_sleep_in_read(void)
{
	struct child child = child_new();
	int turn, fd;

	for (turn = 0; turn < 30; turn++) {
		fd = context_on_switches();
		fall_asleep(fd, &child);
		switch (turn % 3) {
		case 0:
			must(fd, pfm_unload_context(fd));
			break;
		case 1:
			must(fd, pfm_stop(fd));
			must(fd, pfm_restart(fd));
			break;
		}
		close(fd);
		/* The read that was meant for the command gets it. */
		ck_assert_uint_eq(child_call(&child, child_tid, 0), child.pid);
	}
	ck_assert_int_eq(child_exit(&child), 0);
}

TEST(a_read_that_the_overflow_came_in_gets_what_it_should)
{
	with_pmu("perfmon_soft", "", check_sleep_in_read);
}

/* It is woken by the command, and then has to wait: the answer comes with the restart. */
static void check_blocked_after_read(void)
{
	struct child child = child_new();
	int turn, fd;

	for (turn = 0; turn < 10; turn++) {
		fd = context_on_switches();
		fall_asleep(fd, &child);
		child_begin(&child, child_tid, 0);
		wait_until(waits(child.pid));
		usleep(20000);
		ck_assert(waits(child.pid));
		must(fd, pfm_stop(fd));
		must(fd, pfm_restart(fd));
		ck_assert_uint_eq(child_finish(&child), child.pid);
		close(fd);
	}
	ck_assert_int_eq(child_exit(&child), 0);
}

TEST(a_thread_that_overflowed_asleep_waits_when_it_wakes)
{
	with_pmu("perfmon_soft", "", check_blocked_after_read);
}

/* Returns how long it slept, or 0 if that was not to its end. */
static uint64_t nap(uint64_t nanoseconds)
{
	struct timespec time = { .tv_nsec = nanoseconds };
	uint64_t begun = monotonic_time();

	if (nanosleep(&time, NULL))
		return 0;
	return monotonic_time() - begun;
}

static void check_sleep(void)
{
	const uint64_t length = 300 * MS;
	struct child child = child_new();
	uint64_t slept;
	int fd, turn;

	for (turn = 0; turn < 4; turn++) {
		fd = context_on_switches();
		load_and_start(fd, child.pid);
		child_begin(&child, nap, length);
		next_overflow(fd);
		usleep(50000);
		if (turn % 2)
			must(fd, pfm_unload_context(fd));
		close(fd);
		slept = child_finish(&child);
		must_be_between(slept, length, length + 20 * soon() * MS);
	}
	ck_assert_int_eq(child_exit(&child), 0);
}

TEST(a_sleep_that_the_overflow_came_in_is_as_long_as_it_should)
{
	with_pmu("perfmon_soft", "", check_sleep);
}

/* System calls of all lengths with overflows anywhere in them; returns how many failed. */
static uint64_t call_until_stopped(uint64_t unused)
{
	struct child_page *page = child_own_page();
	uint64_t wrong = 0, sent, received;
	int fds[2];

	(void)unused;
	if (pipe(fds))
		return 1;
	for (sent = 0; !page->stop; sent++) {
		wrong += write(fds[1], &sent, sizeof(sent)) != sizeof(sent);
		wrong += read(fds[0], &received, sizeof(received)) != sizeof(received);
		wrong += received != sent;
		wrong += nap(1000) == 0;
		touch_pages(1);
		page->turns++;
	}
	close(fds[0]);
	close(fds[1]);
	return wrong;
}

TEST(system_calls_of_a_blocked_thread_return_what_they_should)
{
	struct child child = child_new();
	struct pfarg_pmd pmd;
	int fd, turn;

	need_overflow_interrupts();
	fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);
	program_busy(fd, 1);
	pmd = sampling(0, PERIOD / 4);
	pmd.reg_flags |= PFM_REGFL_RANDOM;
	pmd.reg_random_mask = 0x3ffff;
	child.page->stop = 0;
	child_begin(&child, call_until_stopped, 0);
	for (turn = 0; turn < 200; turn++) {
		if (state_of(fd) == PFM_STATE_UNLOADED) {
			write_one(fd, pmd);
			load_and_start(fd, child.pid);
		}
		next_overflow(fd);
		if (turn % 10 == 9)
			must(fd, pfm_unload_context(fd));
		else
			must(fd, pfm_restart(fd));
	}
	must(fd, pfm_unload_context(fd));
	child.page->stop = 1;
	ck_assert_uint_eq(child_finish(&child), 0);
	ck_assert_int_eq(child_exit(&child), 0);
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
	int fd = blocked(&child);

	ck_assert_int_eq(module_unload(module), EAGAIN);
	ck_assert_int_eq(module_unload("perfmon"), EAGAIN);
	must_be_blocked(&child);
	close(fd);
	must_go_on(&child);
	ck_assert_int_eq(module_unload(module), 0);
	/* The thread's work has run, or will soon. */
	wait_until(module_unload("perfmon") == 0);
	must_go_on(&child);
	spin_end(&child);
	child_exit(&child);
}

TEST(no_module_goes_while_a_thread_is_blocked)
{
	need_overflow_interrupts();
	snprintf(module, sizeof(module), "%s", pmu_module());
	then_put_back(check_modules, modules_back);
	pmu_forget();
	count_must_be_right(make_context());
}

/* Nor are they held by a thread that sleeps on, far from user mode. */
static void check_modules_of_a_sleeper(void)
{
	struct child child = child_new();
	int fd = context_on_switches();

	fall_asleep(fd, &child);
	close(fd);
	ck_assert_int_eq(module_unload("perfmon_soft"), 0);
	wait_until(module_unload("perfmon") == 0);
	ck_assert_int_eq(module_load("perfmon", ""), 0);
	ck_assert_int_eq(module_load("perfmon_soft", ""), 0);
	ck_assert_int_eq(child_exit(&child), 0);
}

TEST(a_thread_asleep_holds_no_module)
{
	with_pmu("perfmon_soft", "", check_modules_of_a_sleeper);
}
