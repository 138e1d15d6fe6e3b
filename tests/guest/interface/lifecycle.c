// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a context: perfmon-api.md 1.6 to 1.14 and 3.1 to 3.4.
 *
 * Children come before contexts: they have no descriptor open, so that the
 * test's is the last one.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "workers.h"

SUITE(lifecycle, 120);

#define NO_INDEX PFM_NO_INDEX

static uint64_t busy_count(int fd)
{
	return read_pmd(fd, pmu()->pmds[0]);
}

static void must_be(int fd, unsigned int state, unsigned int flags, pid_t target)
{
	struct pfm_status status = status_of(fd);

	ck_assert_msg(status.state == state && status.flags == flags &&
			      status.target == (uint32_t)target,
		      "state %u, flags %#x, target %u; should be %u, %#x, %d",
		      status.state, status.flags, status.target, state, flags, target);
}

/* The context is not loaded and its counts are not lost. */
static void must_have_ended(int fd, uint64_t at_least_faults)
{
	uint64_t faults = read_pmd(fd, PFM_PMD_MINOR_FAULTS);

	must_be(fd, PFM_STATE_UNLOADED, 0, 0);
	ck_assert_msg(faults >= at_least_faults, "%ju minor faults, at least %ju made",
		      (uintmax_t)faults, (uintmax_t)at_least_faults);
	ck_assert_uint_gt(busy_count(fd), 0);
}

/* ---- states ---------------------------------------------------------------------- */

TEST(a_count_on_the_own_thread_is_right)
{
	count_must_be_right(make_context());
}

TEST(the_task_clock_of_a_long_run_is_its_cpu_time)
{
	const uint64_t enough = 500000000;
	int fd = busy_context();
	uint64_t begin, cpu, clock;

	load(fd, thread_id());
	begin = cpu_time();
	must(fd, pfm_start(fd, NULL));
	while (cpu_time() - begin < enough)
		spin_turns(100000);
	must(fd, pfm_stop(fd));
	cpu = cpu_time() - begin;
	clock = read_pmd(fd, PFM_PMD_TASK_CLOCK);
	/* two clocks of the kernel, of which one may go by ticks */
	ck_assert_msg(clock > cpu / 100 * 97 && clock < cpu / 100 * 103,
		      "%ju ns, the kernel says %ju", (uintmax_t)clock, (uintmax_t)cpu);
}

TEST(the_states_follow_the_calls)
{
	int fd = busy_context();
	pid_t self = thread_id();

	must_be(fd, PFM_STATE_UNLOADED, 0, 0);
	load(fd, self);
	must_be(fd, PFM_STATE_LOADED, 0, self);
	must(fd, pfm_start(fd, NULL));
	must_be(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, self);
	must(fd, pfm_stop(fd));
	must_be(fd, PFM_STATE_LOADED, 0, self);
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_unload_context(fd));
	must_be(fd, PFM_STATE_UNLOADED, 0, 0);
}

TEST(the_sessions_are_counted)
{
	int fd = busy_context(), other = busy_context();
	struct child child = child_new();

	ck_assert_uint_eq(sessions(), 0);
	load(fd, thread_id());
	ck_assert_uint_eq(sessions(), 1);
	load(other, child.pid);
	ck_assert_uint_eq(sessions(), 2);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(sessions(), 1);
	close(other);
	ck_assert_uint_eq(sessions(), 0);
}

TEST(load_of_a_loaded_context_is_ebusy)
{
	struct child child = child_new();
	int fd = busy_context();

	load(fd, thread_id());
	must_fail(fd, try_load(fd, thread_id()), EBUSY, PFM_REASON_LOADED, NO_INDEX);
	must_fail(fd, try_load(fd, child.pid), EBUSY, PFM_REASON_LOADED, NO_INDEX);
	must(fd, pfm_start(fd, NULL));
	must_fail(fd, try_load(fd, child.pid), EBUSY, PFM_REASON_LOADED, NO_INDEX);
	must_be(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, thread_id());
}

TEST(a_second_context_on_a_thread_is_eexist)
{
	struct child child = child_new();
	int fd = busy_context(), other = busy_context();

	load(fd, child.pid);
	must_fail(other, try_load(other, child.pid), EEXIST, PFM_REASON_THREAD_TAKEN,
		  NO_INDEX);
	must_be(other, PFM_STATE_UNLOADED, 0, 0);
	ck_assert_uint_eq(sessions(), 1);
	must(fd, pfm_unload_context(fd));
	load(other, child.pid);
	must_fail(fd, try_load(fd, child.pid), EEXIST, PFM_REASON_THREAD_TAKEN, NO_INDEX);
}

