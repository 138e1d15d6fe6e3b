// SPDX-License-Identifier: GPL-2.0-only
/*
 * What inheritance adds to the life of a child process: fork(), the switch to the child, its end, and
 * wait(). Nothing else runs, and the child does nothing.
 */
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

static double measure_perfmon(uint32_t flags)
{
	struct session session;
	double cost;

	perfmon_open_flags(&session, COUNTERS, flags);
	perfmon_tool.start(&session);
	cost = measure(live, NULL);
	perfmon_tool.stop(&session);
	perfmon_tool.close(&session);
	return cost;
}

/* Events of one group, as in the other measurements. Inherited groups have no PERF_FORMAT_GROUP. */
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
	cost = measure(live, NULL);
	while (i-- > 0)
		close(fds[i]);
	return cost;
}

void measure_forks(double *ours, double *perf, double *neither)
{
	double nobody;

	measure(live, NULL); /* the kernel's caches grow with the first children */
	nobody = measure(live, NULL);
	neither[ROW_FORK] = nobody;
	ours[ROW_FORK_OTHERS_4] = measure_perfmon(0) - nobody;
	ours[ROW_FORK_4] = measure_perfmon(PFM_FL_INHERIT_ALL) - nobody;
	if (!has_hardware_events() || !find_pmu()->perf.events[COUNTERS - 1])
		return;
	sleep(2); /* the module releases the counters a second after the last context */
	perf[ROW_FORK_OTHERS_4] = measure_perf(false) - nobody;
	perf[ROW_FORK_4] = measure_perf(true) - nobody;
}
