// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests PFM_IOC_READ_THREAD, which reads the counts of each thread that a context with copies has
 * monitored.
 *
 * The tests count page faults. Each child of run_children() touches a different number of pages, so
 * a count shows to which child it belongs.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "measure.h"
#include "status.h"

SUITE(thread_counts, 120);

#define CHILDREN 5
#define PAGES	 100

static int make(uint32_t flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	ck_assert_msg(fd != -1, "%s", sentence(-1));
	use_busy_counters(fd);
	return fd;
}

static int start_here(int fd)
{
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	return fd;
}

static int keeping_here(void)
{
	return start_here(make(PFM_FL_INHERIT_ALL | PFM_FL_KEEP_COUNTS));
}

/* Gives the calling process a name that contains @n, and touches (@n + 1) * PAGES pages. */
static void name_and_touch(int n)
{
	char name[16];

	snprintf(name, sizeof(name), "child-%d", n);
	prctl(PR_SET_NAME, name);
	touch_pages((n + 1) * PAGES);
}

/* Makes children that run one after the other. */
static void run_children(pid_t *pids, int count)
{
	int n;

	for (n = 0; n < count; n++) {
		pids[n] = fork_child(name_and_touch, n);
		must_exit_well(pids[n]);
	}
}

static uint64_t counted_faults(int fd)
{
	return read_pmd(fd, PFM_PMD_MINOR_FAULTS);
}

/* ---- reading ------------------------------------------------------------------------------- */

struct thread {
	struct pfm_thread_counts counts;
	uint64_t faults;
};

static int try_read(int fd, uint32_t which, struct thread *thread)
{
	pfarg_pmr_t pmr = { .reg_num = PFM_PMD_MINOR_FAULTS };
	int result;

	thread->counts = (struct pfm_thread_counts){
		.address = (uintptr_t)&pmr,
		.count = 1,
		.which = which,
	};
	result = pfm_read_thread(fd, &thread->counts);
	thread->faults = pmr.reg_value;
	return result;
}

static struct thread read_ended(int fd)
{
	struct thread thread;

	must(fd, try_read(fd, PFM_THREAD_ENDED, &thread));
	return thread;
}

static struct thread read_own(int fd)
{
	struct thread thread;

	must(fd, try_read(fd, PFM_THREAD_OWN, &thread));
	return thread;
}

static void must_be_read(int fd)
{
	struct thread thread;

	must_fail(fd, try_read(fd, PFM_THREAD_ENDED, &thread), ENOENT,
		  PFM_REASON_NO_COUNTS, NO_INDEX);
}

/*
 * A child has a few more page faults than touch_pages() causes, for example at its first write to a
 * page that it shares with its parent.
 */
static void must_be_child(struct thread thread, pid_t pid, int n)
{
	char name[16];

	snprintf(name, sizeof(name), "child-%d", n);
	ck_assert_int_eq(thread.counts.tid, pid);
	ck_assert_int_eq(thread.counts.tgid, pid);
	ck_assert_str_eq(thread.counts.name, name);
	must_be_between(thread.faults, (n + 1) * PAGES, (n + 2) * PAGES - 1);
}

TEST(each_child_has_its_own_counts_in_the_order_of_their_ends)
{
	int fd = keeping_here(), n;
	pid_t pids[CHILDREN];
	uint64_t sum = 0;

	run_children(pids, CHILDREN);
	must(fd, pfm_stop(fd));
	for (n = 0; n < CHILDREN; n++) {
		const struct thread thread = read_ended(fd);

		must_be_child(thread, pids[n], n);
		sum += thread.faults;
	}
	must_be_read(fd);
	ck_assert_uint_eq(read_own(fd).faults + sum, counted_faults(fd));
	ck_assert_uint_eq(status_of(fd).dropped_counts, 0);
}