TEST(unload_of_an_unloaded_context_succeeds)
{
	int fd = busy_context();

	must(fd, pfm_unload_context(fd));
	load(fd, thread_id());
	must(fd, pfm_unload_context(fd));
	must(fd, pfm_unload_context(fd));
	count_must_be_right(fd);
}

TEST(an_unloaded_context_can_be_loaded_on_another_thread)
{
	struct child children[2] = { child_new(), child_new() };
	int fd = busy_context_on(children[0].pid);
	uint64_t faults[2];

	faults[0] = child_call(&children[0], child_work, 50);
	must(fd, pfm_unload_context(fd));
	child_call(&children[0], child_work, 1000); /* not counted */
	write_pmd(fd, PFM_PMD_MINOR_FAULTS, 0);
	load(fd, children[1].pid);
	must(fd, pfm_start(fd, NULL));
	faults[1] = child_call(&children[1], child_work, 70);
	must(fd, pfm_stop(fd));
	ck_assert_uint_ge(faults[0], 50);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), faults[1]);
	ck_assert_uint_lt(read_pmd(fd, PFM_PMD_MINOR_FAULTS), faults[1] + 50);
}

TEST(starting_what_is_started_changes_nothing)
{
	int fd = busy_context_on(thread_id());
	uint64_t before = busy_count(fd);

	must(fd, pfm_start(fd, NULL));
	must_be(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, thread_id());
	ck_assert_uint_ge(busy_count(fd), before);
	ck_assert_uint_eq(set_of(fd, 0).set_runs, 1);
	count_must_be_right(fd);
}

TEST(stopping_what_is_stopped_counts_no_time_twice)
{
	int fd = busy_context_on(thread_id());
	uint64_t duration, busy;

	spin_turns(100000);
	must(fd, pfm_stop(fd));
	duration = set_of(fd, 0).set_act_duration;
	busy = busy_count(fd);
	spin_turns(100000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(duration, 0);
	ck_assert_uint_eq(set_of(fd, 0).set_act_duration, duration);
	ck_assert_uint_eq(busy_count(fd), busy);
	must_be(fd, PFM_STATE_LOADED, 0, thread_id());
}

TEST(values_go_on_from_where_they_stopped)
{
	int fd = busy_context_on(thread_id());
	uint64_t first;

	spin_turns(10000);
	must(fd, pfm_stop(fd));
	first = busy_count(fd);
	spin_turns(10000);
	ck_assert_uint_eq(busy_count(fd), first);
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(busy_count(fd), first);
}

TEST(values_outlive_unload_and_load)
{
	struct child child = child_new();
	int fd = busy_context_on(thread_id());
	uint64_t busy, faults;

	touch_pages(20);
	must(fd, pfm_stop(fd));
	busy = busy_count(fd);
	faults = read_pmd(fd, PFM_PMD_MINOR_FAULTS);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(busy_count(fd), busy);
	load(fd, child.pid);
	ck_assert_uint_eq(busy_count(fd), busy);
	must(fd, pfm_start(fd, NULL));
	child_call(&child, child_work, 30);
	ck_assert_uint_gt(busy_count(fd), busy);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), faults + 30);
}

TEST(unload_of_a_started_context_keeps_what_was_counted)
{
	int fd = busy_context_on(thread_id());
	uint64_t before;

	touch_pages(20);
	before = busy_count(fd);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_gt(busy_count(fd), before);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 20);
}

TEST(pmds_can_be_read_in_every_state)
{
	unsigned int n = pmu()->pmds[1];
	int fd = make_context();

	write_pmc(fd, pmu()->pmcs[1], pmu()->quiet[1]);
	write_pmd(fd, n, 0x123456789abcdef);
	ck_assert_uint_eq(read_pmd(fd, n), 0x123456789abcdef);
	load(fd, thread_id());
	ck_assert_uint_eq(read_pmd(fd, n), 0x123456789abcdef);
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_eq(read_pmd(fd, n), 0x123456789abcdef);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, n), 0x123456789abcdef);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(read_pmd(fd, n), 0x123456789abcdef);
}

