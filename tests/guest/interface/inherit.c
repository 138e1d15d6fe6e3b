// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inheritance: when a monitored thread creates a thread or a child process, a copy of the context
 * monitors the new thread. Most tests count page faults. The expected counts come from the kernel,
 * which counts the page faults of each process and of the children that the process has waited for.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "measure.h"
#include "status.h"

SUITE(inherit, 120);

static int inheriting(uint32_t flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	ck_assert_msg(fd != -1, "%s", sentence(-1));
	use_busy_counters(fd);
	return fd;
}

static int inheriting_here(uint32_t flags)
{
	int fd = inheriting(flags);

	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	return fd;
}

/* Returns the page faults of this process and of the children that it has waited for. */
static uint64_t faults_of_all(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return self.ru_minflt + children.ru_minflt;
}

static uint64_t counted_faults(int fd)
{
	return read_pmd(fd, PFM_PMD_MINOR_FAULTS);
}

/* Touches pages, and lets @generations generations of descendants do the same. */
static void descend(int generations)
{
	pid_t pid = 0;

	if (generations > 0)
		pid = fork_child(descend, generations - 1);
	touch_pages(300);
	if (pid && (waitpid(pid, NULL, 0) != pid))
		abort();
}

TEST(children_and_their_children_are_counted)
{
	int fd = inheriting(PFM_FL_INHERIT_ALL);
	uint64_t outer, inner;
	int i;

	load(fd, thread_id());
	outer = faults_of_all();
	must(fd, pfm_start(fd, NULL));
	inner = faults_of_all();
	for (i = 0; i < 20; i++)
		must_exit_well(fork_child(descend, 3));
	inner = faults_of_all() - inner;
	must(fd, pfm_stop(fd));
	outer = faults_of_all() - outer;
	ck_assert_uint_ge(inner, 20 * 4 * 300);
	/*
	 * In some kernels the tracepoint sched_process_exit, at which a copy ends, comes before the
	 * last page fault of the thread.
	 */
	must_be_between(counted_faults(fd), inner - 20 * 4, outer);
	ck_assert_uint_eq(status_of(fd).copies, 0);
	ck_assert_uint_eq(status_of(fd).not_followed, 0);
	must(fd, pfm_unload_context(fd));
	must_be_between(counted_faults(fd), inner - 20 * 4, outer);
}

/*
 * At user level the children execute almost nothing except this loop, so their instruction counts
 * are known.
 */
static void loop_a_million(int unused)
{
	(void)unused;
	loop(MILLION);
}

TEST(the_instructions_of_children_are_counted)
{
	const pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	uint64_t counts[2];
	int fd, i, run;

	need_known_instructions();
	fd = pfm_create_context((pfarg_ctx_t *)&ctx, NULL, NULL, 0);
	ck_assert_int_ne(fd, -1);
	use(fd, 0, instructions(AT_USER), 0);
	for (run = 0; run < 2; run++) {
		poke_pmd(fd, 0, 0);
		load(fd, thread_id());
		must(fd, pfm_start(fd, NULL));
		for (i = 0; i < 20; i++)
			must_exit_well(fork_child(loop_a_million, 0));
		must(fd, pfm_stop(fd));
		counts[run] = read_pmd(fd, 0);
		must(fd, pfm_unload_context(fd));
		ck_assert_uint_eq(read_pmd(fd, 0), counts[run]);
	}
	/* Outside of the loops, the children and the test itself execute few instructions. */
	must_be_between(counts[0], 20 * MILLION, 20 * MILLION + 20 * 50000);
	must_be_near(counts[1], counts[0], counts[0] / 1000);
}

/* ---- living copies ------------------------------------------------------------------------- */

static int go[2], done[2];
/*
 * The child inherits this descriptor and closes it. If the child did not close it, the context
 * would exist until the child ends.
 */
static int context_fd = -1;

/*
 * Touches pages, writes to the pipe @done, waits for a byte in the pipe @go, and touches pages
 * again.
 */