TEST(the_own_thread_is_read_without_its_copies)
{
	int fd = keeping_here();
	struct thread thread;
	uint64_t before;
	pid_t pids[2];

	prctl(PR_SET_NAME, "the-own-thread");
	before = read_own(fd).faults;
	run_children(pids, 2);
	touch_pages(7 * PAGES);
	must(fd, pfm_stop(fd));
	thread = read_own(fd);
	ck_assert_int_eq(thread.counts.tid, thread_id());
	ck_assert_int_eq(thread.counts.tgid, getpid());
	ck_assert_str_eq(thread.counts.name, "the-own-thread");
	/*
	 * After a fork, the parent shares pages with the child. The parent's first write to each of
	 * these pages causes a fault.
	 */
	must_be_between(thread.faults - before, 7 * PAGES, 9 * PAGES);
	/* The kernel reports the name that the thread had when the context was unloaded. */
	must(fd, pfm_unload_context(fd));
	prctl(PR_SET_NAME, "another-name");
	ck_assert_str_eq(read_own(fd).counts.name, "the-own-thread");
	ck_assert_uint_eq(read_own(fd).faults, thread.faults);
}

TEST(any_context_of_a_thread_has_counts_of_its_own)
{
	static const uint32_t flags[] = { 0, PFM_FL_INHERIT_ALL };

	for (int i = 0; i < 2; i++) {
		int fd = start_here(make(flags[i]));
		struct thread thread;

		touch_pages(7 * PAGES);
		must(fd, pfm_stop(fd));
		thread = read_own(fd);
		ck_assert_int_eq(thread.counts.tid, thread_id());
		ck_assert_int_eq(thread.counts.tgid, getpid());
		must_be_between(thread.faults, 7 * PAGES, 8 * PAGES - 1);
		must(fd, pfm_unload_context(fd));
		ck_assert_uint_eq(read_own(fd).faults, counted_faults(fd));
		must(fd, close(fd));
	}
}

TEST(a_system_wide_context_has_no_thread)
{
	pfarg_pmr_t value = { .reg_num = PFM_PMD_MINOR_FAULTS };
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_SYSTEM_WIDE };
	struct pfm_thread_counts counts = { .address = (uintptr_t)&value,
					    .which = PFM_THREAD_OWN };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	ck_assert_msg(fd != -1, "%s", sentence(-1));
	must_fail(fd, pfm_read_thread(fd, &counts), EINVAL, PFM_REASON_KEEPS_NO_COUNTS,
		  NO_INDEX);
}

static void *touch_in_thread(void *tid)
{
	*(pid_t *)tid = thread_id();
	prctl(PR_SET_NAME, "a-thread");
	touch_pages(PAGES);
	return NULL;
}

TEST(a_thread_has_its_number_and_that_of_its_process)
{
	int fd = start_here(make(PFM_FL_INHERIT_THREADS | PFM_FL_KEEP_COUNTS));
	struct thread thread;
	pthread_t id;
	pid_t tid;

	ck_assert_int_eq(pthread_create(&id, NULL, touch_in_thread, &tid), 0);
	pthread_join(id, NULL);
	wait_until(status_of(fd).copies == 0);
	thread = read_ended(fd);
	ck_assert_int_eq(thread.counts.tid, tid);
	ck_assert_int_eq(thread.counts.tgid, getpid());
	ck_assert_str_eq(thread.counts.name, "a-thread");
	must_be_between(thread.faults, PAGES, 2 * PAGES - 1);
}

/* ---- the end of a copy ------------------------------------------------------------------- */

TEST(an_unload_ends_living_threads_with_their_counts)
{
	int fd = keeping_here();
	struct child child = child_new();
	struct thread thread;

	child_call(&child, child_work, PAGES);
	must_be_read(fd);
	must(fd, pfm_unload_context(fd));
	thread = read_ended(fd);
	ck_assert_int_eq(thread.counts.tid, child.pid);
	ck_assert_uint_ge(thread.faults, PAGES);
	must_be_read(fd);
	ck_assert_uint_eq(read_own(fd).faults + thread.faults, counted_faults(fd));
	child_exit(&child);
}

