// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests how pfmon record -a finds processes if the kernel does not report new processes. If a
 * process starts while pfmon prepares the next file, both the current file and the next one must
 * name the process.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/pfmon/record/all_processes.h"
#include "suites.h"

SUITE(all_processes, 60);

#define LATE_NAME "late_process"

/* Starts a process, waits until its name is LATE_NAME, and returns its process ID. */
static pid_t start_late_process(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	ck_assert_int_ne(pid, -1);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, LATE_NAME);
		if (write(ready[1], "r", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static bool names_late_process(const struct data_writer *writer)
{
	struct stat status;
	char *text;
	bool found;

	ck_assert_int_eq(fstat(writer->fd, &status), 0);
	text = malloc(status.st_size);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(pread(writer->fd, text, status.st_size, 0), status.st_size);
	found = memmem(text, status.st_size, LATE_NAME, strlen(LATE_NAME));
	free(text);
	return found;
}

TEST(a_process_that_starts_while_the_next_file_is_prepared_is_named_in_both_files)
{
	struct data_writer current, next;
	struct all_processes all = {
		.tid = -1,
		.band.poll = -1,
		.names_only = true,
		.writer = &current,
	};
	pid_t pid;

	ck_assert_int_eq(data_create_in_memory(&current), 0);
	ck_assert_int_eq(data_create_in_memory(&next), 0);
	ck_assert_int_eq(all_processes_scan(&all, &current, 0), 0);
	all.next = &next;
	ck_assert_int_eq(all_processes_scan(&all, &next, 0), 0);
	pid = start_late_process();
	ck_assert(!names_late_process(&current) && !names_late_process(&next));
	ck_assert_int_eq(all_processes_follow(&all, 1), 0);
	ck_assert(names_late_process(&current));
	ck_assert(names_late_process(&next));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	all_processes_free(&all);
	ck_assert_int_eq(data_close(&current), 0);
	ck_assert_int_eq(data_close(&next), 0);
}
