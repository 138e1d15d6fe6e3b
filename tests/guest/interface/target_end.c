// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what happens when the monitored thread ends: docs/interface.md 3.1 to 3.4.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include "status.h"

SUITE(target_end, 120);

TEST(the_end_of_the_thread_is_read)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	uint64_t faults = child_call(&child, child_work, 100);

	must_be_silent(fd);
	child_exit(&child);
	must_end(fd);
	must_be_silent(fd);
	must_have_ended(fd, faults);
	count_must_be_right(fd);
}

static uint64_t exit_later(uint64_t gate)
{
	(void)gate;
	while (!child_own_page()->stop)
		usleep(1000);
	_exit(EXIT_SUCCESS);
}

struct waiter {
	pthread_t thread;
	pid_t tid;
	int fd;
	ssize_t size;
	struct pfarg_ovfl_msg message;
};

static void *wait_for_message(void *argument)
{
	struct waiter *waiter = argument;

	__atomic_store_n(&waiter->tid, thread_id(), __ATOMIC_RELEASE);
	waiter->size = read(waiter->fd, &waiter->message, sizeof(waiter->message));
	return NULL;
}

/* Starts a thread that reads a message. This function returns when the thread sleeps in read(). */
static void waiter_begin(struct waiter *waiter, int fd)
{
	*waiter = (struct waiter){ .fd = fd };
	ck_assert_int_eq(pthread_create(&waiter->thread, NULL, wait_for_message, waiter),
			 0);
	wait_until(__atomic_load_n(&waiter->tid, __ATOMIC_ACQUIRE) &&
		   thread_state(waiter->tid) == 'S');
}

TEST(the_end_wakes_a_reader)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	struct waiter waiter;

	child_begin(&child, exit_later, 0);
	waiter_begin(&waiter, fd);
	child.page->stop = 1;
	pthread_join(waiter.thread, NULL);
	ck_assert_int_eq(waiter.size, sizeof(waiter.message));
	ck_assert_uint_eq(waiter.message.msg_type, PFM_MSG_END);
}

TEST(the_end_wakes_poll)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	ck_assert_int_eq(poll(&poll_fd, 1, 0), 0);
	child_begin(&child, exit_later, 0);
	child.page->stop = 1;
	ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	ck_assert_int_eq(poll_fd.revents, POLLIN);
	must_end(fd);
	ck_assert_int_eq(poll(&poll_fd, 1, 0), 0);
}

static volatile sig_atomic_t signals;

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

TEST(the_end_sends_sigio)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);

	signal(SIGIO, count_signal);
	ck_assert_int_eq(fcntl(fd, F_SETOWN, getpid()), 0);
	ck_assert_int_eq(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC), 0);
	child_exit(&child);
	wait_until(signals);
	ck_assert_int_eq(signals, 1);
	must_end(fd);
}

static void ignore_signal(int signal)
{
	(void)signal;
}

TEST(a_signal_interrupts_a_reader)
{
	struct sigaction action = { .sa_handler = ignore_signal }; /* no SA_RESTART */
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	struct waiter waiter;

	sigaction(SIGUSR1, &action, NULL);
	waiter_begin(&waiter, fd);
	pthread_kill(waiter.thread, SIGUSR1);
	pthread_join(waiter.thread, NULL);
	ck_assert_int_eq(waiter.size, -1);
	must_have_status(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, child.pid);
}

TEST(a_read_smaller_than_a_message_is_einval)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	char buffer[sizeof(struct pfarg_ovfl_msg)];

	must_fail_errno(read(fd, buffer, sizeof(buffer) - 1), EINVAL);
	must_fail_errno(read(fd, buffer, 0), EINVAL);
	child_exit(&child);
	must_fail_errno(read(fd, buffer, sizeof(buffer) - 1), EINVAL);
	must_end(fd); /* the failed reads left the message in the queue */
}

TEST(a_larger_read_returns_one_message)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	struct pfarg_ovfl_msg messages[8];

	child_exit(&child);
	ck_assert_int_eq(read(fd, messages, sizeof(messages)), sizeof(messages[0]));
	ck_assert_uint_eq(messages[0].msg_type, PFM_MSG_END);
	must_be_silent(fd);
}

TEST(a_read_to_a_bad_address_is_efault_and_loses_nothing)
{
	void *volatile nowhere = (void *)8;
	struct child child = child_new();
	int fd = busy_context_on(child.pid);

	child_exit(&child);
	must_fail_errno(read(fd, nowhere, sizeof(struct pfarg_ovfl_msg)), EFAULT);
	must_end(fd);
}

/* Main function of a thread that monitors itself and exits. */
static void *watch_self(void *argument)
{
	int fd = *(int *)argument;

	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	touch_pages(20);
	return NULL;
}

TEST(a_thread_that_monitored_itself_leaves_no_message)
{
	int fd = busy_context();
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, watch_self, &fd), 0);
	pthread_join(thread, NULL);
	wait_until(sessions() == 0);
	must_be_silent(fd);
	must_have_ended(fd, 20);
	count_must_be_right(fd);
}

TEST(a_killed_target_is_like_one_that_exited)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);

	child_busy(&child);
	child_kill(&child);
	must_end(fd);
	must_have_ended(fd, 0);
}

TEST(results_are_there_before_the_target_is_reaped)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	uint64_t faults = child_call(&child, child_work, 40);

	ck_assert_int_eq(kill(child.pid, SIGKILL), 0);
	must_end(fd);
	wait_until(thread_state(child.pid) == 'Z');
	must_have_ended(fd, faults);
	ck_assert_uint_eq(sessions(), 0);
}

TEST(the_end_of_a_target_that_was_not_started_is_reported)
{
	struct child child = child_new();
	int fd = busy_context();

	load(fd, child.pid);
	child_exit(&child);
	must_end(fd);
	ck_assert_uint_eq(busy_count(fd), 0);
}
