/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports of the kernel about the sampled processes: fork, exec, new names, new executable memory.
 * To get the reports, pfmon opens one perf event on each CPU. These perf events count nothing, so
 * they need no PMU and do not disturb other users of perf. The times of the reports and of the
 * samples are from the same clock.
 */
#ifndef PFMON_SIDE_BAND_H
#define PFMON_SIDE_BAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "maps.h"

enum side_kind {
	SIDE_FORK, /* a thread or process was created */
	SIDE_NAME, /* a thread has a new name */
	SIDE_EXEC, /* exec: the thread gets a new name, and its process loses its mappings */
	SIDE_MAPPING, /* a process has new executable memory */
};

/**
 * struct side_event - a report about a thread or process
 * @kind: what happened
 * @time: when it happened, in ns of the samples' clock
 * @tid: thread
 * @tgid: its process
 * @parent_tid: for SIDE_FORK, the thread that created @tid
 * @parent_tgid: for SIDE_FORK, the process of @parent_tid
 * @name: for SIDE_NAME and SIDE_EXEC, the new name
 * @map: for SIDE_MAPPING, the new memory
 */
struct side_event {
	enum side_kind kind;
	uint64_t time;
	uint32_t tid;
	uint32_t tgid;
	uint32_t parent_tid;
	uint32_t parent_tgid;
	const char *name;
	struct map map;
};

struct side_ring;

/**
 * struct side_band - the perf events of all CPUs
 * @rings: for each CPU, the ring with its reports; the index is the number of the CPU. A CPU that
 *	is offline may have no ring
 * @count: number of @rings
 * @tid: the watched thread, or -1 if all processes are watched. The new threads and child processes
 *	of a watched thread are watched, too
 * @poll: descriptor that becomes readable when many reports wait in a ring. The caller then calls
 *	side_band_read()
 * @lost: number of reports that did not fit into the rings
 * @gaps: number of times that pfmon found a CPU that had come online. Each time, the reports about
 *	what happened on this CPU before pfmon found it are missing
 */
struct side_band {
	struct side_ring *rings;
	size_t count;
	pid_t tid;
	int poll;
	uint64_t lost;
	uint64_t gaps;
};

/*
 * Begin to watch thread @tid or, if @tid is -1, all processes. Returns 0, or -1 after reporting an
 * error. If the kernel does not have or does not permit these perf events, returns a positive errno
 * without a message; the caller then reads /proc from time to time. The caller calls
 * side_band_close() in any case.
 */
int side_band_open(struct side_band *band, pid_t tid);

/* Returns 0 to continue; any other value ends side_band_read(), which returns that value. */
typedef int (*side_function)(void *data, const struct side_event *event);

/*
 * Call @function for each report since the last call. The reports of one CPU are in chronological
 * order. If all processes are watched, side_band_read() also looks for CPUs that have come online.
 * The reports of such a CPU are missing until side_band_read() finds it, so the caller calls
 * side_band_read() at least every half second.
 */
int side_band_read(struct side_band *band, side_function function, void *data);

void side_band_close(struct side_band *band);

#endif
