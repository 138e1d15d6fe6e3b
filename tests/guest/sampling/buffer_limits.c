// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the limits of the memory for sampling buffers: the limit per user, and the limit for all
 * users together.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "samples.h"

SUITE(buffer_limits, 120);

#define DEAD_CHILDREN 64

/* Sets the limit of locked memory of this process. Its future children inherit the limit. */
static void limit_locked_memory(uint64_t bytes)
{
	const struct rlimit limit = { bytes, bytes };

	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
}

static void must_be_over(uint64_t size, unsigned int reason)
{
	uint64_t current = read_number(MEM_CUR);

	must_fail(-1, try_default(0, size), ENOMEM, reason, NO_INDEX);
	ck_assert_uint_eq(read_number(MEM_CUR), current);
}

/* ---- a user's share ------------------------------------------------------------------- */

/* For the limits, the size of a buffer is rounded up to whole pages. */
TEST(a_users_buffers_count_as_locked_memory)
{
	const size_t page = page_size();
	header_t header;
	int fds[2];

	pmu();
	limit_locked_memory(4 * page);
	become(USER_ID);
	fds[0] = default_context(0, page + 1);
	ck_assert_uint_eq(read_number(MEM_CUR), 2 * page);
	must_be_over(2 * page + 1, PFM_REASON_BUFFER_MEMLOCK);
	fds[1] = default_context(0, 2 * page);
	ck_assert_uint_eq(read_number(MEM_CUR), 4 * page);
	must_be_over(least_size(), PFM_REASON_BUFFER_MEMLOCK);
	/* A mapped buffer counts once, and it still counts after the close of its context. */
	header = map_buffer(fds[0], page + 1);
	ck_assert_uint_eq(read_number(MEM_CUR), 4 * page);
	close(fds[0]);
	must_be_over(least_size(), PFM_REASON_BUFFER_MEMLOCK);
	munmap((void *)header, page + 1);
	ck_assert_uint_eq(read_number(MEM_CUR), 2 * page);
	count_must_be_right(fds[1]);
	close(fds[1]);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
	close(default_context(0, 4 * page));
}

static uint64_t try_four_pages(uint64_t uid)
{
	if (geteuid() != uid)
		become(uid);
	limit_locked_memory(4 * page_size());
	return try_default(0, 4 * page_size()) == -1 ? errno : 0;
}

/*
 * A user has one share for all their processes. While one process uses up this share, another
 * process of the same user gets no buffer. Another user has a separate share.
 */
TEST(the_share_is_per_user_not_per_process)
{
	struct child first = child_new(), second = child_new(), other = child_new();

	pmu();
	ck_assert_uint_eq(child_call(&first, try_four_pages, USER_ID), 0);
	ck_assert_uint_eq(child_call(&second, try_four_pages, USER_ID), ENOMEM);
	ck_assert_uint_eq(child_call(&other, try_four_pages, OTHER_ID), 0);
	child_exit(&first);
	ck_assert_uint_eq(child_call(&second, try_four_pages, USER_ID), 0);
	child_exit(&second);
	child_exit(&other);
	wait_until(read_number(MEM_CUR) == 0);
}

/* Forks a process that shares the descriptors but not the memory. */
static pid_t fork_with_same_files(void)
{
	return syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
}

/*
 * Each child tries to create the largest buffer that the limit allows, and exits. Only the first
 * child succeeds. Its descriptor stays open in the parent, so its buffer still counts against the
 * limit.
 */
TEST(buffers_of_children_that_have_exited_count_against_the_limit)
{
	const size_t size = 16 * page_size();
	/* The first child's descriptor gets this number. */
	const int first = dup(STDIN_FILENO);
	unsigned int n, made = 0;
	int status;
	pid_t pid;

	close(first);
	pmu();
	limit_locked_memory(size);
	become(USER_ID);
	for (n = 0; n < DEAD_CHILDREN; n++) {
		pid = fork_with_same_files();
		if (pid == 0)
			_exit(try_default(0, size) == -1 ? errno : 0);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert(WIFEXITED(status));
		made += WEXITSTATUS(status) == 0;
		if (WEXITSTATUS(status))
			ck_assert_int_eq(WEXITSTATUS(status), ENOMEM);
	}
	printf("%u children, %u buffers, %ju bytes; the limit is %zu\n", n, made,
	       (uintmax_t)read_number(MEM_CUR), size);
	ck_assert_uint_eq(read_number(MEM_CUR), size);
	ck_assert_uint_eq(made, 1);
	close(first);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
	close(default_context(0, size));
}

/*
 * Creates a user namespace as an ordinary user. Such a user can get more uids in the namespace: the
 * set-user-ID program newuidmap maps the uids that /etc/subuid assigns to the user. The test maps a
 * uid in the same way.
 */