TEST(a_load_drops_the_counts_of_the_load_before)
{
	uint64_t memory;
	pid_t pids[2];
	int fd = make(PFM_FL_INHERIT_ALL | PFM_FL_KEEP_COUNTS);

	memory = read_number(SYSFS "set_mem_cur");
	start_here(fd);
	run_children(pids, 2);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_gt(read_number(SYSFS "set_mem_cur"), memory);
	load(fd, thread_id());
	must_be_read(fd);
	ck_assert_uint_eq(status_of(fd).dropped_counts, 0);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(read_number(SYSFS "set_mem_cur"), memory);
}

TEST(counts_that_are_read_after_an_unload_leave_no_memory)
{
	int fd = make(PFM_FL_INHERIT_ALL | PFM_FL_KEEP_COUNTS);
	uint64_t memory = read_number(SYSFS "set_mem_cur");
	pid_t pids[2];

	start_here(fd);
	run_children(pids, 2);
	must(fd, pfm_unload_context(fd));
	read_ended(fd);
	read_ended(fd);
	ck_assert_uint_eq(read_number(SYSFS "set_mem_cur"), memory);
}

TEST(a_close_frees_the_counts_that_nobody_read)
{
	uint64_t memory = read_number(SYSFS "set_mem_cur");
	pid_t pids[2];
	int fd = keeping_here();

	run_children(pids, 2);
	close(fd);
	ck_assert_uint_eq(read_number(SYSFS "set_mem_cur"), memory);
}

TEST(the_program_that_a_loader_may_not_monitor_leaves_the_counts_before_it)
{
	const char *program = copy_of_this(0, 04755);
	struct thread thread;
	struct child child;
	int fd;

	become(USER_ID);
	fd = keeping_here();
	child = child_new();
	child_call(&child, child_work, PAGES);
	child_exec(&child, program);
	thread = read_ended(fd);
	ck_assert_int_eq(thread.counts.tid, child.pid);
	ck_assert_uint_ge(thread.faults, PAGES);
	must_be_read(fd);
	child_exit(&child);
	must_be_read(fd);
	unlink(program);
}

/* ---- limits -------------------------------------------------------------------------------- */

static void reach_the_limit(void)
{
	int fd = keeping_here(), n;
	pid_t pids[CHILDREN];
	uint64_t sum = 0;

	write_text(SYSFS "max_copies", "2\n");
	run_children(pids, CHILDREN);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(status_of(fd).dropped_counts, CHILDREN - 2);
	ck_assert_uint_eq(status_of(fd).not_followed, 0);
	for (n = CHILDREN - 2; n < CHILDREN; n++) {
		const struct thread thread = read_ended(fd);

		must_be_child(thread, pids[n], n);
		sum += thread.faults;
	}
	must_be_read(fd);
	/*
	 * The count of the context still includes the first three children, although their own
	 * counts were dropped.
	 */
	sum += (1 + 2 + 3) * PAGES;
	must_be_between(counted_faults(fd) - read_own(fd).faults, sum, sum + 3 * PAGES);
}

TEST(at_the_limit_of_copies_the_first_counts_are_dropped)
{
	with_limits_back(reach_the_limit);
}

#define MANY 60

static void use_up_the_memory(void)
{
	unsigned int kept = 0;
	struct thread thread;
	int fd, n;

	write_text(SYSFS "set_user_max", "65536\n");
	become(USER_ID);
	fd = keeping_here();
	for (n = 0; n < MANY; n++)
		must_exit_well(fork_child(name_and_touch, 0));
	ck_assert_uint_gt(status_of(fd).dropped_counts, 0);
	ck_assert_uint_eq(status_of(fd).not_followed, 0);
	while (try_read(fd, PFM_THREAD_ENDED, &thread) == 0)
		kept++;
	ck_assert_uint_eq(status_of(fd).dropped_counts + kept, MANY);
}

TEST(without_memory_a_new_thread_gets_that_of_the_first_counts)
{
	with_limits_back(use_up_the_memory);
}

/* ---- values -------------------------------------------------------------------------------- */