static void touch_and_wait(int pages)
{
	char byte = 0;

	close(context_fd);
	touch_pages(pages);
	if (write(done[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
		abort();
	touch_pages(pages);
}

static pid_t child_that_waits(int pages)
{
	pid_t pid;
	char byte;

	ck_assert_int_eq(pipe(go), 0);
	ck_assert_int_eq(pipe(done), 0);
	pid = fork_child(touch_and_wait, pages);
	ck_assert_int_eq(read(done[0], &byte, 1), 1);
	return pid;
}

static void let_go(pid_t pid)
{
	ck_assert_int_eq(write(go[1], "", 1), 1);
	must_exit_well(pid);
}

TEST(a_living_copy_is_part_of_each_read_and_counted_once)
{
	int fd = inheriting_here(PFM_FL_INHERIT_ALL);
	uint64_t before = counted_faults(fd), between, after;
	pid_t pid = child_that_waits(1000);

	ck_assert_uint_eq(status_of(fd).copies, 1);
	between = counted_faults(fd);
	must_be_between(between - before, 1000, 1999);
	must_be_between(counted_faults(fd) - between, 0, 100);
	let_go(pid);
	after = counted_faults(fd);
	must_be_between(after - before, 2000, 2999);
	ck_assert_uint_eq(status_of(fd).copies, 0);
}

TEST(a_copy_that_runs_is_part_of_each_read)
{
	int fd = inheriting(PFM_FL_INHERIT_ALL);
	uint64_t first, second;
	struct child child;

	need_cpus(2);
	pin(0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	child = child_new();
	child_call(&child, child_pin, 1);
	child_busy(&child);
	first = read_pmd(fd, pmu()->pmds[0]);
	wait_until(read_pmd(fd, PFM_PMD_TASK_CLOCK) > 100 * MS);
	second = read_pmd(fd, pmu()->pmds[0]);
	ck_assert_uint_gt(second, first);
	child_rest(&child);
	child_exit(&child);
	ck_assert_uint_ge(read_pmd(fd, pmu()->pmds[0]), second);
}

TEST(start_and_stop_reach_living_copies)
{
	int fd = inheriting_here(PFM_FL_INHERIT_ALL);
	pid_t pid = child_that_waits(1000);
	uint64_t stopped;

	must(fd, pfm_stop(fd));
	stopped = counted_faults(fd);
	let_go(pid);
	ck_assert_uint_eq(counted_faults(fd), stopped);
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_stop(fd));
	pid = child_that_waits(1000);
	ck_assert_uint_lt(counted_faults(fd), stopped + 100);
	stopped = counted_faults(fd);
	must(fd, pfm_start(fd, NULL));
	let_go(pid);
	must_be_between(counted_faults(fd) - stopped, 1000, 1999);
}

TEST(registers_do_not_change_while_copies_live)
{
	int fd = inheriting_here(PFM_FL_INHERIT_ALL);
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };
	pfarg_pmd_t pmd = { .reg_num = PFM_PMD_MINOR_FAULTS };
	pid_t pid = child_that_waits(10);

	must_fail(fd, pfm_write_pmcs(fd, &pmc, 1), EBUSY, PFM_REASON_COPIES, 0);
	must_fail_errno(pfm_write_pmds(fd, &pmd, 1), EBUSY);
	let_go(pid);
	must(fd, pfm_write_pmcs(fd, &pmc, 1));
	must(fd, pfm_stop(fd));
	/* A written value replaces the count of the context and the counts of its copies. */
	must(fd, pfm_write_pmds(fd, &pmd, 1));
	ck_assert_uint_eq(counted_faults(fd), 0);
}

/*
 * For child_call(): makes a child that does not end when its parent ends. Returns the pid of this
 * child.
 */
static uint64_t leave_a_child(uint64_t pages)
{
	struct child_page *page = child_own_page();
	sigset_t signals;
	int signal;
	pid_t pid;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	pid = fork();
	if (pid == 0) {
		touch_pages(pages);
		page->number = 1;
		sigwait(&signals, &signal);
		touch_pages(pages);
		_exit(EXIT_SUCCESS);
	}
	while (!page->number)
		usleep(1000);
	return pid;
}

TEST(copies_live_on_when_the_thread_of_the_context_ends)
{
	int fd = inheriting(PFM_FL_INHERIT_ALL);
	pfarg_setdesc_t set = { .set_id = 1 };
	struct child child = child_new();
	pid_t pid;

	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	pid = child_call(&child, leave_a_child, 1000);
	child_exit(&child);
	must_end(fd);
	must_have_status(fd, PFM_STATE_UNLOADED, 0, 0);
	ck_assert_uint_eq(status_of(fd).copies, 1);
	must_be_between(counted_faults(fd), 1000, 1999);
	must_fail(fd, try_load(fd, thread_id()), EBUSY, PFM_REASON_COPIES, NO_INDEX);
	must_fail(fd, pfm_create_evtsets(fd, &set, 1), EBUSY, PFM_REASON_COPIES,
		  NO_INDEX);
	ck_assert_int_eq(kill(pid, SIGUSR1), 0);
	wait_until(status_of(fd).copies == 0);
	must_be_between(counted_faults(fd), 2000, 2999);
	must(fd, pfm_create_evtsets(fd, &set, 1));
	load(fd, thread_id());
}

TEST(an_unload_ends_the_copies)
{
	int fd = inheriting_here(PFM_FL_INHERIT_ALL);
	pid_t pid = child_that_waits(1000);
	uint64_t count;

	ck_assert_uint_eq(sessions(), 2);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(sessions(), 0);
	count = counted_faults(fd);
	ck_assert_uint_ge(count, 1000);
	let_go(pid);
	ck_assert_uint_eq(counted_faults(fd), count);
}

TEST(a_close_ends_the_copies)
{
	int fd = inheriting_here(PFM_FL_INHERIT_ALL);
	pid_t pid;

	context_fd = fd;
	pid = child_that_waits(1000);
	close(fd);
	ck_assert_uint_eq(sessions(), 0);
	let_go(pid);
}

/* ---- threads ------------------------------------------------------------------------------- */

static void *touch_in_thread(void *unused)
{
	(void)unused;
	touch_pages(1000);
	return NULL;
}

static void run_thread(void)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, touch_in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

TEST(threads_are_counted_and_children_only_if_wished)
{
	int fd = inheriting_here(PFM_FL_INHERIT_THREADS);
	uint64_t before = counted_faults(fd);

	run_thread();
	must_be_between(counted_faults(fd) - before, 1000, 1999);
	before = counted_faults(fd);
	must_exit_well(fork_child(descend, 3));
	ck_assert_uint_lt(counted_faults(fd) - before, 300);
	close(fd);

	fd = inheriting_here(PFM_FL_INHERIT_ALL);
	before = counted_faults(fd);
	run_thread();
	must_be_between(counted_faults(fd) - before, 1000, 1999);
}

/* ---- event sets ---------------------------------------------------------------------------- */

#define SPINNING (80 * MS)

static void spin_a_while(int unused)
{
	(void)unused;
	while (cpu_time() < SPINNING)
		;
}

TEST(the_activity_of_sets_is_that_of_all_threads)
{
	int fd = inheriting(PFM_FL_INHERIT_ALL), i;
	pfarg_setdesc_t sets[2] = {};
	const uint64_t error = is_deterministic() ? interrupts_within(2 * SPINNING)
						  : HOST_PAUSE;
	uint64_t duration = 0;
	pid_t pids[2];

	for (i = 0; i < 2; i++) {
		sets[i].set_id = i;
		sets[i].set_flags = PFM_SETFL_TIME_SWITCH;
		sets[i].set_timeout = 5 * MS;
	}
	must(fd, pfm_create_evtsets(fd, sets, 2));
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < 2; i++)
		pids[i] = fork_child(spin_a_while, 0);
	for (i = 0; i < 2; i++)
		must_exit_well(pids[i]);
	must(fd, pfm_unload_context(fd));
	for (i = 0; i < 2; i++) {
		duration += set_of(fd, i).set_act_duration;
		ck_assert_uint_ge(set_of(fd, i).set_runs, 3);
	}
	ck_assert_uint_ge(duration, 2 * SPINNING - error);
}

/* The copies for the later children reuse the memory of the copies that have ended. */
TEST(each_child_adds_one_run_of_its_set)
{
	int fd = inheriting_here(PFM_FL_INHERIT_ALL), i;

	for (i = 0; i < 5; i++)
		must_exit_well(fork_child(descend, 0));
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(set_of(fd, 0).set_runs, 1 + 5);
}

/* ---- what is not followed ------------------------------------------------------------------- */

static char most[32];

static void restore_limit(void)
{
	write_text(SYSFS "max_copies", most);
}

TEST(the_limit_is_kept_and_what_is_not_followed_is_counted)
{
	int fd = inheriting_here(PFM_FL_INHERIT_ALL), i;
	uint64_t before, statistic_before = statistic("not_followed_count");
	pid_t pid;

	strcpy(most, read_text(SYSFS "max_copies"));
	write_text(SYSFS "max_copies", "1\n");
	pid = child_that_waits(10);
	before = counted_faults(fd);
	for (i = 0; i < 5; i++)
		must_exit_well(fork_child(descend, 0));
	restore_limit();
	ck_assert_uint_lt(counted_faults(fd) - before, 300);
	ck_assert_uint_eq(status_of(fd).copies, 1);
	ck_assert_uint_eq(status_of(fd).not_followed, 5);
	ck_assert_uint_eq(statistic("not_followed_count") - statistic_before, 5);
	let_go(pid);
	must_exit_well(fork_child(descend, 0));
	ck_assert_uint_eq(status_of(fd).not_followed, 5);
	must(fd, pfm_unload_context(fd));
	load(fd, thread_id());
	ck_assert_uint_eq(status_of(fd).not_followed, 0);
}

/*
 * The test reads the charged memory before the load, because on PREEMPT_RT the load allocates the
 * copies.
 */
TEST(the_memory_of_copies_is_charged)
{
	int fd = inheriting(PFM_FL_INHERIT_ALL);
	uint64_t before = read_number(SYSFS "set_mem_cur");
	pid_t pid;

	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	pid = child_that_waits(10);
	ck_assert_uint_gt(read_number(SYSFS "set_mem_cur"), before);
	let_go(pid);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(read_number(SYSFS "set_mem_cur"), before);
}

/* After the threads have ended, the core keeps the memory of 64 copies for later threads. */
TEST(the_memory_of_64_copies_is_kept)
{
	struct child children[70];
	uint64_t of_64 = 0;
	size_t i;

	inheriting_here(PFM_FL_INHERIT_ALL);
	for (i = 0; i < COUNT(children); i++) {
		children[i] = child_new();
		if (i + 1 == 64)
			of_64 = read_number(SYSFS "set_mem_cur");
	}
	ck_assert_uint_ge(read_number(SYSFS "set_mem_cur"), of_64);
	for (i = 0; i < COUNT(children); i++)
		child_exit(&children[i]);
	ck_assert_uint_eq(read_number(SYSFS "set_mem_cur"), of_64);
}

TEST(a_setuid_program_ends_the_copy_of_an_ordinary_loader)
{
	const char *program = copy_of_this(0, 04755);
	struct child child;
	int fd;

	become(USER_ID);
	fd = inheriting_here(PFM_FL_INHERIT_ALL);
	child = child_new();
	ck_assert_uint_eq(status_of(fd).copies, 1);
	child_exec(&child, "/proc/self/exe");
	ck_assert_uint_eq(status_of(fd).copies, 1);
	ck_assert_uint_eq(status_of(fd).closed_copies, 0);
	child_exec(&child, program);
	ck_assert_uint_eq(status_of(fd).copies, 0);
	ck_assert_uint_eq(status_of(fd).closed_copies, 1);
	/* The context itself stays loaded. */
	must_have_status(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, thread_id());
	child_exit(&child);
	unlink(program);
}

TEST(a_setuid_program_keeps_the_copy_of_a_privileged_loader)
{
	const char *program = copy_of_this(USER_ID, 04755);
	int fd = inheriting_here(PFM_FL_INHERIT_ALL);
	struct child child = child_new();
	uint64_t before;

	child_exec(&child, program);
	ck_assert_uint_eq(status_of(fd).copies, 1);
	ck_assert_uint_eq(status_of(fd).closed_copies, 0);
	before = counted_faults(fd);
	child_call(&child, child_work, 1000);
	ck_assert_uint_ge(counted_faults(fd) - before, 1000);
	child_exit(&child);
	unlink(program);
}

/* ---- arguments ----------------------------------------------------------------------------- */

TEST(flags_that_exclude_inheritance_are_refused)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL | PFM_FL_NOTIFY_BLOCK };

	must_fail_errno(pfm_create_context(&ctx, NULL, NULL, 0), EINVAL);
	ctx.ctx_flags = PFM_FL_INHERIT_THREADS | PFM_FL_SYSTEM_WIDE;
	must_fail_errno(pfm_create_context(&ctx, NULL, NULL, 0), EINVAL);
}

TEST(a_context_with_too_many_sets_is_not_inherited)
{
	int fd = inheriting(PFM_FL_INHERIT_ALL), i;
	pfarg_setdesc_t set = {};

	for (i = 1; i <= 64; i++) {
		set.set_id = i;
		must(fd, pfm_create_evtsets(fd, &set, 1));
	}
	must_fail(fd, try_load(fd, thread_id()), EINVAL, PFM_REASON_COPIED_SETS,
		  NO_INDEX);
	must(fd, pfm_delete_evtsets(fd, &set, 1));
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must_exit_well(fork_child(descend, 1));
	ck_assert_uint_ge(counted_faults(fd), 600);
}
