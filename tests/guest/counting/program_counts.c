// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon stat counts a whole program: its threads and its child processes.
 *
 * The truth is arithmetic: pfm-workload loops a given number of instructions in each thread or
 * child. The same command has the same count each time, if what is random or depends on the time
 * stays the same. That is the addresses; and which thread runs when: a thread that is made when
 * another one has ended gets that one's stack, and then the C library executes 128 instructions more or
 * less (glibc: the loop that clears the thread's vector of modules). So the programs run as
 * real-time threads, which do not take turns.
 */
#include <sched.h>
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

/* Does not return.  @words are arguments of pfmon stat. */
static void run_pfmon(char *const *words)
{
	const struct sched_param priority = { .sched_priority = 1 };
	char *command[16] = { "/usr/bin/pfmon", "stat", "-x,", "-e",
			      "instructions:u", "-o",	COUNTS };
	char *no_environment[] = { NULL };
	int i;

	for (i = 0; words[i]; i++)
		command[7 + i] = words[i];
	personality(ADDR_NO_RANDOMIZE);
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		_exit(126);
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
	need_known_instructions();
	must_be_exact("forks", "100", "1000000");
}

TEST(a_program_with_threads_has_the_instructions_of_all)
{
	need_known_instructions();
	must_be_exact("threads", "64", "10000000");
}

/* The gate has fewer processes, because each takes a while. */
static unsigned int most_processes(void)
{
	const char *wanted = getenv("PERFMON_PROCESSES");

	return wanted ? strtoul(wanted, NULL, 0) : 50;
}

/* Instructions of a script that executes a program @count times. */
static uint64_t script_with(unsigned int count)
{
	char *words[] = { "--", "/bin/sh", SCRIPT, NULL };
	FILE *file = fopen(SCRIPT, "w");

	ck_assert_ptr_nonnull(file);
	fputs("true\n", file);
	while (count--)
		fputs(WORKLOAD " loop 1000000\n", file);
	ck_assert_int_eq(fclose(file), 0);
	return instructions_of(words);
}

TEST(a_script_is_the_sum_of_its_processes)
{
	char *words[] = { "--", WORKLOAD, "loop", "1000000", NULL };
	const unsigned int count = most_processes();
	uint64_t shell, with_one, with_all, part;

	need_known_instructions();
	shell = script_with(0);
	with_one = script_with(1);
	with_all = script_with(count);
	part = instructions_of(words);
	printf("         the program %ju, in a script %ju, %u times %ju instructions\n",
	       (uintmax_t)part, (uintmax_t)(with_one - shell), count,
	       (uintmax_t)(with_all - shell));
	must_be_near(with_all - shell, count * (with_one - shell), with_all / 1000);
	/* In a script it is the shell, too, that makes each process. */
	must_be_between(with_one - shell, part, part + part / 50);
}
