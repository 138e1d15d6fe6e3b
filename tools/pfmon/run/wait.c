// SPDX-License-Identifier: GPL-2.0-only
/* Wait for the end of the measured command or threads. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/errors.h"
#include "wait.h"

/*
 * outcome.ended_early is set if the last monitored thread ended more than this many ns before the
 * command did.
 */
#define EARLY 250000000ull

uint64_t nanoseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A signal that was already ignored when pfmon began, as with nohup, remains ignored. */
static void add_unless_ignored(sigset_t *set, int number)
{
	struct sigaction action;

	if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN)
		sigaddset(set, number);
}

int signals_take(struct signals *signals)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	struct sigaction ignored = { .sa_handler = SIG_IGN };
	sigset_t set;

	/* The status of a child is lost if SIGCHLD is ignored. */
	sigaction(SIGCHLD, &action, &signals->child);
	sigaction(SIGXFSZ, &ignored, &signals->file_size);
	sigemptyset(&set);
	/*
	 * A script may start pfmon in the background with SIGINT ignored, and then end pfmon with
	 * SIGINT or SIGTERM. So pfmon receives both signals even if they were ignored.
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
	sigaction(SIGXFSZ, &signals->file_size, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

void signals_close(struct signals *signals)
{
	close(signals->fd);
}

/*
 * A signal from the terminal (SI_KERNEL) goes to both pfmon and the command. A signal that a
 * process has sent may have gone to pfmon only, so pass it on to the command.
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
 * @poll: epoll descriptor that waits for the signals, the contexts, the processes and @watch->more
 * @open: number of contexts that may still have messages, plus number of processes that have not
 *	ended
 * @ended_at: when pfmon saw the end of the last thread or process, in ns of CLOCK_MONOTONIC
 * @tick_at: when @watch->tick is called next, on the same clock
 * @over_at: when @watch->timeout expires, on the same clock
 */
struct waiting {
	struct watch *watch;
	struct outcome *outcome;
	int poll;
	unsigned int open;
	uint64_t ended_at;
	uint64_t tick_at;
	uint64_t over_at;
};

/*
 * The data of an epoll event tell which descriptor is ready: the signalfd, one of watch.more, a
 * context, or a process.
 */
#define SIGNALS	       0u
#define MORE(index)    (UINT32_MAX - (index))
#define CONTEXT(index) (1 + (index))
#define EVENTS_AT_ONCE 64

static int poll_for(const struct waiting *waiting, int fd, unsigned int what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = what };

	return epoll_ctl(waiting->poll, EPOLL_CTL_ADD, fd, &event);
}

static void set_tick(struct waiting *waiting)
{
	waiting->tick_at =
		nanoseconds_now() + (uint64_t)waiting->watch->interval * 1000000;
}

static void stop_polling(const struct waiting *waiting, int fd)
{
	epoll_ctl(waiting->poll, EPOLL_CTL_DEL, fd, NULL);
}

/* After an error, wait only for the child, if there is one. */
static void give_up(struct waiting *waiting)
{
	const struct watch *watch = waiting->watch;

	waiting->outcome->failed = true;
	waiting->watch->interval = 0;
	for (unsigned int i = 0; i < watch->context_count; i++)
		stop_polling(waiting, watch->contexts[i]);
	for (unsigned int i = 0; i < watch->more_count; i++)
		stop_polling(waiting, watch->more[i].fd);
}

/* Note the end of a thread or process. */
static void one_less(struct waiting *waiting)
{
	waiting->open--;
	waiting->outcome->ended = !waiting->open;
	waiting->ended_at = nanoseconds_now();
}

static void take_message(struct waiting *waiting, unsigned int index)
{
	struct watch *watch = waiting->watch;
	int fd = watch->contexts[index];
	union pfarg_msg message;

	if (read(fd, &message, sizeof(message)) != sizeof(message)) {
		if (errno != EINTR && errno != EAGAIN) {
			stop_polling(waiting, fd);
			waiting->open--;
		}
		return;
	}
	if (message.type == PFM_MSG_END && !watch->may_return) {
		if (!watch->have_copies)
			stop_polling(waiting, fd);
		one_less(waiting);
	}
	if (watch->message && watch->message(watch->data, index, &message))
		give_up(waiting);
}

static void end_process(struct waiting *waiting, unsigned int index)
{
	stop_polling(waiting, waiting->watch->processes[index]);
	one_less(waiting);
}

static void take_more(struct waiting *waiting, const struct watched *watched)
{
	if (!waiting->outcome->failed && watched->ready(waiting->watch->data))
		give_up(waiting);
}

