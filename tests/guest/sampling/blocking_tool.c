// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what happens to a blocked thread when a tool exits. A tool is a process that loads a
 * context with PFM_FL_NOTIFY_BLOCK on a thread. When the tool exits, the blocked thread continues,
 * even if another process has the descriptor. If the tool only closes its descriptor, the thread
 * stays blocked as long as another process has the descriptor.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "blocking.h"

SUITE(blocking_tool, 120);

/*
 * The process that loads the context. If the test requests it, the process forks a successor, which
 * has the descriptor but is not the loader.
 */
struct tool {
	pid_t pid;
	pid_t successor;
	int successor_gate; /* when the test closes this, the successor closes its fd */
};

static void run_successor(int fd, int gate)
{
	char byte;

	if (read(gate, &byte, 1) != 0)
		_exit(20);
	close(fd);
	pause();
	_exit(21);
}

/* When the tool has loaded the context, it writes to the pipe @loaded. */
static void run_tool(pid_t target, int loaded)
{
	int fd = blocking_context();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (try_load(fd, target) || pfm_start(fd, NULL) || write(loaded, "", 1) != 1)
		_exit(22);
	pause();
	_exit(23);
}

static void run_tool_with_successor(pid_t target, int loaded, struct tool *tool,
				    int gate[2])
{
	int fd = blocking_context();

	tool->successor = fork();
	if (tool->successor == 0) {
		close(loaded);
		close(gate[1]);
		run_successor(fd, gate[0]);
	}
	if (try_load(fd, target) || pfm_start(fd, NULL) ||
	    write(loaded, &tool->successor, sizeof(tool->successor)) !=
		    sizeof(tool->successor))
		_exit(22);
	pause();
	_exit(23);
}

static struct tool tool_begin(pid_t target, bool with_successor)
{
	struct tool tool = {};
	int loaded[2], gate[2];
	char byte;

	pmu();
	/* When the tool has exited, its successor becomes a child of the test. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ck_assert_int_eq(pipe(loaded), 0);
	ck_assert_int_eq(pipe(gate), 0);
	tool.pid = fork();
	if (tool.pid == 0) {
		if (with_successor)
			run_tool_with_successor(target, loaded[1], &tool, gate);
		run_tool(target, loaded[1]);
	}
	close(loaded[1]);
	close(gate[0]);
	tool.successor_gate = gate[1];
	if (with_successor)
		ck_assert_int_eq(read(loaded[0], &tool.successor, sizeof(tool.successor)),
				 sizeof(tool.successor));
	else
		ck_assert_int_eq(read(loaded[0], &byte, 1), 1);
	close(loaded[0]);
	return tool;
}

static void must_survive_the_tool(bool with_successor)
{
	struct child child = child_new();
	struct tool tool = tool_begin(child.pid, with_successor);
	uint64_t begun, turns;

	spin_begin(&child);
	must_be_blocked(&child);
	turns = child.page->turns;
	begun = monotonic_time();
	ck_assert_int_eq(kill(tool.pid, SIGKILL), 0);
	while (child.page->turns == turns)
		usleep(500);
	ck_assert_uint_le(monotonic_time() - begun, soon_ms() * MS);
	ck_assert_int_eq(waitpid(tool.pid, NULL, 0), tool.pid);
	must_go_on(&child);
	ck_assert_uint_eq(sessions(), with_successor);
	close(tool.successor_gate);
	wait_until(sessions() == 0);
	if (with_successor) {
		ck_assert_int_eq(kill(tool.successor, SIGKILL), 0);
		ck_assert_int_eq(waitpid(tool.successor, NULL, 0), tool.successor);
	}
	spin_end(&child);
	child_exit(&child);
}

TEST(a_blocked_thread_continues_when_its_tool_exits)
{
	need_overflow_interrupts();
	must_survive_the_tool(false);
}

TEST(a_blocked_thread_does_not_wait_for_the_successor_of_its_tool)
{
	need_overflow_interrupts();
	must_survive_the_tool(true);
}

/*
 * The loader exits before the overflow. So the thread must not block, even though another process
 * has the descriptor.
 */
TEST(a_thread_is_not_blocked_after_its_tool_has_ended)
{
	struct child child;
	struct tool tool;

	need_overflow_interrupts();
	child = child_new();
	tool = tool_begin(child.pid, true);
	ck_assert_int_eq(kill(tool.pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(tool.pid, NULL, 0), tool.pid);
	ck_assert_uint_eq(sessions(), 1);
	spin_begin(&child);
	/* The child must run for at least 20 sampling periods. */
	wait_until(cpu_time_of(child.pid) > 20 * PERIOD + 100 * MS);
	must_go_on(&child);
	spin_end(&child);
	close(tool.successor_gate);
	wait_until(sessions() == 0);
	child_exit(&child);
}

/*
 * The tool passes its descriptor on to a successor and closes its own, but does not exit. The
 * thread still blocks, and the successor can restart the context.
 */
TEST(a_successor_may_restart_after_the_tool_has_closed)
{
	struct child child;
	int fd, status, gate[2];
	pid_t pid;
	char byte;

	need_overflow_interrupts();
	ck_assert_int_eq(pipe(gate), 0);
	fd = blocked_child(&child);
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) != 0)
			_exit(10);
		if (pfm_restart(fd) || pfm_unload_context(fd))
			_exit(11);
		_exit(EXIT_SUCCESS);
	}
	close(fd);
	must_be_blocked(&child);
	close(gate[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	must_go_on(&child);
	spin_end(&child);
}

/*
 * The core notices the exit of the loader only if the loader still has the descriptor. Here the
 * loader closes its descriptor before it exits, so the thread still blocks. After that, other
 * processes with the same descriptor exit. The thread must stay blocked, because none of these
 * processes is the loader.
 */
TEST(a_blocked_thread_keeps_waiting_when_other_processes_end)
{
	struct child child;
	int fd, status, i;
	pid_t pid;

	need_overflow_interrupts();
	child = child_new();
	fd = blocking_context();
	pid = fork();
	if (pid == 0) {
		if (try_load(fd, child.pid) || pfm_start(fd, NULL))
			_exit(1);
		_exit(close(fd));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	spin_begin(&child);
	must_be_blocked(&child);
	/*
	 * The kernel may reuse the memory of the loader's data structures for these processes. The
	 * core must not mistake one of them for the loader.
	 */
	for (i = 0; i < 100; i++) {
		pid = fork();
		if (pid == 0)
			_exit(0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		ck_assert_msg(is_blocked(child.pid),
			      "the thread is not blocked after %d processes have ended",
			      i + 1);
	}
	must(fd, pfm_unload_context(fd));
	must_go_on(&child);
	spin_end(&child);
	child_exit(&child);
}
