/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_TOOL_H
#define BENCH_TOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <perfmon/pfmdev.h>

#include "pmus.h"

/**
 * struct session - counters of one thread
 * @fd: descriptor of perfmon's context, or of the leader of perf's group
 * @count: number of counters
 * @members: descriptors of all events of the group, for perf; the first one is the leader
 * @values: the buffer of read(), for perf; for a single event it contains the event's value, for a
 *	group it contains @count and then the values
 * @pmds: the vector of pfm_read_pmds(), for perfmon
 * @pmrs: the vector of pfm_read(), for perfmon
 * @load: the argument of pfm_load_context(), for perfmon
 */
struct session {
	int fd;
	unsigned int count;
	int members[MOST_COUNTERS];
	uint64_t values[1 + MOST_COUNTERS];
	struct pfarg_pmd pmds[MOST_COUNTERS];
	struct pfarg_pmr pmrs[MOST_COUNTERS];
	struct pfarg_load load;
};

/**
 * struct tool - a way to count; each void * points to a struct session
 * @create: only create a context or one event
 * @destroy: undo @create
 * @open: do everything that is needed before @start; returns false if there are not enough
 *	counters; if @thread is 0, the counters count events of the caller
 * @close: undo @open
 * @attach: load the context; NULL for perf, which has no contexts
 * @detach: unload the context; NULL for perf
 * @start: let the counters run
 * @stop: stop the counters
 * @read: read all counters
 * @read_values: read all counters with pfm_read(), which returns only values; NULL for perf
 * @value: value of counter @n in the last @read
 */
struct tool {
	void (*create)(void *session);
	void (*destroy)(void *session);
	bool (*open)(struct session *session, unsigned int count, pid_t thread);
	void (*close)(void *session);
	void (*attach)(void *session);
	void (*detach)(void *session);
	void (*start)(void *session);
	void (*stop)(void *session);
	void (*read)(void *session);
	void (*read_values)(void *session);
	uint64_t (*value)(const struct session *session, unsigned int n);
};

extern const struct tool perfmon_tool; /* counters of the PMU */
extern const struct tool virtual_tool; /* perfmon's virtual PMDs */
extern const struct tool perf_tool;

/* Does the same as perfmon_tool.open, but does not load the context. */
void perfmon_set_up(struct session *session, unsigned int count);

/* Does the same as perfmon_tool.open for the caller's thread. @flags are the context's PFM_FL_*. */
void perfmon_open_flags(struct session *session, unsigned int count, uint32_t flags);

/**
 * perfmon_open_sets() - open a session with @sets event sets, each with @count counters
 * @differ: whether every second set counts other events than the first set
 * @kind: how the sets are switched
 * @switch_period: if not 0, each set has one counter of cycles, and the next set becomes active
 *	after this many cycles
 */
void perfmon_open_sets(struct session *session, unsigned int count, unsigned int sets,
		       bool differ, const struct pfarg_setdesc *kind,
		       uint64_t switch_period);

/* Stores in @info the description of the PMU that perfmon_tool uses. */
void perfmon_describe(struct pfm_info *info);

#endif