TEST(registers_can_be_written_in_every_state)
{
	const unsigned int first = pmu()->pmds[0];
	int fd = busy_context_on(thread_id());
	uint64_t value;

	/* counting: from the value written on */
	write_pmd(fd, first, 1ull << 60);
	spin_turns(1000);
	value = read_pmd(fd, first);
	ck_assert_uint_gt(value, 1ull << 60);
	ck_assert_uint_lt(value, 1ull << 61);
	/* counting: no more from now on */
	write_pmc(fd, pmu()->pmcs[0], pmu()->quiet[0]);
	value = read_pmd(fd, first);
	spin_turns(1000);
	ck_assert_uint_eq(read_pmd(fd, first), value);
	/* and again */
	write_pmc(fd, pmu()->pmcs[0], pmu()->busy[0]);
	spin_turns(1000);
	ck_assert_uint_gt(read_pmd(fd, first), value);
	must(fd, pfm_stop(fd));
	write_pmd(fd, first, 5);
	ck_assert_uint_eq(read_pmd(fd, first), 5);
}

TEST(read_tells_the_value_last_loaded)
{
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[0], .reg_ovfl_switch_cnt = 9 };
	int fd = busy_context();

	write_pmd(fd, pmu()->pmds[0], 777);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	spin_turns(1000);
	must(fd, pfm_read_pmds(fd, &pmd, 1));
	ck_assert_uint_eq(pmd.reg_last_reset_val, 777);
	ck_assert_uint_eq(pmd.reg_ovfl_switch_cnt, 0);
	ck_assert_uint_gt(pmd.reg_value, 777);
}

/* ---- event set 0 -------------------------------------------------------------------- */

TEST(a_new_context_has_set_zero_and_nothing_else)
{
	const struct pfm_info *info = &pmu()->info;
	int fd = make_context();
	struct pfarg_setinfo set = set_of(fd, 0);

	ck_assert_uint_eq(set.set_id, 0);
	ck_assert_uint_eq(set.set_flags, 0);
	ck_assert_uint_eq(set.set_runs, 0);
	ck_assert_uint_eq(set.set_timeout, 0);
	ck_assert_uint_eq(set.set_act_duration, 0);
	ck_assert_uint_eq(set.set_ovfl_pmds[0], 0);
	ck_assert_mem_eq(set.set_avail_pmcs, info->available_pmcs,
			 sizeof(set.set_avail_pmcs));
	ck_assert_mem_eq(set.set_avail_pmds, info->available_pmds,
			 sizeof(set.set_avail_pmds));
}

TEST(the_runs_of_a_set_are_loads_and_starts_that_name_it)
{
	int fd = busy_context();

	load(fd, thread_id());
	ck_assert_uint_eq(set_of(fd, 0).set_runs, 1);
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(set_of(fd, 0).set_runs, 1);
	must(fd, pfm_start(fd, &(pfarg_start_t){ .start_set = 0 }));
	ck_assert_uint_eq(set_of(fd, 0).set_runs, 2);
	must(fd, pfm_unload_context(fd));
	load(fd, thread_id());
	ck_assert_uint_eq(set_of(fd, 0).set_runs, 3);
}

TEST(changing_a_set_resets_pmcs_and_keeps_pmds)
{
	int fd = busy_context_on(thread_id());
	pfarg_setdesc_t set = {};
	uint64_t busy;

	spin_turns(1000);
	must(fd, pfm_unload_context(fd));
	busy = busy_count(fd);
	must(fd, pfm_create_evtsets(fd, &set, 1));
	ck_assert_uint_eq(busy_count(fd), busy);
	ck_assert_uint_eq(set_of(fd, 0).set_runs, 0);
	ck_assert_uint_eq(set_of(fd, 0).set_act_duration, 0);
	/* a PMC at its default counts nothing, with the PMUs that we have */
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	spin_turns(1000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(busy_count(fd), busy);
	count_must_be_right(fd);
}

TEST(the_duration_is_the_time_the_thread_ran)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	struct pfarg_setinfo set;
	uint64_t clock;

	child_call(&child, child_work, 100);
	usleep(100000); /* it sleeps: no time of its */
	must(fd, pfm_stop(fd));
	set = set_of(fd, 0);
	clock = read_pmd(fd, PFM_PMD_TASK_CLOCK);
	ck_assert_uint_gt(set.set_act_duration, 0);
	ck_assert_uint_eq(set.set_act_duration, clock);
}

TEST(the_duration_grows_while_it_runs)
{
	int fd = busy_context_on(thread_id());
	uint64_t first = set_of(fd, 0).set_act_duration;

	spin_turns(1000);
	ck_assert_uint_gt(set_of(fd, 0).set_act_duration, first);
}

