// SPDX-License-Identifier: GPL-2.0-only
/* Tests that pfmon finds the name that a thread had at a given time. */
#include <string.h>

#include "../../tools/pfmon/report/threads.h"
#include "suites.h"
#include "synthetic.h"

SUITE(thread_names, 120);

#define FILE_RECORDS(path, writer)                                                       \
	const char *path = synthetic_path();                                             \
	struct data_writer writer;                                                       \
	synthetic_begin(&writer, path)

static void name(struct data_writer *writer, uint64_t time, uint32_t tid,
		 const char *comm)
{
	const struct data_thread thread = {
		.time = time, .tid = tid, .tgid = tid, .context = DATA_NO_CONTEXT
	};

	ck_assert_int_eq(data_write_thread(writer, &thread, comm), 0);
}

static void make(struct data_writer *writer, uint64_t time, uint32_t tid, uint32_t parent)
{
	const struct data_fork fork = {
		.time = time,
		.tid = tid,
		.tgid = tid,
		.parent_tid = parent,
		.parent_tgid = parent,
	};

	ck_assert_int_eq(data_write_fork(writer, &fork), 0);
}

static void check(const char *path, struct sample sample, const char *expected)
{
	struct recording recording;
	struct thread_names names;
	struct named_thread found;

	ck_assert_int_eq(recording_open(&recording, path), 0);
	ck_assert_int_eq(thread_names_make(&names, &recording), 0);
	found = thread_names_find(&names, &sample);
	ck_assert_str_eq(found.comm ? found.comm : "none", expected);
	thread_names_free(&names);
	recording_free(&recording);
}

static void check_at(const char *path, uint32_t tid, uint64_t time, const char *expected)
{
	check(path, (struct sample){ .tid = tid, .tgid = tid, .time = time }, expected);
}

TEST(a_thread_has_its_last_name)
{
	FILE_RECORDS(path, writer);

	name(&writer, 200, 7, "second");
	name(&writer, 100, 7, "first");
	ck_assert_int_eq(data_close(&writer), 0);
	check_at(path, 7, 50, "first");
	check_at(path, 7, 100, "first");
	check_at(path, 7, 199, "first");
	check_at(path, 7, 200, "second");
	check_at(path, 8, 200, "none");
}

/* The records are not sorted by time. This is usual if several CPUs are recorded. */
TEST(a_child_has_the_name_that_its_parent_had)
{
	FILE_RECORDS(path, writer);

	make(&writer, 300, 9, 8);
	make(&writer, 100, 8, 7);
	name(&writer, 350, 9, "own");
	name(&writer, 200, 7, "later");
	name(&writer, 0, 7, "shell");
	ck_assert_int_eq(data_close(&writer), 0);
	check_at(path, 8, 100, "shell");
	check_at(path, 8, 400, "shell");
	check_at(path, 9, 300, "shell");
	check_at(path, 9, 350, "own");
	check_at(path, 7, 300, "later");
}

TEST(a_number_that_is_used_again_has_another_name)
{
	FILE_RECORDS(path, writer);

	name(&writer, 0, 7, "shell");
	make(&writer, 100, 8, 7);
	name(&writer, 110, 8, "gzip");
	make(&writer, 200, 8, 7);
	make(&writer, 300, 8, 6);
	ck_assert_int_eq(data_close(&writer), 0);
	check_at(path, 8, 105, "shell");
	check_at(path, 8, 150, "gzip");
	check_at(path, 8, 250, "shell");
	check_at(path, 8, 350, "none");
}

TEST(the_idle_task_has_a_name)
{
	FILE_RECORDS(path, writer);

	name(&writer, 0, 0, "swapper");
	ck_assert_int_eq(data_close(&writer), 0);
	check_at(path, 0, 100, "swapper");
}

/* The samples of a system-wide context with format hist contain the process, but not the thread. */
TEST(a_sum_of_samples_has_the_name_of_its_process)
{
	FILE_RECORDS(path, writer);

	name(&writer, 0, 0, "swapper");
	name(&writer, 0, 7, "shell");
	ck_assert_int_eq(data_close(&writer), 0);
	check(path, (struct sample){ .tgid = 7, .time = UINT64_MAX }, "shell");
	check(path, (struct sample){ .time = UINT64_MAX }, "swapper");
}
