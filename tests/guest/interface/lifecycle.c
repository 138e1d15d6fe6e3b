// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the states of a context, and event set 0: docs/interface.md 1.6 to 1.14.
 */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "measure.h"
#include "status.h"

SUITE(lifecycle, 120);

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
	/*
	 * The kernel takes the two values from two clocks, and may update one of the clocks only at
	 * ticks. So the test tolerates a difference of 3 %.
	 */
	ck_assert_msg(clock > cpu / 100 * 97 && clock < cpu / 100 * 103,
		      "the task clock is %ju ns, the CPU time %ju ns", (uintmax_t)clock,
		      (uintmax_t)cpu);
}

TEST(the_states_follow_the_calls)
{
	int fd = busy_context();
	pid_t self = thread_id();

	must_have_status(fd, PFM_STATE_UNLOADED, 0, 0);
	load(fd, self);
	must_have_status(fd, PFM_STATE_LOADED, 0, self);
	must(fd, pfm_start(fd, NULL));
	must_have_status(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, self);
	must(fd, pfm_stop(fd));
	must_have_status(fd, PFM_STATE_LOADED, 0, self);
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_unload_context(fd));
	must_have_status(fd, PFM_STATE_UNLOADED, 0, 0);
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
	must_have_status(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, thread_id());
}

TEST(a_second_context_on_a_thread_is_eexist)
{
	struct child child = child_new();
	int fd = busy_context(), other = busy_context();

	load(fd, child.pid);
	must_fail(other, try_load(other, child.pid), EEXIST, PFM_REASON_THREAD_TAKEN,
		  NO_INDEX);
	must_have_status(other, PFM_STATE_UNLOADED, 0, 0);
	ck_assert_uint_eq(sessions(), 1);
	must(fd, pfm_unload_context(fd));
	load(other, child.pid);
	must_fail(fd, try_load(fd, child.pid), EEXIST, PFM_REASON_THREAD_TAKEN, NO_INDEX);
}

static uint64_t load_on_itself(uint64_t unused)
{
	(void)unused;
	load(make_context(), thread_id());
	return 0;
}

static uint64_t holder_of_the_thread(int fd)
{
	struct pfm_error error;

	must(fd, pfm_get_error(fd, &error));
	ck_assert_uint_eq(error.reason, PFM_REASON_THREAD_TAKEN);
	return error.value;
}

TEST(the_holder_of_a_thread_is_named)
{
	struct child child = child_new(), loader = child_new();
	int fd = make_context(), other = make_context();

	load(fd, child.pid);
	ck_assert_int_eq(try_load(other, child.pid), -1);
	ck_assert_uint_eq(holder_of_the_thread(other), (uint64_t)getpid());
	child_call(&loader, load_on_itself, 0);
	ck_assert_int_eq(try_load(other, loader.pid), -1);
	ck_assert_uint_eq(holder_of_the_thread(other), (uint64_t)loader.pid);
}

TEST(a_holder_that_has_ended_is_not_named)
{
	struct child child = child_new();
	int fd = make_context(), other = make_context(), pipes[2];
	pid_t loader;
	char byte;

	ck_assert_int_eq(pipe(pipes), 0);
	loader = fork();
	if (!loader) {
		load(fd, child.pid);
		if (write(pipes[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	ck_assert_int_eq(read(pipes[0], &byte, 1), 1);
	ck_assert_int_eq(try_load(other, child.pid), -1);
	ck_assert_uint_eq(holder_of_the_thread(other), (uint64_t)loader);
	ck_assert_int_eq(kill(loader, SIGKILL), 0);
	ck_assert_int_eq(waitpid(loader, NULL, 0), loader);
	ck_assert_int_eq(try_load(other, child.pid), -1);
	ck_assert_uint_eq(holder_of_the_thread(other), 0);
}

/*
 * This process loads a context on process 1 of a new pid namespace. Process 1 tries to load another
 * context on itself. Returns 0 if that second load fails and its error does not show the number of
 * this process.
 */
static uint64_t holder_seen_in_a_namespace(uint64_t unused)
{
	int fd = make_context(), pipes[2];
	uint64_t holder = UINT64_MAX;
	pid_t pid;

	(void)unused;
	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(unshare(CLONE_NEWPID), 0);
	pid = fork();
	if (!pid) {
		char byte;
		int inner = make_context();

		if (read(pipes[0], &byte, 1) == 1 && try_load(inner, 1) == -1)
			holder = holder_of_the_thread(inner);
		_exit(holder ? 1 : 0);
	}
	load(fd, pid);
	ck_assert_int_eq(write(pipes[1], "", 1), 1);
	waitpid(pid, &pipes[0], 0);
	return (uint64_t)pipes[0];
}

TEST(a_holder_outside_of_the_pid_namespace_is_not_named)
{
	struct child child = child_new();

	ck_assert_uint_eq(child_call(&child, holder_seen_in_a_namespace, 0), 0);
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

TEST(starting_a_started_context_changes_nothing)
{
	int fd = busy_context_on(thread_id());
	uint64_t before = busy_count(fd);

	must(fd, pfm_start(fd, NULL));
	must_have_status(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, thread_id());
	ck_assert_uint_ge(busy_count(fd), before);
	ck_assert_uint_eq(set_of(fd, 0).set_runs, 1);
	count_must_be_right(fd);
}

TEST(stopping_a_stopped_context_counts_no_time_twice)
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
	must_have_status(fd, PFM_STATE_LOADED, 0, thread_id());
}

TEST(values_continue_after_a_stop)
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

TEST(unload_of_a_started_context_keeps_the_counts)
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

	/* in a started context, the PMD continues from the value that is written */
	write_pmd(fd, first, 1ull << 60);
	spin_turns(1000);
	value = read_pmd(fd, first);
	ck_assert_uint_gt(value, 1ull << 60);
	ck_assert_uint_lt(value, 1ull << 61);
	/* if the PMC gets a value with which nothing is counted, the counter stops at once */
	write_pmc(fd, pmu()->pmcs[0], pmu()->quiet[0]);
	value = read_pmd(fd, first);
	spin_turns(1000);
	ck_assert_uint_eq(read_pmd(fd, first), value);
	/* if the PMC gets its earlier value again, the counter counts again */
	write_pmc(fd, pmu()->pmcs[0], pmu()->busy[0]);
	spin_turns(1000);
	ck_assert_uint_gt(read_pmd(fd, first), value);
	must(fd, pfm_stop(fd));
	write_pmd(fd, first, 5);
	ck_assert_uint_eq(read_pmd(fd, first), 5);
}

TEST(read_returns_the_value_last_loaded)
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
	/*
	 * The change has reset the PMCs to their default values. With these values, the PMUs of the
	 * guests count nothing.
	 */
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
	uint64_t inner, outer, duration;
	int fd;

	child_call(&child, child_pin, 0);
	outer = cpu_time_of(child.pid);
	fd = busy_context_on(child.pid);
	inner = child_call(&child, work, 100 * MILLION);
	usleep(300000); /* the child sleeps, so the duration does not grow */
	must(fd, pfm_stop(fd));
	outer = cpu_time_of(child.pid) - outer;
	duration = set_of(fd, 0).set_act_duration;
	must_be_cpu_time("the duration", duration, inner, outer);
	ck_assert_uint_eq(duration, read_pmd(fd, PFM_PMD_TASK_CLOCK));
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