TEST(load_empties_the_message_queue)
{
	struct child child = child_new(), other = child_new();
	int fd = busy_context_on(child.pid);

	child_exit(&child);
	load(fd, other.pid);
	must_be_silent(fd);
}

/* ---- the end of the target ------------------------------------------------------------ */

TEST(the_end_of_the_thread_is_read)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	uint64_t faults = child_call(&child, child_work, 100);

	must_be_silent(fd);
	child_exit(&child);
	must_end(fd);
	must_be_silent(fd);
	must_have_ended(fd, faults);
	count_must_be_right(fd);
}

static uint64_t exit_later(uint64_t gate)
{
	(void)gate;
	while (!child_own_page()->stop)
		usleep(1000);
	_exit(EXIT_SUCCESS);
}

struct waiter {
	pthread_t thread;
	pid_t tid;
	int fd;
	ssize_t size;
	struct pfarg_ovfl_msg message;
};

static void *wait_for_message(void *argument)
{
	struct waiter *waiter = argument;

	__atomic_store_n(&waiter->tid, thread_id(), __ATOMIC_RELEASE);
	waiter->size = read(waiter->fd, &waiter->message, sizeof(waiter->message));
	return NULL;
}

/* Returns when it sleeps in the read. */
static void waiter_begin(struct waiter *waiter, int fd)
{
	*waiter = (struct waiter){ .fd = fd };
	ck_assert_int_eq(pthread_create(&waiter->thread, NULL, wait_for_message, waiter),
			 0);
	wait_until(__atomic_load_n(&waiter->tid, __ATOMIC_ACQUIRE) &&
		   thread_state(waiter->tid) == 'S');
}

TEST(the_end_wakes_a_reader)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	struct waiter waiter;

	child_begin(&child, exit_later, 0);
	waiter_begin(&waiter, fd);
	child.page->stop = 1;
	pthread_join(waiter.thread, NULL);
	ck_assert_int_eq(waiter.size, sizeof(waiter.message));
	ck_assert_uint_eq(waiter.message.msg_type, PFM_MSG_END);
}

TEST(the_end_wakes_poll)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	ck_assert_int_eq(poll(&poll_fd, 1, 0), 0);
	child_begin(&child, exit_later, 0);
	child.page->stop = 1;
	ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	ck_assert_int_eq(poll_fd.revents, POLLIN);
	must_end(fd);
	ck_assert_int_eq(poll(&poll_fd, 1, 0), 0);
}

static volatile sig_atomic_t signals;

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

TEST(the_end_sends_sigio)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);

	signal(SIGIO, count_signal);
	ck_assert_int_eq(fcntl(fd, F_SETOWN, getpid()), 0);
	ck_assert_int_eq(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC), 0);
	child_exit(&child);
	wait_until(signals);
	ck_assert_int_eq(signals, 1);
	must_end(fd);
}

static void ignore_signal(int signal)
{
	(void)signal;
}

TEST(a_signal_interrupts_a_reader)
{
	struct sigaction action = { .sa_handler = ignore_signal }; /* no SA_RESTART */
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	struct waiter waiter;

	sigaction(SIGUSR1, &action, NULL);
	waiter_begin(&waiter, fd);
	pthread_kill(waiter.thread, SIGUSR1);
	pthread_join(waiter.thread, NULL);
	ck_assert_int_eq(waiter.size, -1);
	must_be(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, child.pid);
}

TEST(a_read_smaller_than_a_message_is_einval)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	char buffer[sizeof(struct pfarg_ovfl_msg)];

	must_fail_errno(read(fd, buffer, sizeof(buffer) - 1), EINVAL);
	must_fail_errno(read(fd, buffer, 0), EINVAL);
	child_exit(&child);
	must_fail_errno(read(fd, buffer, sizeof(buffer) - 1), EINVAL);
	must_end(fd); /* not lost */
}

TEST(a_larger_read_returns_one_message)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	struct pfarg_ovfl_msg messages[8];

	child_exit(&child);
	ck_assert_int_eq(read(fd, messages, sizeof(messages)), sizeof(messages[0]));
	ck_assert_uint_eq(messages[0].msg_type, PFM_MSG_END);
	must_be_silent(fd);
}

TEST(a_read_to_a_bad_address_is_efault_and_loses_nothing)
{
	void *volatile nowhere = (void *)8;
	struct child child = child_new();
	int fd = busy_context_on(child.pid);

	child_exit(&child);
	must_fail_errno(read(fd, nowhere, sizeof(struct pfarg_ovfl_msg)), EFAULT);
	must_end(fd);
}

