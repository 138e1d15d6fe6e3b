// SPDX-License-Identifier: GPL-2.0-only
/* Who may watch whom: docs/interface.md 10, rows 24 and 25. */
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "guest.h"

SUITE(permission, 60);

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

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

TEST(a_user_may_watch_himself)
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

TEST(a_user_may_watch_his_threads_even_if_not_dumpable)
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

TEST(a_user_may_watch_his_processes)
{
	struct child child = child_of_user(USER_ID);

	become(USER_ID);
	must_watch(&child);
}

TEST(a_user_may_not_watch_another_ones_process)
{
	struct child child = child_of_user(OTHER_ID);

	become(USER_ID);
	must_not_watch(&child);
}

TEST(a_user_may_not_watch_roots_process)
{
	struct child child = child_new();

	become(USER_ID);
	must_not_watch(&child);
}

TEST(a_user_may_not_watch_a_process_that_is_not_dumpable)
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

TEST(a_user_may_not_watch_who_has_capabilities_that_he_lacks)
{
	struct child child = child_new();

	child_call(&child, set_uid_with_capability, USER_ID);
	become(USER_ID);
	must_not_watch(&child);
}

TEST(root_may_watch_everybody)
{
	struct child child = child_of_user(USER_ID);

	ck_assert_uint_eq(child_call(&child, child_set_dumpable, 0), 0);
	must_watch(&child);
}

TEST(who_has_cap_perfmon_may_watch_everybody)
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

TEST(nobody_may_watch_a_kernel_thread)
{
	const pid_t kthreadd = 2;
	int fd;

	become_with_capability(USER_ID, CAP_PERFMON);
	fd = busy_context();
	must_fail(fd, try_load(fd, kthreadd), EPERM, PFM_REASON_KERNEL_THREAD, NO_INDEX);
}

/* The descriptor was root's: what counts is who calls. */
TEST(a_context_made_by_root_gives_no_permission_to_a_user)
{
	struct child child = child_of_user(OTHER_ID);
	int fd = busy_context();

	become(USER_ID);
	must_fail(fd, try_load(fd, child.pid), EPERM, PFM_REASON_PERMISSION, NO_INDEX);
	load(fd, thread_id());
}

/* ---- task_group ------------------------------------------------------------------- */

static void set_task_group(int group)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", group);
	write_text(SYSFS "task_group", text);
}

/* Runs in a child, because it cannot go back to be root. */
struct person {
	const char *name;
	uint64_t (*function)(uint64_t unused);
	uint64_t error;
};

static uint64_t try_create(void)
{
	pfarg_ctx_t ctx = {};
	struct pfm_error error;
	int fd = pfm_create_context(&ctx, NULL, NULL, 0), cause = errno;

	if (fd != -1) {
		close(fd);
		return 0;
	}
	if (cause == EPERM &&
	    (pfm_get_error(-1, &error) || error.reason != PFM_REASON_GROUP))
		return 1000 + error.reason;
	return cause;
}

static uint64_t as_user(uint64_t unused)
{
	(void)unused;
	become(USER_ID);
	return try_create();
}

static uint64_t as_member(uint64_t unused)
{
	(void)unused;
	become(OTHER_ID);
	return try_create();
}

static uint64_t as_supplementary_member(uint64_t unused)
{
	const gid_t group = OTHER_ID;

	(void)unused;
	if (setgroups(1, &group) || setresgid(USER_ID, USER_ID, USER_ID) ||
	    setresuid(USER_ID, USER_ID, USER_ID))
		return errno;
	return try_create();
}

static uint64_t as_cap_perfmon(uint64_t unused)
{
	(void)unused;
	become_with_capability(USER_ID, CAP_PERFMON);
	return try_create();
}

static uint64_t as_root(uint64_t unused)
{
	(void)unused;
	return try_create();
}

static const struct person people[] = {
	{ "a user", as_user, EPERM },
	{ "a member", as_member, 0 },
	{ "a supplementary member", as_supplementary_member, 0 },
	{ "a holder of CAP_PERFMON", as_cap_perfmon, 0 },
	{ "root", as_root, 0 },
};

TEST(only_members_of_task_group_may_make_contexts)
{
	uint64_t errors[COUNT(people)];
	size_t i;

	set_task_group(OTHER_ID);
	for (i = 0; i < COUNT(people); i++) {
		struct child child = child_new();

		errors[i] = child_call(&child, people[i].function, 0);
	}
	set_task_group(-1);
	for (i = 0; i < COUNT(people); i++)
		ck_assert_msg(errors[i] == people[i].error, "%s: error %ju, not %ju",
			      people[i].name, (uintmax_t)errors[i],
			      (uintmax_t)people[i].error);
}

TEST(without_task_group_everybody_may_make_contexts)
{
	uint64_t error;
	size_t i;

	ck_assert_str_eq(read_text(SYSFS "task_group"), "-1\n");
	for (i = 0; i < COUNT(people); i++) {
		struct child child = child_new();

		error = child_call(&child, people[i].function, 0);
		ck_assert_msg(!error, "%s: error %ju", people[i].name, (uintmax_t)error);
	}
}
