// SPDX-License-Identifier: GPL-2.0-only
/* Tests the signals that overflows send: docs/interface.md 3.4 and 3.5. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "samples.h"
#include "workers.h"

SUITE(signals, 120);

static volatile sig_atomic_t signals;
static volatile pid_t signalled;
static siginfo_t signal_info;
static volatile int restarted_by_signal = -1;
static volatile int restarts;

static void on_signal(int number, siginfo_t *info, void *unused)
{
	const int error = errno;

	(void)number;
	(void)unused;
	signal_info = *info;
	signalled = thread_id();
	signals++;
	if (restarted_by_signal != -1 && pfm_restart(restarted_by_signal) == 0)
		restarts++;
	errno = error;
}

static void catch_signal(int number)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };

	ck_assert_int_eq(sigaction(number, &action, NULL), 0);
	signals = 0;
}

static void ask_for_signals(int fd, bool asked)
{
	int flags = fcntl(fd, F_GETFL);

	flags = asked ? flags | O_ASYNC : flags & ~O_ASYNC;
	ck_assert_int_eq(fcntl(fd, F_SETFL, flags), 0);
}

TEST(each_message_sends_sigio)
{
	int fd, turn;

	need_overflow_interrupts();
	fd = busy_self(0);
	catch_signal(SIGIO);
	/* Programs written for perfmon2 pass the ID of a thread to F_SETOWN. */
	ck_assert_int_eq(fcntl(fd, F_SETOWN, thread_id()), 0);
	spin_until_masked(fd);
	ck_assert_int_eq(signals, 0); /* no signals have been requested yet */
	must(fd, pfm_restart(fd));
	ask_for_signals(fd, true);
	for (turn = 1; turn <= 3; turn++) {
		spin_until_masked(fd);
		wait_until(signals >= turn);
		ck_assert_int_eq(signals, turn);
		must(fd, pfm_restart(fd));
	}
	ask_for_signals(fd, false);
	spin_until_masked(fd);
	ck_assert_int_eq(signals, 3);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(a_signal_set_with_f_setsig_carries_the_descriptor)
{
	const int number = SIGRTMIN + 3;
	int fd;

	need_overflow_interrupts();
	fd = make_context();
	sample_busily(fd, PERIOD);
	catch_signal(number);
	ck_assert_int_eq(fcntl(fd, F_SETOWN, getpid()), 0);
	ck_assert_int_eq(fcntl(fd, F_SETSIG, number), 0);
	ask_for_signals(fd, true);
	load_and_start(fd, thread_id());
	spin_until_masked(fd);
	wait_until(signals);
	ck_assert_int_eq(signals, 1);
	ck_assert_int_eq(signal_info.si_signo, number);
	ck_assert_int_eq(signal_info.si_fd, fd);
	ck_assert_int_eq(signal_info.si_code, POLL_IN);
	ck_assert_int_eq(signal_info.si_band, POLLIN | POLLRDNORM);
	end_sampling(fd);
	count_must_be_right(fd);
}

/* The signal goes to the owner of the descriptor, even if another thread caused the overflow. */
TEST(the_signal_goes_to_the_thread_that_owns_the_descriptor)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID };
	struct spinner spinner = { .roams = true };
	int fd;

	need_overflow_interrupts();
	spinner_begin(&spinner);
	fd = make_context();
	sample_busily(fd, PERIOD);
	catch_signal(SIGIO);
	owner.pid = spinner.tid;
	ck_assert_int_eq(fcntl(fd, F_SETOWN_EX, &owner), 0);
	ask_for_signals(fd, true);
	load_and_start(fd, thread_id());
	spin_until_masked(fd);
	wait_until(signals);
	ck_assert_int_eq(signalled, spinner.tid);
	spinner_end(&spinner);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * The signal handler restarts the context. The loop below does not restart it: the loop only spins,
 * and removes the messages from the queue.
 */
static void restart_by_signals(uint32_t flags)
{
	int fd = context_with_flags(flags);

	sample_busily(fd, PERIOD);
	load(fd, thread_id());
	catch_signal(SIGIO);
	restarts = 0;
	restarted_by_signal = fd;
	ck_assert_int_eq(fcntl(fd, F_SETOWN, thread_id()), 0);
	ask_for_signals(fd, true);
	must(fd, pfm_start(fd, NULL));
	while (restarts < 30) {
		sampled_loop(100000);
		if (!(flags & PFM_FL_OVFL_NO_MSG) && message_waits(fd))
			next_overflow(fd);
	}
	must(fd, pfm_stop(fd));
	restarted_by_signal = -1;
	ck_assert_int_eq(signals, restarts);
	end_sampling(fd);
	count_must_be_right(fd);
	close(fd);
}

TEST(a_thread_may_restart_itself_in_the_signals_handler)
{
	need_overflow_interrupts();
	restart_by_signals(0);
}

TEST(without_messages_signals_and_restarts_still_work)
{
	need_overflow_interrupts();
	restart_by_signals(PFM_FL_OVFL_NO_MSG);
}