/* A thread that monitors itself, and ends. */
static void *watch_self(void *argument)
{
	int fd = *(int *)argument;

	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	touch_pages(20);
	return NULL;
}

TEST(a_thread_that_watched_itself_leaves_no_message)
{
	int fd = busy_context();
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, watch_self, &fd), 0);
	pthread_join(thread, NULL);
	wait_until(sessions() == 0);
	must_be_silent(fd);
	must_have_ended(fd, 20);
	count_must_be_right(fd);
}

TEST(a_killed_target_is_like_one_that_ended)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);

	child_busy(&child);
	child_kill(&child);
	must_end(fd);
	must_have_ended(fd, 0);
}

TEST(results_are_there_before_the_target_is_reaped)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	uint64_t faults = child_call(&child, child_work, 40);

	ck_assert_int_eq(kill(child.pid, SIGKILL), 0);
	must_end(fd);
	wait_until(thread_state(child.pid) == 'Z');
	must_have_ended(fd, faults);
	ck_assert_uint_eq(sessions(), 0);
}

TEST(the_end_of_a_target_that_was_not_started_is_told)
{
	struct child child = child_new();
	int fd = busy_context();

	load(fd, child.pid);
	child_exit(&child);
	must_end(fd);
	ck_assert_uint_eq(busy_count(fd), 0);
}

/* ---- exec and fork -------------------------------------------------------------------- */

TEST(an_exec_keeps_the_context_counting)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	uint64_t before, faults;

	before = child_call(&child, child_work, 10);
	child_exec(&child, "/proc/self/exe");
	must_be(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, child.pid);
	faults = child_call(&child, child_work, 100);
	must(fd, pfm_stop(fd));
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), before + faults);
	must_be_silent(fd);
	child_exit(&child);
	must_end(fd);
}

static void *execute(void *argument)
{
	(void)argument;
	child_do_exec(0);
	return NULL;
}

static uint64_t exec_in_thread(uint64_t unused)
{
	pthread_t thread;

	(void)unused;
	pthread_create(&thread, NULL, execute, NULL);
	pause(); /* the exec ends this thread */
	return EINTR;
}

/* The thread that does it takes over the number of the first one. */
TEST(the_context_of_a_thread_that_another_ones_exec_ends_ends)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);

	strcpy(child.page->text, "/proc/self/exe");
	ck_assert_uint_eq(child_call(&child, exec_in_thread, 0), 0);
	must_end(fd);
	must_be(fd, PFM_STATE_UNLOADED, 0, 0);
	load(fd, child.pid);
	child_exit(&child);
}

TEST(a_forked_child_is_not_counted_and_has_no_context)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	uint64_t faults = child_call(&child, child_fork, 5000);

	ck_assert_uint_ge(faults, 5000);
	must(fd, pfm_stop(fd));
	/* what forking itself took is far less */
	ck_assert_uint_lt(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 5000);
	ck_assert_uint_eq(sessions(), 1);
	must_be_silent(fd);
}

static void *work(void *pages)
{
	touch_pages((uintptr_t)pages);
	return NULL;
}

static uint64_t work_in_thread(uint64_t pages)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)pages))
		return 0;
	pthread_join(thread, NULL);
	return 1;
}

TEST(a_thread_made_by_the_target_is_not_counted)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);

	ck_assert_uint_eq(child_call(&child, work_in_thread, 5000), 1);
	must(fd, pfm_stop(fd));
	ck_assert_uint_lt(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 5000);
	must_be_silent(fd);
}

/* ---- setuid programs --------------------------------------------------------------------- */

TEST(a_setuid_program_ends_the_context_of_an_ordinary_watcher)
{
	const char *program = copy_of_this(0, 04755);
	struct child child = child_new();
	uint64_t faults;
	int fd;

	child_call(&child, child_set_uid, USER_ID);
	become(USER_ID);
	fd = busy_context_on(child.pid);
	faults = child_call(&child, child_work, 10);
	child_exec(&child, program);
	must_end(fd);
	must_have_ended(fd, faults);
	must_fail(fd, try_load(fd, child.pid), EPERM, PFM_REASON_PERMISSION, NO_INDEX);
	unlink(program);
}

