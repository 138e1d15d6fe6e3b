// SPDX-License-Identifier: GPL-2.0-only
/*
 * Children that run functions for the test. A child reads the function and its argument from one
 * pipe, and writes the result to another pipe.
 *
 * Descriptors 3 to 5 of a child are these pipes and the page that it shares with the test. The
 * child closes all higher descriptors, so it has no context open.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"

#define COMMANDS_FD  3
#define RESULTS_FD   4
#define PAGE_FD	     5

#define CHILD_OPTION "--child"

/* Functions are sent as offsets in the program, so address randomization does not matter. */
struct command {
	int64_t function;
	uint64_t argument;
};

static struct child_page *own_page;

static void serve(void);

static int64_t to_offset(child_function function)
{
	return (intptr_t)function - (intptr_t)serve;
}

static child_function from_offset(int64_t offset)
{
	return (child_function)((intptr_t)serve + offset);
}

static void serve(void)
{
	struct command command;
	uint64_t result;

	while (read(COMMANDS_FD, &command, sizeof(command)) == sizeof(command)) {
		result = from_offset(command.function)(command.argument);
		if (write(RESULTS_FD, &result, sizeof(result)) != sizeof(result))
			break;
	}
	_exit(EXIT_SUCCESS);
}

static struct child_page *map_page(int fd)
{
	struct child_page *page =
		mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		abort();
	return page;
}

/*
 * Called when the program begins. If child_do_exec() has executed the program, this function sends
 * 0 as the result of child_do_exec(), and then executes further commands. If not, this function
 * returns.
 */
void child_main(int argc, char **argv)
{
	const uint64_t success = 0;

	if (argc != 2 || strcmp(argv[1], CHILD_OPTION))
		return;
	own_page = map_page(PAGE_FD);
	if (write(RESULTS_FD, &success, sizeof(success)) != sizeof(success))
		_exit(EXIT_FAILURE);
	serve();
}

struct child_page *child_own_page(void)
{
	return own_page;
}

/*
 * Gives @fds the numbers COMMANDS_FD, RESULTS_FD and PAGE_FD, and closes all descriptors with
 * higher numbers. None of @fds may already have one of these three numbers.
 */
static void take_descriptors(const int fds[3])
{
	dup2(fds[0], COMMANDS_FD);
	dup2(fds[1], RESULTS_FD);
	dup2(fds[2], PAGE_FD);
	syscall(SYS_close_range, PAGE_FD + 1, ~0u, 0);
}

/* Replaces @fd by a descriptor with a number higher than PAGE_FD. Returns the new descriptor. */
static int high(int fd)
{
	int result = fcntl(fd, F_DUPFD_CLOEXEC, 16);

	ck_assert_int_ne(result, -1);
	close(fd);
	return result;
}

struct child child_new(void)
{
	struct child child;
	int commands[2], results[2], page;

	ck_assert_int_eq(pipe(commands), 0);
	ck_assert_int_eq(pipe(results), 0);
	page = memfd_create("child", 0);
	ck_assert_int_ne(page, -1);
	ck_assert_int_eq(ftruncate(page, sizeof(struct child_page)), 0);
	page = high(page);
	child.commands = high(commands[1]);
	commands[0] = high(commands[0]);
	child.results = high(results[0]);
	results[1] = high(results[1]);
	child.page = map_page(page);

	child.pid = fork();
	ck_assert_int_ne(child.pid, -1);
	if (child.pid == 0) {
		own_page = child.page;
		take_descriptors((int[]){ commands[0], results[1], page });
		serve();
	}
	close(commands[0]);
	close(results[1]);
	close(page);
	/* This call returns after the child has closed the inherited descriptors. */
	child_call(&child, child_tid, 0);
	return child;
}

void child_begin(const struct child *child, child_function function, uint64_t argument)
{
	struct command command = { to_offset(function), argument };

	ck_assert_int_eq(write(child->commands, &command, sizeof(command)),
			 sizeof(command));
}

uint64_t child_finish(const struct child *child)
{
	uint64_t result;

	ck_assert_msg(read(child->results, &result, sizeof(result)) == sizeof(result),
		      "the child has ended");
	return result;
}

uint64_t child_call(const struct child *child, child_function function, uint64_t argument)
{
	child_begin(child, function, argument);
	return child_finish(child);
}

uint64_t child_spin(uint64_t unused)
{
	(void)unused;
	while (!own_page->stop)
		own_page->turns++;
	return own_page->turns;
}

void child_busy(const struct child *child)
{
	child->page->turns = 0;
	child->page->stop = 0;
	child_begin(child, child_spin, 0);
	wait_until(child->page->turns);
}

void child_rest(const struct child *child)
{
	child->page->stop = 1;
	child_finish(child);
}

static int reap(struct child *child)
{
	int status;

	ck_assert_int_eq(waitpid(child->pid, &status, 0), child->pid);
	close(child->commands);
	close(child->results);
	munmap(child->page, sizeof(*child->page));
	return status;
}

static uint64_t child_do_exit(uint64_t status)
{
	_exit(status);
}

int child_exit(struct child *child)
{
	child_begin(child, child_do_exit, 0);
	return reap(child);
}

int child_kill(struct child *child)
{
	ck_assert_int_eq(kill(child->pid, SIGKILL), 0);
	return reap(child);
}

uint64_t child_do_exec(uint64_t unused)
{
	(void)unused;
	execl(own_page->text, "perfmon-tests", CHILD_OPTION, NULL);
	return errno;
}

void child_exec(const struct child *child, const char *program)
{
	uint64_t error;

	snprintf(child->page->text, sizeof(child->page->text), "%s", program);
	error = child_call(child, child_do_exec, 0);
	ck_assert_msg(!error, "exec of %s: %s", program, strerror(error));
}

uint64_t child_work(uint64_t pages)
{
	uint64_t before = minor_faults();

	touch_pages(pages);
	return minor_faults() - before;
}

uint64_t child_set_uid(uint64_t uid)
{
	become(uid);
	return 0;
}

uint64_t child_set_dumpable(uint64_t dumpable)
{
	return prctl(PR_SET_DUMPABLE, dumpable) ? errno : 0;
}

uint64_t child_pin(uint64_t cpu)
{
	pin(cpu);
	return 0;
}

uint64_t child_tid(uint64_t unused)
{
	(void)unused;
	return thread_id();
}

uint64_t child_fork(uint64_t pages)
{
	pid_t pid = fork();

	if (pid == 0) {
		own_page->number = child_work(pages);
		_exit(EXIT_SUCCESS);
	}
	waitpid(pid, NULL, 0);
	return own_page->number;
}

pid_t fork_child(void (*function)(int), int argument)
{
	pid_t pid = check_fork();

	ck_assert_int_ne(pid, -1);
	if (pid)
		return pid;
	function(argument);
	_exit(EXIT_SUCCESS);
}

void must_exit_well(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
