// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests that pfmon stat and perf get exactly the same counts for a program.
 *
 * The number of instructions that a program executes when it starts depends on its environment and
 * on the address of its stack. So pfmon stat and perf measure the same command with an empty
 * environment and without random addresses.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

SUITE(same_as_perf, 300);

#define LENGTH "200000000"

static char *const workload[] = { "/usr/bin/pfm-workload", "loop", LENGTH, NULL };

struct counts {
	uint64_t instructions;
	uint64_t cycles;
};

static void run(char *const command[])
{
	static char *const no_environment[] = { NULL };

	personality(ADDR_NO_RANDOMIZE);
	execve(command[0], command, no_environment);
	_exit(127);
}

static void must_exit_with_0(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* Opens an event that counts from the exec on. */
static int event_of_exec(uint64_t config, pid_t pid, int group)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = group == -1,
		.enable_on_exec = group == -1,
	};
	int fd;

	/* After the last unload, perfmon may keep exclusive counters for a second. */
	while ((fd = syscall(SYS_perf_event_open, &attr, pid, -1, group,
			     PERF_FLAG_FD_CLOEXEC)) == -1 &&
	       errno == EBUSY)
		usleep(100000);
	ck_assert_msg(fd != -1, "perf_event_open: %s", strerror(errno));
	return fd;
}

static uint64_t value_of(int event)
{
	uint64_t value;

	ck_assert_int_eq(read(event, &value, sizeof(value)), sizeof(value));
	close(event);
	return value;
}

static struct counts count_with_perf(void)
{
	struct counts counts;
	int go[2], events[2];
	pid_t pid;
	char byte;

	ck_assert(!pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &byte, 1) == 1)
			run(workload);
		_exit(126);
	}
	events[0] = event_of_exec(PERF_COUNT_HW_INSTRUCTIONS, pid, -1);
	events[1] = event_of_exec(PERF_COUNT_HW_CPU_CYCLES, pid, events[0]);
	ck_assert_int_eq(write(go[1], "", 1), 1);
	must_exit_with_0(pid);
	close(go[0]);
	close(go[1]);
	counts.instructions = value_of(events[0]);
	counts.cycles = value_of(events[1]);
	return counts;
}

/* Each line that pfmon stat -x prints begins with a count. */
static struct counts count_with_pfmon(void)
{
	static char *const command[] = { "/usr/bin/pfmon",
					 "stat",
					 "-x,",
					 "-e",
					 "instructions:u,cycles:u",
					 "-o",
					 "/tmp/counts",
					 "--",
					 workload[0],
					 workload[1],
					 workload[2],
					 NULL };
	struct counts counts;
	const char *text;
	char *end;
	pid_t pid = fork();

	if (!pid)
		run(command);
	must_exit_with_0(pid);
	text = read_text("/tmp/counts");
	counts.instructions = strtoull(text, &end, 10);
	text = strchr(end, '\n');
	ck_assert(text);
	counts.cycles = strtoull(text + 1, &end, 10);
	ck_assert_msg(*end == ',', "%s", text);
	return counts;
}

static void must_agree(void)
{
	struct counts perf = count_with_perf(), pfmon;
	int i;

	ck_assert_uint_ge(perf.instructions, strtoull(LENGTH, NULL, 10));
	for (i = 0; i < 3; i++) {
		pfmon = count_with_pfmon();
		printf("         pfmon: %ju instructions, %ju cycles; perf: %ju instructions, "
		       "%ju cycles\n",
		       (uintmax_t)pfmon.instructions, (uintmax_t)pfmon.cycles,
		       (uintmax_t)perf.instructions, (uintmax_t)perf.cycles);
		ck_assert_uint_eq(pfmon.instructions, perf.instructions);
		ck_assert_uint_eq(pfmon.cycles, perf.cycles);
	}
}

static void must_agree_among_others(void)
{
	competitors_begin(2);
	must_agree();
	competitors_end();
}

TEST(exclusive_counts_are_those_of_perf)
{
	with_ownership("exclusive", must_agree);
}

TEST(exclusive_counts_among_others_are_those_of_perf)
{
	with_ownership("exclusive", must_agree_among_others);
}

TEST(shared_counts_are_those_of_perf)
{
	with_ownership("shared", must_agree);
}

TEST(shared_counts_among_others_are_those_of_perf)
{
	with_ownership("shared", must_agree_among_others);
}