TEST(an_unreadable_program_ends_the_context_of_an_ordinary_watcher)
{
	const char *program = copy_of_this(0, 0711);
	struct child child = child_new();
	int fd;

	child_call(&child, child_set_uid, USER_ID);
	become(USER_ID);
	fd = busy_context_on(child.pid);
	child_exec(&child, program);
	must_end(fd);
	must_be(fd, PFM_STATE_UNLOADED, 0, 0);
	unlink(program);
}

TEST(an_ordinary_program_keeps_the_context_of_an_ordinary_watcher)
{
	struct child child = child_new();
	int fd;

	child_call(&child, child_set_uid, USER_ID);
	become(USER_ID);
	fd = busy_context_on(child.pid);
	child_exec(&child, "/proc/self/exe");
	must_be_silent(fd);
	must_be(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, child.pid);
}

TEST(a_setuid_program_keeps_the_context_of_a_privileged_watcher)
{
	const char *program = copy_of_this(OTHER_ID, 04755);
	struct child child = child_new();
	int fd;

	child_call(&child, child_set_uid, USER_ID);
	fd = busy_context_on(child.pid);
	child_exec(&child, program);
	must_be_silent(fd);
	must_be(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, child.pid);
	ck_assert_uint_ge(child_call(&child, child_work, 100), 100);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 100);
	unlink(program);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

TEST(closing_a_loaded_context_leaves_the_target_alone)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	uint64_t turns;

	child_busy(&child);
	close(fd);
	ck_assert_uint_eq(sessions(), 0);
	turns = child.page->turns;
	wait_until(child.page->turns > turns);
	child_rest(&child);
	ck_assert_uint_ge(child_call(&child, child_work, 10), 10);
	fd = busy_context_on(child.pid); /* it can be watched again */
	ck_assert_uint_eq(child_exit(&child), 0);
	must_end(fd);
}

TEST(a_duplicate_keeps_the_context)
{
	int fd = busy_context_on(thread_id()), duplicate = dup(fd);

	close(fd);
	ck_assert_uint_eq(sessions(), 1);
	spin_turns(1000);
	ck_assert_uint_gt(busy_count(duplicate), 0);
	close(duplicate);
	ck_assert_uint_eq(sessions(), 0);
}

TEST(a_context_survives_exec_of_its_owner_unless_asked_otherwise)
{
	int fd = make_context();

	ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
}

TEST(a_descriptor_inherited_by_fork_is_the_same_context)
{
	struct child target = child_new();
	int fd = busy_context(), status;
	pid_t pid = fork();

	if (pid == 0) {
		/* failures here end the child with another status */
		_exit(try_load(fd, target.pid) || pfm_start(fd, NULL));
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	/* the child has gone, the context is the parent's as well */
	must_be(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, target.pid);
	child_call(&target, child_work, 10);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 10);
}

TEST(the_last_close_may_come_from_another_process)
{
	struct child target = child_new();
	int fd = busy_context_on(target.pid), gate[2];
	char byte = 0;
	pid_t pid;

	child_busy(&target);
	ck_assert_int_eq(pipe(gate), 0);
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		_exit(read(gate[0], &byte, 1) == 1 ? close(fd) : 1);
	}
	close(fd);
	ck_assert_uint_eq(sessions(), 1);
	ck_assert_int_eq(write(gate[1], &byte, 1), 1);
	waitpid(pid, NULL, 0);
	ck_assert_uint_eq(sessions(), 0);
	child_rest(&target);
}

static void send_descriptor(int socket, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec data = { &byte, 1 };
	struct msghdr header = { .msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control) };
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
	ck_assert_int_eq(sendmsg(socket, &header, 0), 1);
}

static int receive_descriptor(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec data = { &byte, 1 };
	struct msghdr header = { .msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control) };
	int fd;

	if (recvmsg(socket, &header, 0) != 1)
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof(fd));
	return fd;
}

TEST(a_descriptor_sent_through_a_socket_is_the_same_context)
{
	struct child target = child_new();
	int sockets[2], fd, status;
	pid_t pid;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	pid = fork();
	if (pid == 0) {
		fd = receive_descriptor(sockets[1]);
		if (pfm_start(fd, NULL) || pfm_stop(fd) || pfm_unload_context(fd))
			_exit(1);
		_exit(0);
	}
	fd = busy_context();
	load(fd, target.pid);
	send_descriptor(sockets[0], fd);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	must_be(fd, PFM_STATE_UNLOADED, 0, 0);
	close(fd);
	ck_assert_uint_eq(sessions(), 0);
}