TEST(values_that_are_not_added_up_are_zero)
{
	int fd = make(PFM_FL_INHERIT_ALL | PFM_FL_KEEP_COUNTS);
	const unsigned int counter = pmu()->pmds[0];
	pfarg_pmd_t periodic = { .reg_num = counter,
				 .reg_value = -1ull << 40,
				 .reg_short_reset = -1ull << 40 };
	pfarg_pmd_t time = { .reg_num = PFM_PMD_MONOTONIC_TIME };
	pfarg_pmr_t values[] = {
		{ .reg_num = counter, .reg_value = 1 },
		{ .reg_num = PFM_PMD_MONOTONIC_TIME, .reg_value = 1 },
		{ .reg_num = PFM_PMD_MINOR_FAULTS, .reg_value = 1 },
	};
	struct pfm_thread_counts counts = {
		.address = (uintptr_t)values,
		.count = 3,
		.which = PFM_THREAD_ENDED,
	};
	pid_t pid;

	must(fd, pfm_write_pmds(fd, &periodic, 1));
	must(fd, pfm_write_pmds(fd, &time, 1));
	start_here(fd);
	run_children(&pid, 1);
	must(fd, pfm_read_thread(fd, &counts));
	ck_assert_uint_eq(values[0].reg_value, 0);
	ck_assert_uint_eq(values[1].reg_value, 0);
	ck_assert_uint_ge(values[2].reg_value, PAGES);
}

TEST(a_thread_has_values_of_each_set)
{
	int fd = make(PFM_FL_INHERIT_ALL | PFM_FL_KEEP_COUNTS);
	pfarg_setdesc_t set = { .set_id = 1 };
	pfarg_pmd_t faults = { .reg_num = PFM_PMD_MINOR_FAULTS, .reg_set = 1 };
	pfarg_pmr_t values[] = {
		{ .reg_num = PFM_PMD_MINOR_FAULTS },
		{ .reg_num = PFM_PMD_MINOR_FAULTS, .reg_set = 1 },
		{ .reg_num = PFM_PMD_MINOR_FAULTS },
	};
	struct pfm_thread_counts counts = {
		.address = (uintptr_t)values,
		.count = 3,
		.which = PFM_THREAD_ENDED,
	};
	pfarg_start_t start = { .start_set = 1 };
	pid_t pid;

	must(fd, pfm_create_evtsets(fd, &set, 1));
	must(fd, pfm_write_pmds(fd, &faults, 1));
	load(fd, thread_id());
	must(fd, pfm_start(fd, &start));
	run_children(&pid, 1);
	must(fd, pfm_unload_context(fd));
	/*
	 * The counts of the child include all sets that existed when the context was loaded, even
	 * if a set is deleted before the counts are read.
	 */
	must(fd, pfm_delete_evtsets(fd, &set, 1));
	must(fd, pfm_read_thread(fd, &counts));
	ck_assert_uint_eq(values[0].reg_value, 0);
	ck_assert_uint_ge(values[1].reg_value, PAGES);
	ck_assert_uint_eq(values[2].reg_value, 0);
}

/* ---- arguments ----------------------------------------------------------------------------- */

TEST(counts_are_kept_only_with_copies)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_KEEP_COUNTS };
	struct thread thread;
	int fd;

	must_fail_errno(pfm_create_context(&ctx, NULL, NULL, 0), EINVAL);
	fd = start_here(make(PFM_FL_INHERIT_ALL));
	must_fail(fd, try_read(fd, PFM_THREAD_ENDED, &thread), EINVAL,
		  PFM_REASON_KEEPS_NO_COUNTS, NO_INDEX);
}

static int read_with(int fd, struct pfm_thread_counts counts)
{
	return pfm_read_thread(fd, &counts);
}

