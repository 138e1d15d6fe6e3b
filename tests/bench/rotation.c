// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of a set switch. This is the time for which the thread is interrupted, from its
 * last instruction before the switch to its first instruction after the switch.
 *
 * perf's counterpart is rotation: if the PMU has too few counters, perf rotates the events. So this
 * program opens two groups of perf events, which take turns, and pinned events, which keep all
 * other counters in use. Both perfmon and perf switch every millisecond, except in row
 * ROTATION_OVERFLOW, where each overflow causes a switch.
 */
#include <err.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure.h"
#include "operations.h"
#include "rotation.h"
#include "tool.h"

#define INTERVAL_MS   1
#define ROTATIONS     200 /* switches in a measurement; 0.2 seconds if sets switch by time */
#define INTERVAL_FILE "/sys/bus/event_source/devices/*/perf_event_mux_interval_ms"
#define SWITCH_PERIOD 20000
#define MANY_SETS     1000

static const struct pfarg_setdesc by_time = { .set_flags = PFM_SETFL_TIME_SWITCH,
					      .set_timeout = INTERVAL_MS * 1000000 };
static const struct pfarg_setdesc by_overflow = { .set_flags = PFM_SETFL_OVFL_SWITCH };

static double measure_sets(unsigned int counters, unsigned int sets, bool differ,
			   const struct pfarg_setdesc *kind, uint64_t period)
{
	struct session session;
	double cost;

	perfmon_open_sets(&session, counters, sets, differ, kind, period);
	perfmon_tool.start(&session);
	cost = measure_interruptions(ROTATIONS).cost;
	perfmon_tool.stop(&session);
	perfmon_tool.close(&session);
	return cost;
}

/* ---- perf_event --------------------------------------------------------------------- */

struct opened {
	int fds[2 * MOST_COUNTERS];
	unsigned int count;
};

static int add(struct opened *opened, uint64_t config, int leader, bool is_pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = config,
		.pinned = is_pinned,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);

	if (fd == -1)
		err(1, "perf_event_open");
	opened->fds[opened->count++] = fd;
	return fd;
}

static void add_group(struct opened *opened, unsigned int count)
{
	const uint64_t *events = find_pmu()->perf.rotation;
	int leader = add(opened, events[0], -1, false);
	unsigned int i;

	for (i = 1; i < count; i++)
		add(opened, events[i], leader, false);
}

static void set_interval(void)
{
	glob_t files;
	size_t i;

	if (glob(INTERVAL_FILE, 0, NULL, &files))
		errx(1, "perf has no " INTERVAL_FILE);
	for (i = 0; i < files.gl_pathc; i++) {
		FILE *file = fopen(files.gl_pathv[i], "w");

		if (!file || fprintf(file, "%d", INTERVAL_MS) < 0 || fclose(file))
			err(1, "%s", files.gl_pathv[i]);
	}
	globfree(&files);
}

static double measure_perf(unsigned int counters)
{
	const uint64_t *events = find_pmu()->perf.rotation;
	struct opened opened = { .count = 0 };
	unsigned int i;
	double cost;

	for (i = counters; i < MOST_COUNTERS; i++)
		add(&opened, events[i], -1, true);
	add_group(&opened, counters);
	add_group(&opened, counters);
	cost = measure_interruptions(ROTATIONS).cost;
	while (opened.count > 0)
		close(opened.fds[--opened.count]);
	return cost;
}

void measure_rotations(double *ours, double *perf)
{
	ours[ROW_ROTATION_1] = measure_sets(1, 2, false, &by_time, 0);
	ours[ROW_ROTATION_4] = measure_sets(4, 2, false, &by_time, 0);
	ours[ROW_ROTATION_6] = measure_sets(6, 2, false, &by_time, 0);
	ours[ROW_ROTATION_OTHER_6] = measure_sets(6, 2, true, &by_time, 0);
	ours[ROW_ROTATION_1000] = measure_sets(6, MANY_SETS, true, &by_time, 0);
	if (!has_hardware_events())
		return; /* the following rows need hardware counters */
	ours[ROW_ROTATION_OVERFLOW] =
		measure_sets(1, 2, false, &by_overflow, SWITCH_PERIOD);
	sleep(2); /* the module may keep the counters for a second after the last unload */
	set_interval();
	perf[ROW_ROTATION_1] = measure_perf(1);
	perf[ROW_ROTATION_4] = measure_perf(4);
	perf[ROW_ROTATION_6] = measure_perf(6);
}
