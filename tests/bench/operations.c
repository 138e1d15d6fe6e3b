// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "operations.h"

#define PARTNERS 5

/* Number of contexts that are set up, but not loaded. */
#define UNLOADED 16

/* ---- floors ------------------------------------------------------------------------- */

static void do_getpid(void *argument)
{
	(void)argument;
	syscall(SYS_getpid);
}

/*
 * Calls ioctl() with a command that perfmon does not have. So the kernel only calls the driver,
 * which does nothing.
 */
static void do_ioctl(void *argument)
{
	const int *fd = argument;

	ioctl(*fd, _IO(PFM_IOC_TYPE, 255));
}

/* ---- context switches --------------------------------------------------------------- */

/* Two processes that wake each other in turn, on one CPU. */
struct ping_pong {
	int there[2];
	int back[2];
	pid_t partner;
};

static void make_pipe(int *pipe_fds)
{
	if (pipe(pipe_fds))
		err(1, "pipe");
}

static void send(int *pipe_fds)
{
	if (write(pipe_fds[1], "", 1) != 1)
		err(1, "write to a pipe");
}

static bool receive(int *pipe_fds)
{
	char byte;

	return read(pipe_fds[0], &byte, 1) == 1;
}

static bool begin(const struct tool *tool, struct session *session, unsigned int count)
{
	if (!tool->open(session, count, 0))
		return false;
	tool->start(session);
	return true;
}

static void partner_main(struct ping_pong *game, const struct tool *tool,
			 unsigned int count)
{
	struct session session;

	close(game->there[1]);
	if (tool && !begin(tool, &session, count))
		errx(1, "no counters for the second process");
	while (receive(game->there))
		send(game->back);
	_exit(0);
}

static void round_trip(void *argument)
{
	struct ping_pong *game = argument;

	send(game->there);
	if (!receive(game->back))
		errx(1, "the second process has ended");
}

static long switches_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static double measure_switch_once(const struct tool *tool, unsigned int count)
{
	struct ping_pong game;
	double cost;
	long before;

	make_pipe(game.there);
	make_pipe(game.back);
	game.partner = fork();
	if (game.partner == -1)
		err(1, "fork");
	if (game.partner == 0)
		partner_main(&game, tool, count);
	close(game.back[1]);

	before = switches_so_far();
	cost = measure(round_trip, &game) / 2;
	if (switches_so_far() - before < REPETITIONS)
		errx(1, "%ld switches in %d round trips: run pfm-bench on one CPU",
		     switches_so_far() - before, REPETITIONS);

	close(game.there[1]);
	waitpid(game.partner, NULL, 0);
	close(game.there[0]);
	close(game.back[0]);
	return cost;
}

/*
 * Measures a context switch between this process and a partner process, which @tool monitors. If
 * @tool is NULL, nobody monitors the partner. On POWER the kernel itself executes up to 200 more
 * instructions with some partners than with others. So several partners are created, and the lowest
 * cost is used.
 */
static double measure_switch(const struct tool *tool, unsigned int count)
{
	double best = INFINITY;
	int i;

	for (i = 0; i < PARTNERS; i++)
		best = fmin(best, measure_switch_once(tool, count));
	return best;
}

static void measure_switches(const struct tool *tool, unsigned int count, double nobody,
			     double *both, double *alone)
{
	struct session session;

	if (!begin(tool, &session, count))
		return;
	*both = measure_switch(tool, count) - nobody;
	*alone = measure_switch(NULL, 0) - nobody;
	tool->close(&session);
}

/* ---- a thread that sleeps ----------------------------------------------------------- */

static pid_t make_sleeper(void)
{
	pid_t sleeper = fork();

	if (sleeper == -1)
		err(1, "fork");
	while (sleeper == 0)
		pause();
	return sleeper;
}

static void end_sleeper(pid_t sleeper)
{
	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
}

static double measure_read(const struct tool *tool, unsigned int count, pid_t thread)
{
	struct session session;
	double cost;

	if (!tool->open(&session, count, thread))
		return NOT_MEASURED;
	tool->start(&session);
	cost = measure(tool->read, &session);
	tool->close(&session);
	return cost;
}

static double measure_read_other(const struct tool *tool, unsigned int count)
{
	pid_t sleeper = make_sleeper();
	double cost;

	usleep(10000); /* until the thread sleeps */
	cost = measure_read(tool, count, sleeper);
	end_sleeper(sleeper);
	return cost;
}

static double measure_switch_idle(const struct tool *tool, double nobody)
{
	pid_t sleeper = make_sleeper();
	struct session session;
	double cost = NOT_MEASURED;

	if (tool->open(&session, 1, sleeper)) {
		tool->start(&session);
		cost = measure_switch(NULL, 0) - nobody;
		tool->close(&session);
	}
	end_sleeper(sleeper);
	return cost;
}

/* ---- the calling thread ------------------------------------------------------------- */

/*
 * Fails if a counter has counted nothing, because then the cost of counting was not measured. For
 * example, perf may never have had enough counters for the group of events.
 */
static void must_have_counted(const struct tool *tool, struct session *session)
{
	unsigned int n;

	tool->read(session);
	for (n = 0; n < session->count; n++)
		if (!tool->value(session, n))
			errx(1, "counter %u of %u has counted nothing", n,
			     session->count);
}