/* In nobody's hands: closed while it is under way and nobody receives it. */
TEST(a_descriptor_lost_in_a_socket_is_closed)
{
	int sockets[2], fd = busy_context_on(thread_id());

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	send_descriptor(sockets[0], fd);
	close(fd);
	ck_assert_uint_eq(sessions(), 1);
	close(sockets[0]);
	close(sockets[1]);
	wait_until(sessions() == 0);
}

/* ---- several at once ------------------------------------------------------------------------ */

static void *hammer(void *argument)
{
	int fd = *(int *)argument, turn;
	pfarg_pmd_t pmds[2] = { { .reg_num = pmu()->pmds[0] },
				{ .reg_num = PFM_PMD_TASK_CLOCK } };
	intptr_t failures = 0;

	for (turn = 0; turn < 1000; turn++) {
		failures += pfm_start(fd, NULL) != 0;
		failures += pfm_read_pmds(fd, pmds, 2) != 0;
		failures += pfm_stop(fd) != 0;
		failures += pfm_write_pmds(fd, pmds, 2) != 0;
	}
	return (void *)failures;
}

TEST(two_threads_may_use_a_context_at_once)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	pthread_t threads[2];
	void *failures;
	size_t i;

	pmu();
	child_busy(&child);
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, hammer, &fd), 0);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], &failures);
		ck_assert_int_eq((intptr_t)failures, 0);
	}
	child_rest(&child);
	count_must_be_right(fd);
}

TEST(a_thread_of_the_own_process_can_be_watched)
{
	struct spinner spinner = { .roams = true };
	int fd = busy_context();

	spinner_begin(&spinner);
	load(fd, spinner.tid);
	must(fd, pfm_start(fd, NULL));
	wait_until(busy_count(fd) > 0);
	spinner_end(&spinner);
	must_end(fd);
	must_have_ended(fd, 0);
}

/* On another CPU than the test's; it never sleeps. */
static struct child spinning_elsewhere(void)
{
	struct child child;

	if (cpus_online() < 2)
		skip("one CPU only");
	child = child_new();
	child_call(&child, child_pin, 1);
	pin(0);
	child_busy(&child);
	return child;
}

/* /proc/PID/status: times it left the CPU. */
static uint64_t voluntary_switches(pid_t pid)
{
	char path[64];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	line = strstr(read_text(path), "\nvoluntary_ctxt_switches:");
	ck_assert_ptr_ne(line, NULL);
	return strtoull(line + strlen("\nvoluntary_ctxt_switches:"), NULL, 10);
}

TEST(a_thread_that_runs_elsewhere_is_counted_live_and_not_stopped)
{
	struct child child = spinning_elsewhere();
	uint64_t switches = voluntary_switches(child.pid);
	int fd = busy_context_on(child.pid), turn;
	uint64_t last = 0, value, turns;

	wait_until(busy_count(fd) > 0); /* it may have been preempted just now */
	for (turn = 0; turn < 200; turn++) {
		turns = child.page->turns;
		value = busy_count(fd);
		ck_assert_msg(value > last, "read %d: %ju after %ju", turn,
			      (uintmax_t)value, (uintmax_t)last);
		last = value;
		wait_until(child.page->turns > turns);
	}
	ck_assert_int_eq(thread_state(child.pid), 'R');
	ck_assert_uint_eq(voluntary_switches(child.pid), switches);
	must(fd, pfm_stop(fd));
	last = busy_count(fd);
	turns = child.page->turns;
	wait_until(child.page->turns > turns);
	ck_assert_uint_eq(busy_count(fd), last);
	child_rest(&child);
}

TEST(starting_and_stopping_a_thread_that_runs_elsewhere_takes_effect_at_once)
{
	struct child child = spinning_elsewhere();
	int fd = busy_context(), turn;
	uint64_t count, turns;

	load(fd, child.pid);
	for (turn = 0; turn < 50; turn++) {
		count = busy_count(fd);
		must(fd, pfm_start(fd, NULL));
		wait_until(busy_count(fd) > count);
		must(fd, pfm_stop(fd));
		count = busy_count(fd);
		turns = child.page->turns;
		wait_until(child.page->turns > turns);
		ck_assert_uint_eq(busy_count(fd), count);
	}
	child_rest(&child);
}

static uint64_t wander(uint64_t unused)
{
	unsigned int cpu = 0;

	(void)unused;
	while (!child_own_page()->stop) {
		pin(cpu ^= 1);
		child_own_page()->turns++;
	}
	return 0;
}

