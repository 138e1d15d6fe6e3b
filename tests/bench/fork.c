// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures what the counters of a parent add to the cost of a child process, with and without
 * inheritance. The cost of a child process consists of fork(), the switch to the child, its exit,
 * and wait(). Nothing else runs, and the child does nothing.
 */
#include <alloca.h>
#include <err.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fork.h"
#include "measure.h"
#include "operations.h"
#include "tool.h"

#define COUNTERS 4

static void live(void *unused)
{
	pid_t pid = fork();

	(void)unused;
	if (pid == 0)
		_exit(0);
	if (pid == -1 || waitpid(pid, NULL, 0) != pid)
		err(1, "fork");
}

/*
 * Measures what live() costs. After a fork, parent and child each take a page fault when they first
 * write to a page of the stack. The stack is at a random address. So without the array
 * rest_of_page, the frames of measure_short_path() and live() would be on one page in one boot and
 * on two pages in another boot. The second page adds 6,000 instructions to the cost of a fork. With
 * the array, this function's frame fills the page that it shares with its callers, so the frames of
 * the functions that it calls begin on a new page.
 */
static double measure_life(void)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	volatile char *rest_of_page = alloca(frame % sysconf(_SC_PAGESIZE) + 1);

	*rest_of_page = 0; /* so that the compiler keeps the array */
	return measure_short_path(live, NULL);
}

static double measure_perfmon(uint32_t flags)
{
	struct session session;
	double cost;

	perfmon_open_flags(&session, COUNTERS, flags);
	perfmon_tool.start(&session);
	cost = measure_life();
	perfmon_tool.stop(&session);
	perfmon_tool.close(&session);
	return cost;
}

/*
 * Measures the cost of a child process while perf counts events of its parent. As in perf.c, the
 * events are one group. Unlike perf.c, this function does not set PERF_FORMAT_GROUP, because Linux
 * 6.1 does not allow it for inherited events.
 */
static double measure_perf(bool is_inherited)
{
	const uint64_t *events = find_pmu()->perf.events;
	int fds[COUNTERS], i;
	double cost;

	for (i = 0; i < COUNTERS; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_RAW,
			.size = sizeof(attr),
			.config = events[i],
			.inherit = is_inherited,
		};

		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? fds[0] : -1, 0);
		if (fds[i] == -1)
			err(1, "perf_event_open");
	}
	cost = measure_life();
	while (i-- > 0)
		close(fds[i]);
	return cost;
}

/*
 * Number of turns. Each turn measures all figures once. The first turn is a warm-up, and its values
 * are not used: in this turn the program uses some memory for the first time, and only later forks
 * copy the page tables of this memory. For each figure, the lowest value of the later turns is
 * kept.
 */
#define TURNS 3

static void keep_least(double *least, double cost, int turn)
{
	if (turn > 0)
		*least = fmin(*least, cost);
}

void measure_forks(double *ours, double *perf, double *neither)
{
	const bool has_perf = has_hardware_events() &&
			      find_pmu()->perf.events[COUNTERS - 1];
	double nobody = INFINITY, our_others = INFINITY, our_copies = INFINITY,
	       perf_others = INFINITY, perf_copies = INFINITY;
	int turn;

	for (turn = 0; turn < TURNS; turn++) {
		keep_least(&nobody, measure_life(), turn);
		keep_least(&our_others, measure_perfmon(0), turn);
		keep_least(&our_copies, measure_perfmon(PFM_FL_INHERIT_ALL), turn);
		if (!has_perf)
			continue;
		sleep(2); /* the module may keep the counters for a second after the last unload */
		keep_least(&perf_others, measure_perf(false), turn);
		keep_least(&perf_copies, measure_perf(true), turn);
	}
	neither[ROW_FORK] = nobody;
	ours[ROW_FORK_OTHERS_4] = our_others - nobody;
	ours[ROW_FORK_4] = our_copies - nobody;
	if (!has_perf)
		return;
	perf[ROW_FORK_OTHERS_4] = perf_others - nobody;
	perf[ROW_FORK_4] = perf_copies - nobody;
}
