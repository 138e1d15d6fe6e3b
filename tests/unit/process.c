// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what pfmon writes to the file about a process. The process is a child of the test program,
 * so its mappings are known.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/pfmon/data/data_write.h"
#include "../../tools/pfmon/data/build_id.h"
#include "../../tools/pfmon/record/process.h"
#include "suites.h"

SUITE(process, 120);

#define CONTEXT	 5
#define RECORDS	 256
#define NEW_PAGE ((void *)0x7f0000000000ull)

/**
 * struct record - a record of the file; it describes a thread or a mapping
 * @is_thread: the record describes a thread
 * @thread: the thread, if @is_thread
 * @mapping: the mapping, if not @is_thread
 * @text: name of the thread, or path of the mapping
 * @build_id: build-id of the mapping
 */
struct record {
	bool is_thread;
	struct data_thread thread;
	struct data_mapping mapping;
	const char *text;
	const char *build_id;
};

/* A child process, and the records that the last call of look_into_file() read. */
static struct {
	pid_t pid;
	int go;
	int done;
	struct process process;
	struct data_writer writer;
	char path[32];
	off_t seen;
	char bytes[1 << 20];
	struct record records[RECORDS];
	size_t count;
} test;

/* Carries out command @what in the child. */
static void change(char what, int file)
{
	switch (what) {
	case 'm':
		mmap(NEW_PAGE, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file,
		     4096);
		break;
	case 'a':
		mmap(NEW_PAGE, 4096, PROT_READ | PROT_EXEC,
		     MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
		break;
	case 'n':
		prctl(PR_SET_NAME, "new name");
		break;
	case 'x':
		execlp("sleep", "sleep", "100", NULL);
		_exit(1);
	case 'e':
		_exit(0);
	}
}

static void child(int go, int done)
{
	int file = open("/proc/self/exe", O_RDONLY);
	char what;

	while (read(go, &what, 1) == 1) {
		change(what, file);
		if (write(done, &what, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void begin(void)
{
	int go[2], done[2];

	memset(&test, 0, sizeof(test));
	ck_assert_int_eq(pipe2(go, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(done, O_CLOEXEC), 0);
	test.pid = fork();
	if (!test.pid) {
		close(go[1]);
		child(go[0], done[1]);
	}
	close(go[0]);
	close(done[1]);
	test.go = go[1];
	test.done = done[0];

	strcpy(test.path, "/tmp/process-XXXXXX");
	close(mkstemp(test.path));
	ck_assert_int_eq(data_create(&test.writer, test.path), 0);
	test.seen = sizeof(struct data_header);
	test.process.pid = process_of(test.pid);
	ck_assert_int_eq(test.process.pid, test.pid);
	ck_assert_int_eq(process_add_thread(&test.process, test.pid, CONTEXT), 0);
}

/*
 * Let the child carry out command @what, and wait for its answer. An exec or an exit closes the
 * pipe, so there is no answer to these two commands.
 */
static void send_command(char what)
{
	char answer;

	ck_assert_int_eq(write(test.go, &what, 1), 1);
	ck_assert_int_eq(read(test.done, &answer, 1), what == 'x' || what == 'e' ? 0 : 1);
}

static void end(void)
{
	kill(test.pid, SIGKILL);
	waitpid(test.pid, NULL, 0);
	close(test.go);
	close(test.done);
	process_free(&test.process);
	data_close(&test.writer);
	unlink(test.path);
}

/* Read the records that were written to the file after the previous call. */
static void look_into_file(void)
{
	int fd = open(test.path, O_RDONLY);
	ssize_t size = pread(fd, test.bytes, sizeof(test.bytes), test.seen);
	const struct data_record *head;

	close(fd);
	ck_assert_int_ge(size, 0);
	test.seen += size;
	test.count = 0;
	for (ssize_t at = 0; at < size; at += head->size) {
		struct record *record = &test.records[test.count++];
		const char *body = test.bytes + at + sizeof(*head);

		ck_assert_uint_le(test.count, RECORDS);
		head = (const void *)(test.bytes + at);
		*record = (struct record){ .is_thread = head->type == DATA_THREAD };
		if (record->is_thread) {
			memcpy(&record->thread, body, sizeof(record->thread));
			record->text = body + sizeof(record->thread);
			ck_assert_uint_eq(record->thread.tid, test.pid);
			ck_assert_uint_eq(record->thread.tgid, test.pid);
			ck_assert_uint_eq(record->thread.context, CONTEXT);
		} else {
			ck_assert_uint_eq(head->type, DATA_MAPPING);
			memcpy(&record->mapping, body, sizeof(record->mapping));
			record->text = body + sizeof(record->mapping);
			record->build_id = record->text + strlen(record->text) + 1;
			ck_assert_uint_eq(record->mapping.tgid, test.pid);
		}
	}
}

static void look_at(uint64_t now)
{
	ck_assert_int_eq(process_look(&test.process, &test.writer, now), 0);
	look_into_file();
}

static const struct record *find(const char *text)
{
	for (size_t i = 0; i < test.count; i++)
		if (!test.records[i].is_thread && strstr(test.records[i].text, text))
			return &test.records[i];
	ck_abort_msg("no mapping of '%s'", text);
}

TEST(all_executable_memory_is_written_with_its_build_ids)
{
	char build_id[BUILD_ID_SIZE];
	const struct record *own;

	begin();
	look_at(100);
	ck_assert(test.records[0].is_thread);
	ck_assert_str_eq(test.records[0].text, "unit_process");
	ck_assert_uint_eq(test.records[0].thread.time, 0);
	ck_assert_uint_eq(test.records[0].thread.flags, 0);

	/* The child has the same mappings as this process, its parent. */
	own = find("unit_process");
	ck_assert(own->mapping.start <= (uintptr_t)find &&
		  (uintptr_t)find < own->mapping.end);
	ck_assert_uint_eq(own->mapping.time, 0);
	ck_assert_uint_ne(own->mapping.inode, 0);
	build_id_of_file("/proc/self/exe", build_id);
	ck_assert_str_eq(own->build_id, build_id);
	ck_assert_uint_gt(strlen(build_id), 8);
	build_id_of_vdso(build_id);
	ck_assert_str_eq(find("[vdso]")->build_id, build_id);
	find("libc");
	end();
}

TEST(unchanged_mappings_are_not_written_again)
{
	begin();
	look_at(100);
	ck_assert_uint_gt(test.count, 3);
	look_at(200);
	ck_assert_uint_eq(test.count, 0);
	end();
}

TEST(new_mappings_are_valid_from_the_previous_look_on)
{
	begin();
	look_at(100);
	send_command('m');
	look_at(200);
	ck_assert_uint_eq(test.count, 1);
	ck_assert_uint_eq(test.records[0].mapping.start, (uintptr_t)NEW_PAGE);
	ck_assert_uint_eq(test.records[0].mapping.end, (uintptr_t)NEW_PAGE + 4096);
	ck_assert_uint_eq(test.records[0].mapping.offset, 4096);
	ck_assert_uint_eq(test.records[0].mapping.time, 101);
	/* Anonymous memory replaces the mapping, at the same address. */
	send_command('a');
	look_at(300);
	ck_assert_uint_eq(test.count, 1);
	ck_assert_uint_eq(test.records[0].mapping.time, 201);
	ck_assert_str_eq(test.records[0].text, "");
	ck_assert_str_eq(test.records[0].build_id, "");
	end();
}

TEST(a_new_name_is_written)
{
	begin();
	look_at(100);
	send_command('n');
	look_at(200);
	ck_assert_uint_eq(test.count, 1);
	ck_assert(test.records[0].is_thread);
	ck_assert_str_eq(test.records[0].text, "new name");
	ck_assert_uint_eq(test.records[0].thread.time, 101);
	ck_assert_uint_eq(test.records[0].thread.flags, 0);
	end();
}

/* Checks that the records of the new program and of its mappings are valid from @time on. */
static void check_exec(uint64_t time)
{
	const struct record *first = &test.records[0];

	ck_assert(first->is_thread);
	ck_assert_uint_eq(first->thread.flags, DATA_THREAD_EXEC);
	ck_assert_uint_eq(first->thread.time, time);
	ck_assert_str_eq(first->text, "sleep");
	/*
	 * All mappings of the program are written, even those at the same addresses as before the
	 * exec.
	 */
	for (size_t i = 1; i < test.count; i++)
		ck_assert_uint_eq(test.records[i].mapping.time, time);
	find("/sleep");
	find("[vdso]");
}

TEST(an_exec_is_recognised)
{
	begin();
	look_at(100);
	send_command('x');
	look_at(200);
	check_exec(101);
	look_at(300);
	for (size_t i = 0; i < test.count; i++)
		ck_assert_uint_eq(test.records[i].mapping.time, 201);
	end();
}

TEST(a_reported_exec_is_valid_from_now_on)
{
	begin();
	look_at(100);
	send_command('x');
	ck_assert_int_eq(process_look_at_exec(&test.process, &test.writer, 170), 0);
	look_into_file();
	check_exec(171);
	look_at(300);
	for (size_t i = 0; i < test.count; i++) {
		ck_assert(!test.records[i].is_thread);
		ck_assert_uint_eq(test.records[i].mapping.time, 171);
	}
	end();
}

TEST(a_process_that_has_ended_has_no_new_records)
{
	begin();
	look_at(100);
	send_command('e');
	look_at(200);
	ck_assert_uint_eq(test.count, 0);
	waitpid(test.pid, NULL, 0);
	look_at(300);
	ck_assert_uint_eq(test.count, 0);
	ck_assert_int_eq(process_of(test.pid), 0);
	end();
}