static void take_event(struct waiting *waiting, unsigned int what)
{
	const struct watch *watch = waiting->watch;

	if (what == SIGNALS)
		take_signals(watch->signals, watch->pid, waiting->outcome);
	else if (what > MORE(watch->more_count))
		take_more(waiting, &watch->more[MORE(0) - what]);
	else if (what >= CONTEXT(watch->context_count))
		end_process(waiting, what - CONTEXT(watch->context_count));
	else if (!waiting->outcome->failed)
		take_message(waiting, what - CONTEXT(0));
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

static void check_time(struct waiting *waiting)
{
	if (waiting->outcome->timed_out || nanoseconds_now() < waiting->over_at)
		return;
	waiting->outcome->timed_out = true;
	if (waiting->watch->pid)
		kill(waiting->watch->pid, SIGTERM);
}

/* Reap orphans: the command's processes that became children of pfmon when their parent ended. */
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

/* Handle a stop of the traced child. Does nothing if the child has ended since it stopped. */
static void take_stop(const struct watch *watch)
{
	int stop = trace_take_stop(watch->pid);

	if (stop != -1)
		trace_stopped(watch->tracer, watch->pid, stop);
}

/*
 * Returns 1 if the wait is over, 0 if not, -1 if the child cannot be waited for. others_at_end()
 * needs the child, so waitid() must not reap it.
 */
static int is_over(const struct waiting *waiting)
{
	const struct watch *watch = waiting->watch;
	struct outcome *outcome = waiting->outcome;
	siginfo_t info = { 0 };

	if (!watch->pid)
		return outcome->ended || outcome->signal || outcome->failed ||
		       outcome->timed_out || watch->is_done;
	reap_orphans(watch->pid, outcome);
	if (waitid(P_PID, (id_t)watch->pid, &info,
		   WEXITED | (watch->tracer ? WSTOPPED : 0) | WNOHANG | WNOWAIT))
		return -1;
	if (!info.si_pid)
		return 0;
	if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
		take_stop(watch);
		return 0;
	}
	others_at_end(&outcome->others, watch->pid);
	if (wait4(watch->pid, &outcome->status, 0, &outcome->usage) != watch->pid)
		return -1;
	reap_orphans(watch->pid, outcome);
	others_finish(&outcome->others, &outcome->usage);
	return 1;
}

/* Returns the timeout in ms for epoll_wait(), rounded up. */
static int time_left(const struct waiting *waiting)
{
	uint64_t now = nanoseconds_now(), next = UINT64_MAX;

	if (waiting->watch->interval)
		next = waiting->tick_at;
	if (!waiting->outcome->timed_out && waiting->over_at < next)
		next = waiting->over_at;
	if (next == UINT64_MAX)
		return -1;
	if (now >= next)
		return 0;
	if (next - now > (uint64_t)INT_MAX * 1000000)
		return INT_MAX;
	return (int)((next - now + 999999) / 1000000);
}

/* Returns 1 when the wait is over, or -1 on an error. */
static int wait_on(struct waiting *waiting)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	int over, count;

	while (!(over = is_over(waiting))) {
		count = epoll_wait(waiting->poll, events, EVENTS_AT_ONCE,
				   time_left(waiting));
		if (count == -1 && errno != EINTR)
			return -1;
		for (int i = 0; i < count; i++)
			take_event(waiting, events[i].data.u32);
		do_tick(waiting);
		check_time(waiting);
	}
	return over;
}

static int begin_polling(struct waiting *waiting)
{
	const struct watch *watch = waiting->watch;
	int result;

	waiting->poll = epoll_create1(EPOLL_CLOEXEC);
	if (waiting->poll == -1)
		return -1;
	result = poll_for(waiting, watch->signals->fd, SIGNALS);
	for (unsigned int i = 0; !result && i < watch->more_count; i++)
		result = poll_for(waiting, watch->more[i].fd, MORE(i));
	for (unsigned int i = 0; !result && i < watch->context_count; i++)
		result = poll_for(waiting, watch->contexts[i], CONTEXT(i));
	for (unsigned int i = 0; !result && i < watch->process_count; i++)
		result = poll_for(waiting, watch->processes[i],
				  CONTEXT(watch->context_count + i));
	return result;
}

int wait_for_one_more(struct watch *watch, const int *contexts)
{
	const unsigned int last = watch->context_count++;

	watch->contexts = contexts;
	watch->waiting->open++;
	return poll_for(watch->waiting, contexts[last], CONTEXT(last))
		       ? fail("cannot wait: %s", strerror(errno))
		       : 0;
}

int wait_for_end(struct watch *watch, struct outcome *outcome)
{
	struct waiting waiting = {
		.watch = watch,
		.outcome = outcome,
		.open = watch->context_count + watch->process_count,
		.over_at = watch->timeout ? nanoseconds_now() + watch->timeout
					  : UINT64_MAX,
	};
	int over, error;

	*outcome = (struct outcome){ .others = outcome->others };
	watch->waiting = &waiting;
	set_tick(&waiting);
	over = begin_polling(&waiting);
	if (!over)
		over = wait_on(&waiting);
	error = errno;
	if (waiting.poll != -1)
		close(waiting.poll);
	if (over != 1)
		return fail("cannot wait: %s", strerror(error));
	/* A signal that arrived while the command was ending still belongs to this run. */
	take_signals(watch->signals, 0, outcome);
	if (outcome->ended && watch->pid)
		outcome->ended_early = nanoseconds_now() - waiting.ended_at > EARLY;
	return 0;
}
