// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon stat counts a whole program: its threads and its child processes.
 *
 * The expected count is known: in each thread or child, pfm-workload executes a loop of a given
 * number of instructions. The same command must have the same count each time. On POWER, if an
 * instruction causes a page fault, QEMU does not count the preceding instructions of the same
 * translation block. To keep these blocks the same, each program is loaded at the same addresses
 * each time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

SUITE(program_counts, 900);

#define COUNTS	 "/tmp/counts"
#define SCRIPT	 "/tmp/script"
#define WORKLOAD "/usr/bin/pfm-workload"

/* Executes pfmon stat with the arguments @words. Does not return. */
static void run_pfmon(char *const *words)
{
	char *command[16] = { "/usr/bin/pfmon", "stat", "-x,", "-e",
			      "instructions:u", "-o",	COUNTS };
	char *no_environment[] = { NULL };
	int i;

	for (i = 0; words[i]; i++)
		command[7 + i] = words[i];
	personality(ADDR_NO_RANDOMIZE);
	execve(command[0], command, no_environment);
	_exit(127);
}

static uint64_t instructions_of(char *const *words)
{
	uint64_t count;
	char *end;
	pid_t pid = fork();
	int status;

	if (!pid)
		run_pfmon(words);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	count = strtoull(read_text(COUNTS), &end, 10);
	ck_assert_int_eq(*end, ',');
	return count;
}

static void must_be_exact(char *work, char *number, char *length)
{
	char *words[] = { "--", WORKLOAD, work, number, length, NULL };
	const uint64_t truth = strtoull(number, NULL, 10) * strtoull(length, NULL, 10);
	uint64_t first = instructions_of(words);
	int i;

	printf("         pfm-workload %s %s %s: %ju instructions\n", work, number, length,
	       (uintmax_t)first);
	must_be_between(first, truth, truth + truth / 1000);
	for (i = 0; i < 2; i++)
		ck_assert_uint_eq(instructions_of(words), first);
}

TEST(a_program_with_children_has_the_instructions_of_all)
{
	need_user_instructions();
	must_be_exact("forks", "100", "1000000");
}

TEST(a_program_with_threads_has_the_instructions_of_all)
{
	need_user_instructions();
	must_be_exact("threads", "64", "10000000");
}

/*
 * Maximum number of instructions that the shell and a program execute outside of the program's
 * loop.
 */
#define MOST_OF_A_PROCESS 30000

/* The default number of processes is small, because each process takes much time. */
static unsigned int most_processes(void)
{
	const char *wanted = getenv("PERFMON_PROCESSES");

	return wanted ? strtoul(wanted, NULL, 0) : 50;
}

/*
 * Returns the number of instructions that the loop of program number @program executes: ten more
 * than the loop of the program before it.
 */
static uint64_t length_of(unsigned int program)
{
	return 100000 + 10 * program;
}

/*
 * Returns the instruction count of a script that runs program 0, and then programs @first to
 * @end - 1.
 */
static uint64_t script_with(unsigned int first, unsigned int end)
{
	char *words[] = { "--", "/bin/sh", SCRIPT, NULL };
	FILE *file = fopen(SCRIPT, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, WORKLOAD " loop %ju\n", (uintmax_t)length_of(0));
	for (; first < end; first++)
		fprintf(file, WORKLOAD " loop %ju\n", (uintmax_t)length_of(first));
	fputs("true\n", file);
	ck_assert_int_eq(fclose(file), 0);
	return instructions_of(words);
}

/*
 * To get the count of a program, the test runs a script with program 0 and this program, and a
 * script with program 0 alone. The count is the difference. It includes the shell's work to create
 * a process, but not the work that the shell does once, before its first process. The sum of these
 * counts still differs from the count of a script with all programs, by less than 20 instructions
 * per process. The main reason is that the shell reads a longer script in more blocks.
 */
TEST(a_script_is_the_sum_of_its_processes)
{
	const unsigned int count = most_processes();
	uint64_t alone, all, part, sum = 0;
	unsigned int i;

	need_user_instructions();
	alone = script_with(0, 0);
	for (i = 1; i < count; i++) {
		part = script_with(i, i + 1) - alone;
		must_be_between(part, length_of(i), length_of(i) + MOST_OF_A_PROCESS);
		sum += part;
	}
	all = script_with(1, count);
	printf("         %u processes: %ju instructions together, %ju one by one\n",
	       count, (uintmax_t)all, (uintmax_t)(alone + sum));
	must_be_near(all, alone + sum, all / 1000);
}
