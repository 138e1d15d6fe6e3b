/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts that count the same events, each on a thread or CPU of its own: their counts are added
 * up.
 */
#ifndef PFMON_GROUP_H
#define PFMON_GROUP_H

#include "costs.h"
#include "session.h"

/**
 * struct group - contexts with the same events
 * @first: the first context, which the caller has opened and programmed
 * @twins: the other contexts
 * @twin_count: number of @twins
 * @attached: number of contexts that have been loaded. @first is loaded first, then @twins in order
 * @earlier: sums of the statistics that contexts had before they were loaded again. A context is
 *	loaded again if its CPU comes online again, and this load resets its statistics
 * @values: buffer for the counts of one context
 * @times: buffer for the CPU times of one context
 */
struct group {
	struct session *first;
	struct session *twins;
	size_t twin_count;
	size_t attached;
	struct costs earlier;
	uint64_t *values;
	uint64_t *times;
};

/*
 * Unless stated otherwise, the functions below return 0 if they succeed. If they fail, they report
 * an error and return -1. The caller calls group_close() after group_prepare(), even if
 * group_prepare() failed, and closes @first only after group_close().
 */
int group_prepare(struct group *group, struct session *first,
		  const struct event_list *events);

/*
 * Load the next context on @tid. If this context does not exist yet, it is created with @flags
 * (PFM_FL_*). If the load fails, returns a positive errno without a message; group_fail_attach()
 * reports it.
 */
int group_attach(struct group *group, int tid, uint32_t flags);
int group_fail_attach(const struct group *group, int tid, int error);
/* Like group_attach(), for a system-wide context. */
int group_attach_cpu(struct group *group, int cpu);
/*
 * Load and start context @index again, after its CPU went offline.  Returns 0 or an errno, without
 * a message.
 */
int group_resume_cpu(struct group *group, size_t index);
int group_fail_attach_cpu(const struct group *group, int cpu, int error);

/* Returns the context that the last group_attach() or group_attach_cpu() could not load. */
struct session *group_failed(const struct group *group);

/*
 * Start all contexts. Threads that have ended are left out. Fails if all threads have ended.
 */
int group_start(struct group *group);

/* Returns context @index: 0 is @first, 1 is the first of @twins. */
struct session *group_session(const struct group *group, size_t index);

/* Stop counting and unload all contexts. */
int group_detach(struct group *group);

/* Like session_read() and session_read_activities(), but with the sums of all contexts. */
int group_read(struct group *group, const struct event_list *events, uint64_t *values,
	       uint64_t *times);
int group_read_activities(struct group *group, struct set_activity *activities);

/**
 * struct group_losses - what was not counted
 * @ran_elsewhere: a thread ran on CPUs where nothing was counted
 * @closed: number of contexts that the kernel unloaded because their thread executed a program that
 *	the user may not monitor
 * @unfollowed: threads and processes that monitored threads created, but that were not counted or
 *	were counted only in part
 */
struct group_losses {
	bool ran_elsewhere;
	uint64_t closed;
	struct unfollowed unfollowed;
};

/* Add the losses since the load to @losses. */
void group_add_losses(const struct group *group, struct group_losses *losses);

/* Add the statistics of all contexts to @costs, including @group->earlier. */
void group_add_costs(const struct group *group, struct costs *costs);

void group_close(struct group *group);

#endif
