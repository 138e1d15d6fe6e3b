// SPDX-License-Identifier: GPL-2.0-only
/* How much memory sampling buffers may take: of a user, and all together. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "samples.h"

SUITE(buffer_limits, 120);

/* Bytes; of this process. */
static uint64_t locked_memory(void)
{
	const char *line = strstr(read_text("/proc/self/status"), "VmLck:");

	ck_assert_ptr_ne(line, NULL);
	return strtoull(line + strlen("VmLck:"), NULL, 10) * 1024;
}

static void limit_locked_memory(uint64_t bytes)
{
	const struct rlimit limit = { bytes, bytes };

	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
}

static void must_be_over(uint64_t size, unsigned int reason)
{
	uint64_t locked = locked_memory(), current = read_number(MEM_CUR);

	must_fail(-1, try_default(0, size), ENOMEM, reason, NO_INDEX);
	ck_assert_uint_eq(locked_memory(), locked);
	ck_assert_uint_eq(read_number(MEM_CUR), current);
}

/* Whole pages are what counts. */
static void check_locked_memory(void)
{
	const size_t page = page_size();
	uint64_t before = locked_memory();
	int fds[2];
	header_t header;

	fds[0] = default_context(0, page + 1);
	ck_assert_uint_eq(locked_memory() - before, 2 * page);
	must_be_over(2 * page + 1, PFM_REASON_BUFFER_MEMLOCK);
	fds[1] = default_context(0, 2 * page);
	ck_assert_uint_eq(locked_memory() - before, 4 * page);
	must_be_over(least_size(), PFM_REASON_BUFFER_MEMLOCK);
	/* The mapping keeps it; mapping costs nothing more. */
	header = map_buffer(fds[0], page + 1);
	ck_assert_uint_eq(locked_memory() - before, 4 * page);
	close(fds[0]);
	ck_assert_uint_eq(locked_memory() - before, 4 * page);
	must_be_over(least_size(), PFM_REASON_BUFFER_MEMLOCK);
	munmap((void *)header, page + 1);
	ck_assert_uint_eq(locked_memory() - before, 2 * page);
	count_must_be_right(fds[1]);
	close(fds[1]);
	ck_assert_uint_eq(locked_memory(), before);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
	close(default_context(0, 4 * page));
}

TEST(a_users_buffers_count_as_his_locked_memory)
{
	pmu();
	limit_locked_memory(4 * page_size());
	become(USER_ID);
	check_locked_memory();
}

/* docs/interface.md 5.5: "no root bypass" */
TEST(roots_buffers_count_as_his_locked_memory)
{
	pmu();
	limit_locked_memory(4 * page_size());
	check_locked_memory();
}

/* To whom it was counted; not to who closes last. */
TEST(locked_memory_goes_back_to_who_made_the_buffer)
{
	const size_t size = 4 * page_size();
	uint64_t before = locked_memory(), inside;
	int fd = default_context(0, size), status, gate[2];
	pid_t pid;
	char byte;

	ck_assert_int_eq(pipe(gate), 0);
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) != 0)
			_exit(10);
		inside = locked_memory();
		close(fd);
		_exit(locked_memory() == inside ? 11 : 12);
	}
	close(fd);
	ck_assert_uint_eq(locked_memory() - before, size);
	close(gate[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WEXITSTATUS(status) == 11, "status %#x", status);
	ck_assert_uint_eq(locked_memory(), before);
}

static void limit_buffers(uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%ju\n", (uintmax_t)bytes);
	write_text(MEM_MAX, text);
}

static void unlimit_buffers(void)
{
	limit_buffers(SIZE_MAX);
}

static void check_limit(void)
{
	const size_t page = page_size();
	int fds[2];
	header_t header;

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
	/* Less than there is: nothing more, and what is there stays. */
	limit_buffers(page);
	must_be_over(least_size(), PFM_REASON_BUFFER_LIMIT);
	count_must_be_right(fds[0]);
	close(fds[0]);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
	close(default_context(0, page));
	/* The machine's limit comes first. */
	limit_locked_memory(page / 2);
	must_be_over(page + 1, PFM_REASON_BUFFER_LIMIT);
}

TEST(all_buffers_together_have_a_limit)
{
	ck_assert_uint_eq(read_number(MEM_MAX), SIZE_MAX);
	then_put_back(check_limit, unlimit_buffers);
}

static void check_contexts_without_buffer(void)
{
	limit_buffers(page_size());
	count_must_be_right(make_context());
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
}

TEST(a_context_without_buffer_needs_none_of_the_limit)
{
	then_put_back(check_contexts_without_buffer, unlimit_buffers);
}
