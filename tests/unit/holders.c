// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that pfmon finds out who holds counters. The tests make a directory that pfmon reads in
 * place of /proc.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/pfmon/event/holders.h"
#include "suites.h"

SUITE(holders, 120);

static char root[] = "/tmp/holders-XXXXXX";

static void make_directory(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void make_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void make_link(const char *name, const char *target)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	ck_assert_int_eq(symlink(target, path), 0);
}

/* Make a directory like /proc. Its file sys/kernel/nmi_watchdog contains @watchdog. */
static void make_proc(const char *watchdog)
{
	ck_assert_ptr_nonnull(mkdtemp(root));
	make_directory("sys");
	make_directory("sys/kernel");
	make_file("sys/kernel/nmi_watchdog", watchdog);
}

static void make_process(const char *pid, const char *name, const char *target)
{
	char path[64];

	make_directory(pid);
	snprintf(path, sizeof(path), "%s/fd", pid);
	make_directory(path);
	snprintf(path, sizeof(path), "%s/comm", pid);
	make_file(path, name);
	snprintf(path, sizeof(path), "%s/fd/0", pid);
	make_link(path, "/dev/null");
	snprintf(path, sizeof(path), "%s/fd/3", pid);
	make_link(path, target);
}

static const char *advice(void)
{
	static char text[ADVICE_TEXT];
	char command[64];

	holders_advice(root, text);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
	return text;
}

#define PERF_EVENT "anon_inode:[perf_event]"

TEST(without_holders_there_is_no_advice)
{
	make_proc("0\n");
	make_process("12", "sleep\n", "/dev/zero");
	make_process("13", "other\n", "anon_inode:[perf_events]");
	make_process("14", "shorter\n", "anon_inode:[perf_event");
	make_process("x", "no process\n", PERF_EVENT);
	ck_assert_str_eq(advice(), "");
}

TEST(the_watchdogs_command_is_named)
{
	make_proc("1\n");
	ck_assert_str_eq(advice(),
			 geteuid()
				 ? "; 'sysctl kernel.nmi_watchdog=0', run as root, frees "
				   "the counters of the NMI watchdog"
				 : "; 'sysctl kernel.nmi_watchdog=0' frees the counters "
				   "of the NMI watchdog");
}

TEST(processes_with_perf_events_are_named)
{
	make_proc("0\n");
	make_process("700", "perf\n", PERF_EVENT);
	make_process("71", "a\033b\n", PERF_EVENT);
	make_process("72", "sleep\n", "/dev/zero");
	ck_assert_str_eq(advice(), "; perf events are open in a?b (process 71), perf "
				   "(process 700)");
}

TEST(the_watchdog_comes_before_the_processes)
{
	const char *text;

	make_proc("1\n");
	make_process("700", "perf\n", PERF_EVENT);
	text = advice();
	ck_assert_ptr_nonnull(strstr(text, "nmi_watchdog=0'"));
	ck_assert_ptr_nonnull(
		strstr(text, "watchdog; perf events are open in perf (process 700)"));
}

TEST(a_long_list_of_processes_is_cut)
{
	make_proc("0\n");
	for (int i = 1; i <= 6; i++) {
		char pid[8];

		snprintf(pid, sizeof(pid), "%d", i);
		make_process(pid, "fifteen-letters\n", PERF_EVENT);
	}
	ck_assert_str_eq(advice(), "; perf events are open in "
				   "fifteen-letters (process 1), "
				   "fifteen-letters (process 2), "
				   "fifteen-letters (process 3), "
				   "fifteen-letters (process 4) and others");
}

TEST(without_proc_there_is_no_advice)
{
	char text[ADVICE_TEXT] = "x";

	ck_assert_str_eq(holders_advice("/nonexistent", text), "");
}