static void measure_counters(const struct tool *tool, unsigned int count, double *start,
			     double *stop, double *read, double *read_values)
{
	struct session session;

	if (!tool->open(&session, count, 0))
		return;
	measure_pair(tool->start, tool->stop, &session, start, stop);
	tool->start(&session);
	*read = measure(tool->read, &session);
	if (tool->read_values)
		*read_values = measure(tool->read_values, &session);
	tool->stop(&session);
	must_have_counted(tool, &session);
	tool->close(&session);
}

struct set_up {
	const struct tool *tool;
	unsigned int count;
	struct session session;
};

static void do_open(void *argument)
{
	struct set_up *set_up = argument;

	set_up->tool->open(&set_up->session, set_up->count, 0);
}

static void do_close(void *argument)
{
	struct set_up *set_up = argument;

	set_up->tool->close(&set_up->session);
}

/*
 * Measures what it costs to open and close sessions, and to load and unload a context. During the
 * measurement another thread has a session. Without that session, each measured session would be
 * the only one on the machine. Both perf and perfmon need more time to open or close the only
 * session.
 */
static void measure_set_up(const struct tool *tool, double *costs)
{
	struct set_up one = { tool, 1, { 0 } }, six = { tool, 6, { 0 } };
	pid_t sleeper = make_sleeper();
	struct session other, session;

	if (!tool->open(&other, 1, sleeper))
		goto out;
	measure_pair(tool->create, tool->destroy, &session, &costs[ROW_CREATE],
		     &costs[ROW_DESTROY]);
	measure_pair(do_open, do_close, &one, &costs[ROW_OPEN_1], &costs[ROW_CLOSE_1]);
	if (tool->open(&session, 6, 0)) {
		if (tool->attach)
			measure_pair(tool->detach, tool->attach, &session,
				     &costs[ROW_DETACH], &costs[ROW_ATTACH]);
		tool->close(&session);
		measure_pair(do_open, do_close, &six, &costs[ROW_OPEN_6],
			     &costs[ROW_CLOSE_6]);
	}
	tool->close(&other);
out:
	end_sleeper(sleeper);
}

/* ------------------------------------------------------------------------------------- */

void measure_floors(double *costs)
{
	int fd = pfm_open_device();

	if (fd == -1)
		err(1, PFM_DEVICE);
	costs[ROW_GETPID] = measure(do_getpid, NULL);
	costs[ROW_IOCTL] = measure(do_ioctl, &fd);
	costs[ROW_SWITCH] = measure_switch(NULL, 0);
	close(fd);
}

/*
 * Measures how much more a context switch costs if there are contexts, but none of them is loaded.
 * The difference should be 0, because the scheduler hooks are not installed as long as no context
 * is loaded.
 */
void measure_unloaded(double *costs)
{
	struct session sessions[UNLOADED];
	double without = measure_switch(NULL, 0);
	int i;

	for (i = 0; i < UNLOADED; i++)
		perfmon_set_up(&sessions[i], 1);
	costs[ROW_SWITCH_UNLOADED] = measure_switch(NULL, 0) - without;
	for (i = 0; i < UNLOADED; i++)
		perfmon_tool.close(&sessions[i]);
}

void measure_virtual(double *costs)
{
	costs[ROW_READ_VIRTUAL_1] = measure_read(&virtual_tool, 1, 0);
	costs[ROW_READ_VIRTUAL_4] = measure_read(&virtual_tool, 4, 0);
	costs[ROW_READ_VIRTUAL_6] = measure_read(&virtual_tool, 6, 0);
}

void measure_tool(const struct tool *tool, double nobody_monitored, double *costs)
{
	/*
	 * This row is measured first, while perf has not yet monitored this thread. perf keeps data
	 * about each thread that it has monitored. These data make all later switches of the thread
	 * more expensive.
	 */
	costs[ROW_SWITCH_IDLE] = measure_switch_idle(tool, nobody_monitored);
	measure_counters(tool, 1, &costs[ROW_START_1], &costs[ROW_STOP_1],
			 &costs[ROW_READ_1], &costs[ROW_READ_VALUES_1]);
	measure_counters(tool, 4, &costs[ROW_START_4], &costs[ROW_STOP_4],
			 &costs[ROW_READ_4], &costs[ROW_READ_VALUES_4]);
	measure_counters(tool, 6, &costs[ROW_START_6], &costs[ROW_STOP_6],
			 &costs[ROW_READ_6], &costs[ROW_READ_VALUES_6]);
	costs[ROW_READ_OTHER_1] = measure_read_other(tool, 1);
	costs[ROW_READ_OTHER_6] = measure_read_other(tool, 6);
	measure_switches(tool, 1, nobody_monitored, &costs[ROW_SWITCH_1],
			 &costs[ROW_SWITCH_ALONE_1]);
	measure_switches(tool, 4, nobody_monitored, &costs[ROW_SWITCH_4],
			 &costs[ROW_SWITCH_ALONE_4]);
	measure_switches(tool, 6, nobody_monitored, &costs[ROW_SWITCH_6],
			 &costs[ROW_SWITCH_ALONE_6]);
	measure_set_up(tool, costs);
}
