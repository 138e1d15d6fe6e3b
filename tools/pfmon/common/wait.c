// SPDX-License-Identifier: GPL-2.0-only
/* Waiting for the end of what is measured. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "errors.h"
#include "wait.h"

/* A thread whose end is told that much before its command's ended by itself. */
#define EARLY 250000000ull

uint64_t nanoseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A signal that pfmon was told to ignore, as by nohup, stays ignored. */
static void add_unless_ignored(sigset_t *set, int number)
{
	struct sigaction action;

	if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN)
		sigaddset(set, number);
}

int signals_take(struct signals *signals)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	/* The status of a child is lost where SIGCHLD is ignored. */
	sigaction(SIGCHLD, &action, &signals->child);
	sigemptyset(&set);
	/* Not so these: scripts end with them what they run in background. */
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	add_unless_ignored(&set, SIGHUP);
	add_unless_ignored(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, &signals->mask);
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd == -1)
		return fail("cannot take signals: %s", strerror(errno));
	return 0;
}

void signals_restore(const struct signals *signals)
{
	sigaction(SIGCHLD, &signals->child, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

void signals_close(struct signals *signals)
{
	close(signals->fd);
}

/*
 * A signal that the terminal sent has reached the command, too; one that
 * somebody sent to pfmon has not.
 */
static void take_signals(const struct signals *signals, pid_t pid,
			 struct outcome *outcome)
{
	struct signalfd_siginfo info;

	while (read(signals->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		outcome->signal = (int)info.ssi_signo;
		if (pid && info.ssi_code != SI_KERNEL)
			kill(pid, outcome->signal);
	}
}

/* Returns false when there will be no more messages. */
static bool take_message(int fd, struct outcome *outcome)
{
	union pfarg_msg message;

	if (read(fd, &message, sizeof(message)) != sizeof(message))
		return errno == EINTR || errno == EAGAIN;
	if (message.type != PFM_MSG_END)
		return true;
	outcome->ended = true;
	return false;
}

/* Returns 1 if it is, 0 if not, -1 if that cannot be known. */
static int is_over(pid_t pid, struct outcome *outcome)
{
	pid_t ended;

	if (!pid)
		return outcome->ended || outcome->signal;
	ended = wait4(pid, &outcome->status, WNOHANG, &outcome->usage);
	return ended == pid ? 1 : ended;
}

int wait_for_end(int fd, pid_t pid, const struct signals *signals,
		 struct outcome *outcome)
{
	struct pollfd files[] = {
		{ .fd = signals->fd, .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};
	uint64_t ended_at = 0;
	int over;

	memset(outcome, 0, sizeof(*outcome));
	while (!(over = is_over(pid, outcome))) {
		if (poll(files, 2, -1) == -1) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (files[0].revents)
			take_signals(signals, pid, outcome);
		if (files[1].revents && !take_message(fd, outcome)) {
			files[1].fd = -1;
			ended_at = nanoseconds_now();
		}
	}
	if (over != 1)
		return fail("cannot wait: %s", strerror(errno));
	/* Those of the command's last moments belong to this run, too. */
	take_signals(signals, 0, outcome);
	if (outcome->ended && pid)
		outcome->ended_early = nanoseconds_now() - ended_at > EARLY;
	return 0;
}
