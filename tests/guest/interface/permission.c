// SPDX-License-Identifier: GPL-2.0-only
/* Tests which threads a user may monitor: docs/interface.md, rows 24 and 25 of section 10. */
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "guest.h"

SUITE(permission, 60);

#define NO_INDEX PFM_NO_INDEX

static struct child child_of_user(uid_t uid)
{
	struct child child = child_new();

	child_call(&child, child_set_uid, uid);
	return child;
}

static void must_watch(const struct child *child)
{
	int fd = busy_context_on(child->pid);
	uint64_t faults = child_call(child, child_work, 20);

	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), faults);
	close(fd);
}

static void must_not_watch(const struct child *child)
{
	int fd = busy_context();

	must_fail(fd, try_load(fd, child->pid), EPERM, PFM_REASON_PERMISSION, NO_INDEX);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_UNLOADED);
	ck_assert_uint_eq(sessions(), 0);
	count_must_be_right(fd);
	close(fd);
}

TEST(everybody_may_open_the_device)
{
	struct stat status;

	ck_assert_int_eq(stat(PFM_DEVICE, &status), 0);
	ck_assert_uint_eq(status.st_mode, S_IFCHR | 0666);
}

TEST(a_user_may_monitor_the_own_thread)
{
	become(USER_ID);
	count_must_be_right(make_context());
}

static void *wait_for_end(void *argument)
{
	__atomic_store_n((pid_t *)argument, thread_id(), __ATOMIC_RELEASE);
	pause();
	return NULL;
}

TEST(a_user_may_monitor_own_threads_even_if_not_dumpable)
{
	pthread_t thread;
	pid_t tid = 0;
	int fd;

	become(USER_ID);
	prctl(PR_SET_DUMPABLE, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_end, &tid), 0);
	wait_until(__atomic_load_n(&tid, __ATOMIC_ACQUIRE));
	fd = busy_context_on(tid);
	close(fd);
	count_must_be_right(make_context());
}

TEST(a_user_may_monitor_own_processes)
{
	struct child child = child_of_user(USER_ID);

	become(USER_ID);
	must_watch(&child);
}

TEST(a_user_may_not_monitor_another_users_process)
{
	struct child child = child_of_user(OTHER_ID);

	become(USER_ID);
	must_not_watch(&child);
}

TEST(a_user_may_not_monitor_roots_process)
{
	struct child child = child_new();

	become(USER_ID);
	must_not_watch(&child);
}

TEST(a_user_may_not_monitor_a_process_that_is_not_dumpable)
{
	struct child child = child_of_user(USER_ID);

	ck_assert_uint_eq(child_call(&child, child_set_dumpable, 0), 0);
	become(USER_ID);
	must_not_watch(&child);
	ck_assert_uint_eq(child_call(&child, child_set_dumpable, 1), 0);
	must_watch(&child);
}

static uint64_t set_uid_with_capability(uint64_t uid)
{
	become_with_capability(uid, CAP_NET_RAW);
	return 0;
}

TEST(a_user_may_not_monitor_a_process_with_more_capabilities)
{
	struct child child = child_new();

	child_call(&child, set_uid_with_capability, USER_ID);
	become(USER_ID);
	must_not_watch(&child);
}

TEST(root_may_monitor_everybody)
{
	struct child child = child_of_user(USER_ID);

	ck_assert_uint_eq(child_call(&child, child_set_dumpable, 0), 0);
	must_watch(&child);
}

TEST(cap_perfmon_may_monitor_everybody)
{
	struct child child = child_of_user(OTHER_ID);

	ck_assert_uint_eq(child_call(&child, child_set_dumpable, 0), 0);
	become_with_capability(USER_ID, CAP_PERFMON);
	must_watch(&child);
}

TEST(another_capability_does_not_help)
{
	struct child child = child_of_user(OTHER_ID);

	become_with_capability(USER_ID, CAP_NET_RAW);
	must_not_watch(&child);
}

TEST(nobody_may_monitor_a_kernel_thread)
{
	const pid_t kthreadd = 2;
	int fd;

	become_with_capability(USER_ID, CAP_PERFMON);
	fd = busy_context();
	must_fail(fd, try_load(fd, kthreadd), EPERM, PFM_REASON_KERNEL_THREAD, NO_INDEX);
}

/*
 * Root created the context, but the permissions of the user who loads it decide which threads it
 * can monitor.
 */
TEST(a_context_made_by_root_gives_no_permission_to_a_user)
{
	struct child child = child_of_user(OTHER_ID);
	int fd = busy_context();

	become(USER_ID);
	must_fail(fd, try_load(fd, child.pid), EPERM, PFM_REASON_PERMISSION, NO_INDEX);
	load(fd, thread_id());
}
