// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests overflows in system calls. The thread blocks at the end of the system call, before it
 * returns to user level. When the thread continues, the call returns its usual result. After the
 * close of the context, the modules can be unloaded although the thread still sleeps in a system
 * call.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>

#include "blocking.h"

SUITE(blocking_calls, 120);

/*
 * Creates a context that counts context switches. Each context switch causes an overflow, so the
 * counter overflows when the child falls asleep.
 */
static int context_on_switches(void)
{
	int fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);

	write_pmc(fd, pmu()->pmcs[0], PFM_SOFT_CONTEXT_SWITCHES);
	write_one(fd, sampling(0, 1));
	return fd;
}

/*
 * Waits until the child sleeps in a system call, such as the read() of its next command. The
 * counter overflows when the child falls asleep, so the child has to wait for a restart at the end
 * of the call. If the child is preempted before it falls asleep, the counter overflows at that
 * time, and the child has to wait at once. If that happens, this function restarts the context.
 */
static void wait_until_asleep(int fd, const struct child *child)
{
	next_overflow(fd);
	wait_until(is_blocked(child->pid) || thread_state(child->pid) == 'S');
	while (is_blocked(child->pid)) {
		must(fd, pfm_restart(fd));
		next_overflow(fd);
		wait_until(is_blocked(child->pid) || thread_state(child->pid) == 'S');
	}
}

static void fall_asleep(int fd, const struct child *child)
{
	load_and_start(fd, child->pid);
	child_begin(child, child_tid, 0);
	wait_until_asleep(fd, child);
	ck_assert_uint_eq(child_finish(child), child->pid);
	ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
}

static void check_sleep_in_read(void)
{
	struct child child = child_new();
	int turn, fd;

	for (turn = 0; turn < 30; turn++) {
		fd = context_on_switches();
		fall_asleep(fd, &child);
		switch (turn % 3) {
		case 0:
			must(fd, pfm_unload_context(fd));
			break;
		case 1:
			must(fd, pfm_stop(fd));
			must(fd, pfm_restart(fd));
			break;
		}
		close(fd);
		/* The child waits in read() for a command. This read() must return the command. */
		ck_assert_uint_eq(child_call(&child, child_tid, 0), child.pid);
	}
	ck_assert_int_eq(child_exit(&child), 0);
}

TEST(a_read_interrupted_by_an_overflow_gets_its_data)
{
	with_pmu("perfmon_soft", "", check_sleep_in_read);
}

/* The command wakes the child, which has to wait for the restart before it answers. */
static void check_blocked_after_read(void)
{
	struct child child = child_new();
	int turn, fd;

	for (turn = 0; turn < 10; turn++) {
		fd = context_on_switches();
		fall_asleep(fd, &child);
		child_begin(&child, child_tid, 0);
		wait_until(is_blocked(child.pid));
		usleep(20000);
		ck_assert(is_blocked(child.pid));
		must(fd, pfm_stop(fd));
		must(fd, pfm_restart(fd));
		ck_assert_uint_eq(child_finish(&child), child.pid);
		close(fd);
	}
	ck_assert_int_eq(child_exit(&child), 0);
}

TEST(a_thread_that_overflowed_while_asleep_waits_when_it_wakes)
{
	with_pmu("perfmon_soft", "", check_blocked_after_read);
}

/*
 * Waits until there is a byte in the named pipe whose path is page->text. Returns 0 or errno. The
 * test uses epoll_wait(), because the kernel does not restart this call after an interruption.
 */
static uint64_t wait_for_event(uint64_t unused)
{
	struct epoll_event event = { .events = EPOLLIN };
	int pipe = open(child_own_page()->text, O_RDWR);
	int epoll = epoll_create1(0), error = 0;
	char byte;

	(void)unused;
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, pipe, &event) ||
	    epoll_wait(epoll, &event, 1, -1) != 1 || read(pipe, &byte, 1) != 1)
		error = errno;
	close(epoll);
	close(pipe);
	return error;
}