static uint64_t enter_a_namespace(uint64_t unused)
{
	(void)unused;
	become(USER_ID);
	return unshare(CLONE_NEWUSER) ? errno : 0;
}

static uint64_t try_as_another_of_the_namespace(uint64_t unused)
{
	(void)unused;
	if (setresuid(1, 1, 1))
		return EINVAL;
	limit_locked_memory(4 * page_size());
	return try_default(0, 4 * page_size()) == -1 ? errno : 0;
}

TEST(a_user_namespace_gives_no_second_share)
{
	struct child first = child_new(), second = child_new();
	char map[64];

	pmu();
	ck_assert_uint_eq(child_call(&first, try_four_pages, USER_ID), 0);
	ck_assert_uint_eq(child_call(&second, enter_a_namespace, 0), 0);
	snprintf(map, sizeof(map), "/proc/%d/uid_map", second.pid);
	write_text(map, "0 1000 1\n1 100000 1\n");
	ck_assert_uint_eq(child_call(&second, try_as_another_of_the_namespace, 0),
			  ENOMEM);
	child_exit(&first);
	child_exit(&second);
	wait_until(read_number(MEM_CUR) == 0);
}

/* ---- all users together ----------------------------------------------------------------- */

static void limit_buffers(uint64_t bytes)
{
	const uid_t user = geteuid();
	char text[32];

	ck_assert_int_eq(seteuid(0), 0);
	snprintf(text, sizeof(text), "%ju\n", (uintmax_t)bytes);
	write_text(MEM_MAX, text);
	ck_assert_int_eq(seteuid(user), 0);
}

static char mem_max_before[32];

static void put_back_the_limit(void)
{
	write_text(MEM_MAX, mem_max_before);
}

static void with_limit_back(void (*check)(void))
{
	pmu();
	strcpy(mem_max_before, read_text(MEM_MAX));
	then_put_back(check, put_back_the_limit);
}

static void check_limit(void)
{
	const size_t page = page_size();
	int fds[2];
	header_t header;

	ck_assert_int_eq(seteuid(USER_ID), 0);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
	limit_buffers(4 * page);
	must_be_over(4 * page + 1, PFM_REASON_BUFFER_LIMIT);
	fds[0] = default_context(0, page + 1);
	ck_assert_uint_eq(read_number(MEM_CUR), 2 * page);
	must_be_over(2 * page + 1, PFM_REASON_BUFFER_LIMIT);
	fds[1] = default_context(0, 2 * page);
	ck_assert_uint_eq(read_number(MEM_CUR), 4 * page);
	must_be_over(least_size(), PFM_REASON_BUFFER_LIMIT);
	header = map_buffer(fds[1], page);
	close(fds[1]);
	must_be_over(least_size(), PFM_REASON_BUFFER_LIMIT);
	munmap((void *)header, page);
	ck_assert_uint_eq(read_number(MEM_CUR), 2 * page);
	/*
	 * If the limit is lower than the memory of the existing buffers, no new buffer can be
	 * created, but the existing buffers stay.
	 */
	limit_buffers(page);
	must_be_over(least_size(), PFM_REASON_BUFFER_LIMIT);
	count_must_be_right(fds[0]);
	close(fds[0]);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
	close(default_context(0, page));
	/* The core checks the limit for all users together before the limit of this user. */
	limit_locked_memory(page / 2);
	must_be_over(page + 1, PFM_REASON_BUFFER_LIMIT);
}

TEST(all_buffers_together_have_a_limit)
{
	with_limit_back(check_limit);
}

/*
 * The limit for all users together is twice as high for users with CAP_PERFMON, so they can create
 * buffers even when other users have used up the lower limit. The limit of locked memory does not
 * apply to users with CAP_PERFMON.
 */
static void check_reserve(void)
{
	const size_t page = page_size();
	int fd;

	limit_buffers(4 * page);
	limit_locked_memory(4 * page);
	ck_assert_int_eq(seteuid(USER_ID), 0);
	fd = default_context(0, 4 * page);
	must_be_over(page, PFM_REASON_BUFFER_LIMIT);
	ck_assert_int_eq(seteuid(0), 0);
	must_be_over(4 * page + 1, PFM_REASON_BUFFER_LIMIT);
	count_must_be_right(default_context(0, 4 * page));
	must_be_over(least_size(), PFM_REASON_BUFFER_LIMIT);
	ck_assert_uint_eq(read_number(MEM_CUR), 8 * page);
	close(fd);
}

TEST(cap_perfmon_has_a_second_share_of_the_same_size)
{
	with_limit_back(check_reserve);
}

static void check_contexts_without_buffer(void)
{
	limit_buffers(page_size());
	count_must_be_right(make_context());
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
}

TEST(a_context_without_buffer_needs_none_of_the_limit)
{
	with_limit_back(check_contexts_without_buffer);
}