TEST(a_thread_that_changes_cpus_is_counted_live)
{
	struct child child;
	uint64_t last = 0, value;
	int fd, turn;

	if (cpus_online() < 2)
		skip("one CPU only");
	child = child_new();
	fd = busy_context();
	write_pmd(fd, PFM_PMD_CPU_MIGRATIONS, 0);
	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	child_begin(&child, wander, 0);
	for (turn = 0; turn < 2000; turn++) {
		value = busy_count(fd);
		ck_assert_msg(value >= last, "read %d: %ju after %ju", turn,
			      (uintmax_t)value, (uintmax_t)last);
		last = value;
	}
	wait_until(child.page->turns > 100);
	wait_until(busy_count(fd) > last);
	ck_assert_uint_gt(read_pmd(fd, PFM_PMD_CPU_MIGRATIONS), 50);
	child_rest(&child);
	count_must_be_right(fd);
}

TEST(a_sleeping_thread_is_counted_from_when_it_wakes)
{
	struct child child = child_new();
	int fd;

	wait_until(thread_state(child.pid) == 'S');
	fd = busy_context_on(child.pid);
	ck_assert_uint_eq(busy_count(fd), 0);
	ck_assert_uint_eq(busy_count(fd), 0);
	child_call(&child, child_work, 25);
	ck_assert_uint_gt(busy_count(fd), 0);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 25);
}

TEST(many_threads_can_be_watched_at_once)
{
	struct child children[16];
	int fds[COUNT(children)];
	uint64_t faults[COUNT(children)], counted;
	size_t i;

	for (i = 0; i < COUNT(children); i++)
		children[i] = child_new();
	for (i = 0; i < COUNT(children); i++)
		fds[i] = busy_context_on(children[i].pid);
	ck_assert_uint_eq(sessions(), COUNT(children));
	for (i = 0; i < COUNT(children); i++)
		child_begin(&children[i], child_work, 100 * (i + 1));
	for (i = 0; i < COUNT(children); i++)
		faults[i] = child_finish(&children[i]);
	for (i = 0; i < COUNT(children); i++) {
		must(fds[i], pfm_stop(fds[i]));
		counted = read_pmd(fds[i], PFM_PMD_MINOR_FAULTS);
		ck_assert_msg(counted >= faults[i] && counted < faults[i] + 80,
			      "child %zu made %ju faults, counted %ju", i,
			      (uintmax_t)faults[i], (uintmax_t)counted);
		ck_assert_uint_gt(busy_count(fds[i]), 0);
	}
}

/* ---- threads that cannot be watched ------------------------------------------------------- */

TEST(load_on_a_zombie_is_ebusy)
{
	struct child child = child_new();
	int fd = busy_context();

	ck_assert_int_eq(kill(child.pid, SIGKILL), 0);
	wait_until(thread_state(child.pid) == 'Z');
	must_fail(fd, try_load(fd, child.pid), EBUSY, PFM_REASON_THREAD_ENDED, NO_INDEX);
	waitpid(child.pid, NULL, 0);
	must_fail(fd, try_load(fd, child.pid), ESRCH, PFM_REASON_NO_THREAD, NO_INDEX);
	ck_assert_uint_eq(sessions(), 0);
	count_must_be_right(fd);
}

TEST(load_on_a_kernel_thread_is_eperm)
{
	const pid_t kthreadd = 2;
	int fd = busy_context();

	must_fail(fd, try_load(fd, kthreadd), EPERM, PFM_REASON_KERNEL_THREAD, NO_INDEX);
	ck_assert_uint_eq(sessions(), 0);
	count_must_be_right(fd);
}

/* Whoever comes first, either the load fails or the end is told. */
TEST(a_load_that_meets_the_end_of_its_thread_fails_or_is_told)
{
	unsigned int told = 0, failed = 0;
	int fd = busy_context(), turn;

	for (turn = 0; turn < 300; turn++) {
		pid_t pid = fork();

		if (pid == 0) {
			spin_turns(turn * 20);
			_exit(EXIT_SUCCESS);
		}
		spin_turns(turn * 10);
		if (try_load(fd, pid) == 0) {
			must_end(fd);
			told++;
		} else {
			ck_assert_msg(errno == EBUSY, "%s", strerror(errno));
			failed++;
		}
		must_be(fd, PFM_STATE_UNLOADED, 0, 0);
		must_be_silent(fd);
		waitpid(pid, NULL, 0);
	}
	ck_assert_uint_eq(told + failed, 300);
	ck_assert_uint_eq(sessions(), 0);
	count_must_be_right(fd);
}