static void check_event(void)
{
	struct child child = child_new();
	int turn, fd, event;

	snprintf(child.page->text, sizeof(child.page->text), "/tmp/perfmon-event");
	ck_assert_int_eq(mkfifo(child.page->text, 0600), 0);
	event = open(child.page->text, O_RDWR);
	for (turn = 0; turn < 30; turn++) {
		fd = context_on_switches();
		load_and_start(fd, child.pid);
		child_begin(&child, wait_for_event, 0);
		wait_until_asleep(fd, &child);
		if (turn % 2)
			must(fd, pfm_unload_context(fd));
		close(fd);
		ck_assert_int_eq(write(event, "", 1), 1);
		ck_assert_uint_eq(child_finish(&child), 0);
	}
	unlink(child.page->text);
	ck_assert_int_eq(child_exit(&child), 0);
}

TEST(a_call_that_is_not_restarted_continues_after_unload)
{
	with_pmu("perfmon_soft", "", check_event);
}

/* Sleeps. Returns the length of the sleep in ns, or 0 if the sleep ended early. */
static uint64_t nap(uint64_t nanoseconds)
{
	struct timespec time = { .tv_nsec = nanoseconds };
	uint64_t begun = monotonic_time();

	if (nanosleep(&time, NULL))
		return 0;
	return monotonic_time() - begun;
}

static void check_sleep(void)
{
	const uint64_t length = 300 * MS;
	struct child child = child_new();
	uint64_t slept;
	int fd, turn;

	for (turn = 0; turn < 4; turn++) {
		fd = context_on_switches();
		load_and_start(fd, child.pid);
		child_begin(&child, nap, length);
		next_overflow(fd);
		usleep(50000);
		if (turn % 2)
			must(fd, pfm_unload_context(fd));
		close(fd);
		slept = child_finish(&child);
		must_be_between(slept, length, length + 20 * soon_ms() * MS);
	}
	ck_assert_int_eq(child_exit(&child), 0);
}

TEST(a_sleep_interrupted_by_an_overflow_has_its_full_length)
{
	with_pmu("perfmon_soft", "", check_sleep);
}

/*
 * Makes short and long system calls. An overflow may come at any point of a call. Returns the
 * number of wrong results.
 */
static uint64_t call_until_stopped(uint64_t unused)
{
	struct child_page *page = child_own_page();
	uint64_t wrong = 0, sent, received;
	int fds[2];

	(void)unused;
	if (pipe(fds))
		return 1;
	for (sent = 0; !page->stop; sent++) {
		wrong += write(fds[1], &sent, sizeof(sent)) != sizeof(sent);
		wrong += read(fds[0], &received, sizeof(received)) != sizeof(received);
		wrong += received != sent;
		wrong += nap(1000) == 0;
		touch_pages(1);
		page->turns++;
	}
	close(fds[0]);
	close(fds[1]);
	return wrong;
}

TEST(system_calls_of_a_blocked_thread_return_what_they_should)
{
	struct child child = child_new();
	struct pfarg_pmd pmd;
	int fd, turn;

	need_overflow_interrupts();
	fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);
	program_busy(fd, 1);
	pmd = sampling(0, PERIOD / 4);
	pmd.reg_flags |= PFM_REGFL_RANDOM;
	pmd.reg_random_mask = 0x3ffff;
	child.page->stop = 0;
	child_begin(&child, call_until_stopped, 0);
	for (turn = 0; turn < 200; turn++) {
		if (state_of(fd) == PFM_STATE_UNLOADED) {
			write_one(fd, pmd);
			load_and_start(fd, child.pid);
		}
		next_overflow(fd);
		if (turn % 10 == 9)
			must(fd, pfm_unload_context(fd));
		else
			must(fd, pfm_restart(fd));
	}
	must(fd, pfm_unload_context(fd));
	child.page->stop = 1;
	ck_assert_uint_eq(child_finish(&child), 0);
	ck_assert_int_eq(child_exit(&child), 0);
	close(fd);
}

/* After the close, the modules can be unloaded although the thread still sleeps in the kernel. */
static void check_modules_of_a_sleeper(void)
{
	struct child child = child_new();
	int fd = context_on_switches();

	fall_asleep(fd, &child);
	close(fd);
	ck_assert_int_eq(module_unload("perfmon_soft"), 0);
	wait_until(module_unload("perfmon") == 0);
	ck_assert_int_eq(module_load("perfmon", ""), 0);
	ck_assert_int_eq(module_load("perfmon_soft", ""), 0);
	ck_assert_int_eq(child_exit(&child), 0);
}

TEST(a_thread_asleep_holds_no_module)
{
	with_pmu("perfmon_soft", "", check_modules_of_a_sleeper);
}
