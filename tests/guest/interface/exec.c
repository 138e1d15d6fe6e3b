// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what happens to a context when its thread forks, or executes an ordinary program or a
 * setuid program.
 */
#include <pthread.h>

#include "status.h"

SUITE(exec, 120);

/* ---- exec and fork -------------------------------------------------------------------- */

TEST(an_exec_keeps_the_context_counting)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	uint64_t before, faults;

	before = child_call(&child, child_work, 10);
	child_exec(&child, "/proc/self/exe");
	must_have_status(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, child.pid);
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

/* A thread that calls exec gets the ID of the first thread of its process. */
TEST(a_context_ends_when_another_threads_exec_ends_its_thread)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);

	strcpy(child.page->text, "/proc/self/exe");
	ck_assert_uint_eq(child_call(&child, exec_in_thread, 0), 0);
	must_end(fd);
	must_have_status(fd, PFM_STATE_UNLOADED, 0, 0);
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
	/* the fork itself causes far fewer than 5000 faults */
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

TEST(a_setuid_program_ends_the_context_of_an_ordinary_loader)
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
	must_have_status(fd, PFM_STATE_UNLOADED, PFM_STATUS_CLOSED, 0);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), faults);
	must_fail(fd, try_load(fd, child.pid), EPERM, PFM_REASON_PERMISSION, NO_INDEX);
	unlink(program);
}

TEST(an_unreadable_program_ends_the_context_of_an_ordinary_loader)
{
	const char *program = copy_of_this(0, 0711);
	struct child child = child_new();
	int fd;

	child_call(&child, child_set_uid, USER_ID);
	become(USER_ID);
	fd = busy_context_on(child.pid);
	child_exec(&child, program);
	must_end(fd);
	must_have_status(fd, PFM_STATE_UNLOADED, PFM_STATUS_CLOSED, 0);
	must(fd, try_load(fd, child_new().pid));
	must_have_status(fd, PFM_STATE_LOADED, 0, status_of(fd).target);
	unlink(program);
}

TEST(an_ordinary_program_keeps_the_context_of_an_ordinary_loader)
{
	struct child child = child_new();
	int fd;

	child_call(&child, child_set_uid, USER_ID);
	become(USER_ID);
	fd = busy_context_on(child.pid);
	child_exec(&child, "/proc/self/exe");
	must_be_silent(fd);
	must_have_status(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, child.pid);
}

TEST(a_setuid_program_keeps_the_context_of_a_privileged_loader)
{
	const char *program = copy_of_this(OTHER_ID, 04755);
	struct child child = child_new();
	int fd;

	child_call(&child, child_set_uid, USER_ID);
	fd = busy_context_on(child.pid);
	child_exec(&child, program);
	must_be_silent(fd);
	must_have_status(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, child.pid);
	ck_assert_uint_ge(child_call(&child, child_work, 100), 100);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 100);
	unlink(program);
}

/* With CAP_PERFMON, a user may monitor the setuid program, but may not block it. */
TEST(a_setuid_program_ends_a_context_that_could_block_it)
{
	const char *program = copy_of_this(0, 04755);
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_NOTIFY_BLOCK };
	struct child child = child_new();
	int fd;

	child_call(&child, child_set_uid, USER_ID);
	become_with_capability(USER_ID, CAP_PERFMON);
	fd = pfm_create_context(&ctx, NULL, NULL, 0);
	ck_assert_int_ne(fd, -1);
	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	child_exec(&child, program);
	must_end(fd);
	must_fail(fd, try_load(fd, child.pid), EPERM, PFM_REASON_MAY_NOT_BLOCK, NO_INDEX);
	unlink(program);
}