TEST(a_failed_call_leaves_the_counts)
{
	pfarg_pmr_t good = { .reg_num = PFM_PMD_MINOR_FAULTS }, bad[2] = { good, good };
	const struct pfm_thread_counts ended = {
		.address = (uintptr_t)bad,
		.count = 2,
		.which = PFM_THREAD_ENDED,
	};
	struct pfm_thread_counts counts = ended;
	int fd = keeping_here();
	pid_t pids[2];

	run_children(pids, 2);
	counts.which = PFM_THREAD_ENDED + 1;
	must_fail(fd, read_with(fd, counts), EINVAL, PFM_REASON_RESERVED, NO_INDEX);
	counts = ended;
	counts.reserved2[1] = 1;
	must_fail(fd, read_with(fd, counts), EINVAL, PFM_REASON_RESERVED, NO_INDEX);
	counts = ended;
	counts.count = -1;
	must_fail(fd, read_with(fd, counts), EINVAL, PFM_REASON_COUNT, NO_INDEX);
	bad[1].reg_num = PFM_PMD_MAJOR_FAULTS;
	must_fail(fd, read_with(fd, ended), EINVAL, PFM_REASON_PMD_UNUSED, 1);
	bad[1] = good;
	bad[1].reg_set = 1;
	must_fail(fd, read_with(fd, ended), EINVAL, PFM_REASON_NO_SET, 1);
	bad[1] = good;
	bad[1].reg_flags = 1;
	must_fail(fd, read_with(fd, ended), EINVAL, PFM_REASON_FLAGS, 1);
	counts = ended;
	counts.address = 8;
	must_fail(fd, read_with(fd, counts), EFAULT, PFM_REASON_FAULT, NO_INDEX);
	must_be_child(read_ended(fd), pids[0], 0);
	must_be_child(read_ended(fd), pids[1], 1);
	must_be_read(fd);
}

/*
 * The command of an ioctl contains its number and the size of its structure. So a call with a
 * longer structure has another command, but the same number. See "How it grows" in perfmon_ioctl.h.
 */
TEST(the_structure_may_become_longer)
{
	const unsigned int number = _IOC_NR(PFM_IOC_READ_THREAD);
	struct {
		struct pfm_thread_counts counts;
		uint64_t more;
	} longer = { .counts.which = PFM_THREAD_OWN };
	int fd = keeping_here();

	must(fd, ioctl(fd, _IOWR(PFM_IOC_TYPE, number, longer), &longer));
	ck_assert_int_eq(longer.counts.tid, thread_id());
	longer.more = 1;
	must_fail(fd, ioctl(fd, _IOWR(PFM_IOC_TYPE, number, longer), &longer), E2BIG,
		  PFM_REASON_TAIL, NO_INDEX);
	must_fail(fd, ioctl(fd, _IOWR(PFM_IOC_TYPE, number, uint64_t), &longer), EINVAL,
		  PFM_REASON_SIZE, NO_INDEX);
}

/* ---- races ------------------------------------------------------------------------------- */

#define RACING 200

static void make_children(int count)
{
	int n;

	for (n = 0; n < count; n++)
		must_exit_well(fork_child(name_and_touch, 0));
}

#define MAKERS 2

/*
 * While children start and exit, the test reads the counts of each thread that has ended, and the
 * sum of all counts.
 */
TEST(each_thread_is_read_once_while_threads_end)
{
	int fd = keeping_here(), n;
	unsigned int ended = 0;
	pid_t makers[MAKERS];
	struct thread thread;
	uint64_t sum = 0;

	for (n = 0; n < MAKERS; n++)
		makers[n] = fork_child(make_children, RACING);
	while (ended < MAKERS * (RACING + 1)) {
		if (try_read(fd, PFM_THREAD_ENDED, &thread)) {
			ck_assert_int_eq(errno, ENOENT);
			counted_faults(fd);
			sched_yield();
			continue;
		}
		ended++;
		sum += thread.faults;
	}
	for (n = 0; n < MAKERS; n++)
		must_exit_well(makers[n]);
	must(fd, pfm_stop(fd));
	must_be_read(fd);
	ck_assert_uint_ge(sum, MAKERS * RACING * PAGES);
	/* No counts were dropped for lack of memory. */
	ck_assert_uint_eq(status_of(fd).dropped_counts, 0);
	ck_assert_uint_eq(status_of(fd).not_followed, 0);
	ck_assert_uint_eq(read_own(fd).faults + sum, counted_faults(fd));
}
