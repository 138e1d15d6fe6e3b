// SPDX-License-Identifier: GPL-2.0-only
/* Wait for the end of the measured command or threads. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/errors.h"
#include "wait.h"

/*
 * If the end of the thread was reported more than this many ns before the end of the
 * command, the thread ended on its own.
 */
#define EARLY 250000000ull

uint64_t nanoseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A signal that pfmon was told to ignore, as by nohup, remains ignored. */
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

	/* The status of a child is lost if SIGCHLD is ignored. */
	sigaction(SIGCHLD, &action, &signals->child);
	sigemptyset(&set);
	/*
	 * SIGINT and SIGTERM are received even if they were ignored: scripts end
	 * background processes with them.
	 */
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
 * A signal from the terminal has reached the command, too. A signal sent to pfmon alone
 * has not, so it is passed on.
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

/**
 * struct waiting - state of a wait
 * @watch: what to wait for
 * @outcome: what is known about the end
 * @files: descriptors for poll(): first that of the signals, then those of the contexts
 * @open: number of contexts that may still have messages
 * @ended_at: when the last thread ended
 * @tick_at: when the next tick is due
 */
struct waiting {
	struct watch *watch;
	struct outcome *outcome;
	struct pollfd *files;
	unsigned int open;
	uint64_t ended_at;
	uint64_t tick_at;
};

static void set_tick(struct waiting *waiting)
{
	waiting->tick_at =
		nanoseconds_now() + (uint64_t)waiting->watch->interval * 1000000;
}

/* After an error, wait only for the child, if there is one. */
static void give_up(struct waiting *waiting)
{
	waiting->outcome->failed = true;
	waiting->watch->interval = 0;
	for (unsigned int i = 0; i < waiting->watch->context_count; i++)
		waiting->files[i + 1].fd = -1;
}

static void close_context(struct waiting *waiting, unsigned int index)
{
	waiting->files[index + 1].fd = -1;
	waiting->open--;
}

static void take_message(struct waiting *waiting, unsigned int index)
{
	struct watch *watch = waiting->watch;
	union pfarg_msg message;

	if (read(watch->contexts[index], &message, sizeof(message)) != sizeof(message)) {
		if (errno != EINTR && errno != EAGAIN)
			close_context(waiting, index);
		return;
	}
	if (message.type == PFM_MSG_END) {
		close_context(waiting, index);
		waiting->outcome->ended = !waiting->open;
		waiting->ended_at = nanoseconds_now();
	}
	if (watch->message && watch->message(watch->data, index, &message))
		give_up(waiting);
}

static void take_messages(struct waiting *waiting)
{
	for (unsigned int i = 0; i < waiting->watch->context_count; i++)
		if (waiting->files[i + 1].fd != -1 && waiting->files[i + 1].revents)
			take_message(waiting, i);
}

static void do_tick(struct waiting *waiting)
{
	struct watch *watch = waiting->watch;

	if (!watch->interval || nanoseconds_now() < waiting->tick_at)
		return;
	if (watch->tick(watch->data))
		give_up(waiting);
	set_tick(waiting);
}

/* Has the child ended? It is not reaped here. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid == pid;
}

/* Reap processes of the command whose parent ended before they did. */
static void reap_orphans(pid_t command, struct outcome *outcome)
{
	struct rusage usage;
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) ||
		    !info.si_pid || info.si_pid == command)
			return;
		if (wait4(info.si_pid, NULL, WNOHANG, &usage) == info.si_pid)
			others_orphan(&outcome->others, &usage);
	}
}

/* Returns 1 if the wait is over, 0 if not, -1 if the child cannot be waited for. */
static int is_over(const struct waiting *waiting)
{
	const struct watch *watch = waiting->watch;
	struct outcome *outcome = waiting->outcome;
	pid_t changed;

	if (!watch->pid)
		return outcome->ended || outcome->signal || outcome->failed;
	reap_orphans(watch->pid, outcome);
	if (has_ended(watch->pid))
		others_at_end(&outcome->others, watch->pid);
	changed = wait4(watch->pid, &outcome->status, WNOHANG, &outcome->usage);
	if (changed != watch->pid)
		return changed;
	if (!WIFSTOPPED(outcome->status)) {
		reap_orphans(watch->pid, outcome);
		others_finish(&outcome->others, &outcome->usage);
		return 1;
	}
	trace_stopped(watch->tracer, watch->pid, outcome->status >> 8);
	return 0;
}

/* Timeout in ms for poll(), rounded up. */
static int time_left(const struct waiting *waiting)
{
	uint64_t now = nanoseconds_now();

	if (!waiting->watch->interval)
		return -1;
	if (now >= waiting->tick_at)
		return 0;
	return (int)((waiting->tick_at - now + 999999) / 1000000);
}

/* Returns 1 when the wait is over, or -1 on an error. */
static int wait_on(struct waiting *waiting)
{
	const struct watch *watch = waiting->watch;
	int over;

	while (!(over = is_over(waiting))) {
		if (poll(waiting->files, watch->context_count + 1, time_left(waiting)) ==
		    -1) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		if (waiting->files[0].revents)
			take_signals(watch->signals, watch->pid, waiting->outcome);
		take_messages(waiting);
		do_tick(waiting);
	}
	return over;
}

int wait_for_end(struct watch *watch, struct outcome *outcome)
{
	struct waiting waiting = {
		.watch = watch,
		.outcome = outcome,
		.open = watch->context_count,
		.files = calloc(watch->context_count + 1, sizeof(*waiting.files)),
	};
	int over;

	if (!waiting.files)
		return fail("no memory");
	*outcome = (struct outcome){ .others = outcome->others };
	waiting.files[0] = (struct pollfd){ .fd = watch->signals->fd, .events = POLLIN };
	for (unsigned int i = 0; i < watch->context_count; i++)
		waiting.files[i + 1] =
			(struct pollfd){ .fd = watch->contexts[i], .events = POLLIN };
	set_tick(&waiting);
	over = wait_on(&waiting);
	free(waiting.files);
	if (over != 1)
		return fail("cannot wait: %s", strerror(errno));
	/* A signal that came with the end of the command belongs to this run, too. */
	take_signals(watch->signals, 0, outcome);
	if (outcome->ended && watch->pid)
		outcome->ended_early = nanoseconds_now() - waiting.ended_at > EARLY;
	return 0;
}
