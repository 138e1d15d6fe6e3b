/* SPDX-License-Identifier: GPL-2.0-only */
/* A context that pfmon programs with the events of a measurement. */
#ifndef PFMON_SESSION_H
#define PFMON_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "../event/events.h"

/**
 * struct session - a context that pfmon uses
 * @fd: its descriptor
 * @machine: what can be counted on this machine
 * @sets: event sets to create; NULL: the context has only set 0, which exists in every context
 * @set_count: number of sets of the context; 1 if @sets is NULL
 * @pmcs: PMCs to write
 * @pmc_count: number of @pmcs
 * @initial: PMDs with their initial values. Each set has the PMDs of its events, in order. If
 *	@has_runtime, the PMD of the thread's CPU time follows. An initial value is 0 unless the
 *	event needs another one or a caller changes it
 * @pmds: the same PMDs, as arguments of pfm_write_pmds() and pfm_read_pmds()
 * @values: the same PMDs, as arguments of pfm_read(), which reads only their values
 * @pmd_count: number of elements in each of @initial, @pmds and @values
 * @has_runtime: the last PMD of each set is the CPU time
 * @is_inherited: the context was created with PFM_FL_INHERIT_*
 * @is_twin: the arrays belong to another session
 * @cpu: CPU of a system-wide context. It stays the same after an unload. If CPUs share the
 *	registers, @cpu is the owner
 * @came_later: the CPU came online during the measurement
 * @was_offline: the CPU went offline during the measurement, and came online again
 */
struct session {
	int fd;
	struct machine machine;
	struct pfarg_setdesc *sets;
	size_t set_count;
	struct pfarg_pmc *pmcs;
	unsigned int pmc_count;
	struct pfarg_pmd *initial;
	struct pfarg_pmd *pmds;
	struct pfarg_pmr *values;
	unsigned int pmd_count;
	bool has_runtime;
	bool is_inherited;
	bool is_twin;
	int cpu;
	bool came_later;
	bool was_offline;
};

/*
 * Create the context. @flags are PFM_FL_*. If @pmu is NULL, the context gets the default PMU. If
 * @format is NULL, the context gets no sampling format. Returns 0, or -1 with errno. Prints no
 * message: the caller calls fail_open().
 */
int session_create(struct session *session, const char *pmu, uint32_t flags,
		   const char *format, void *argument, size_t size);

/*
 * Unless stated otherwise, the functions below return 0 if they succeed. If they fail, they report
 * an error and return -1. The caller calls session_close() after session_open() or
 * session_create(), even if that function failed. session_open() creates a context without a
 * format and fills in @session->machine. If the PMU module does not support PFM_FL_INHERIT_*,
 * session_open() leaves out PFM_FL_INHERIT_* and PFM_FL_KEEP_COUNTS.
 */
int session_open(struct session *session, const char *pmu, uint32_t flags);

/* Fill in @session->machine. The caller has called session_create() with the same @flags. */
int session_ask(struct session *session, uint32_t flags);
int session_program(struct session *session, const struct event_list *events);

/*
 * Create one more context, @twin, with the events of @session. Both use the same arrays, so the
 * caller closes @session last.
 */
int session_twin(const struct session *session, uint32_t flags, struct session *twin);

/* Load the context on thread @tid. */
int session_attach(struct session *session, int tid);
int session_start(struct session *session);

/*
 * Like session_attach() and session_start(), for a thread that may be monitored already or may end
 * at any time. If the load fails, session_try_attach() returns the errno and prints no message.
 * Then the caller can call fail_load(). session_try_start() returns 1 if the thread has ended since
 * the load.
 */
int session_try_attach(struct session *session, int tid);
int session_try_start(struct session *session);

/*
 * Load the context on @cpu and start it again, after the context's CPU went offline. The counters
 * continue from their present values. Returns 0, or the errno without a message.
 */
int session_resume(struct session *session, int cpu);

/*
 * Returns whether the context is loaded. If its thread ends or its CPU goes offline, the kernel
 * unloads it.
 */
bool session_is_attached(const struct session *session);

/* Stop counting and unload the context. It is no error if the thread has ended. */
int session_detach(struct session *session);

/* Read all PMDs into @session->pmds. */
int session_read_pmds(struct session *session);

/*
 * Store the counts of @events in @values. Store in @times, for each set, the CPU time in ns that
 * the thread used while the set was active, or 0 if the time is not known. For a system-wide
 * context, store the time for which the set was active.
 */
int session_read(struct session *session, const struct event_list *events,
		 uint64_t *values, uint64_t *times);

/**
 * struct session_thread - one of the threads that a session counts
 * @which: PFM_THREAD_*, chosen by the caller
 * @tid: the thread
 * @tgid: its process
 * @name: its name
 */
struct session_thread {
	uint32_t which;
	uint32_t tid;
	uint32_t tgid;
	char name[PFM_THREAD_NAME_SIZE];
};

/*
 * Like session_read(), for the thread that @thread->which selects. If there is no such thread,
 * stores nothing and returns 1. Call this only if session_reads_at_once() returns true.
 * PFM_THREAD_ENDED works only in a session with PFM_FL_KEEP_COUNTS.
 */
int session_read_thread(struct session *session, const struct event_list *events,
			struct session_thread *thread, uint64_t *values, uint64_t *times);

/*
 * Returns whether one call can read all values. Each call with PFM_THREAD_ENDED selects the next
 * thread, so a second call could not read more values of the same thread.
 */
bool session_reads_at_once(const struct session *session);

/*
 * Returns the number of ended threads whose counts the kernel has dropped since the load. If a
 * limit is reached, the kernel drops counts that session_read_thread() has not read yet.
 */
uint64_t session_dropped_counts(const struct session *session);

/**
 * struct set_activity - activity of an event set
 * @runs: number of times that the set became active
 * @duration: time in ns for which the set was active while the context was monitoring and its
 *	thread was running
 */
struct set_activity {
	uint64_t runs;
	uint64_t duration;
};

/* Store the activity of each set in @activities. */
int session_read_activities(struct session *session, struct set_activity *activities);

/* Returns whether the thread ran on CPUs where nothing was counted. */
bool session_ran_elsewhere(const struct session *session);

/*
 * Returns whether monitoring has ended because the thread executed a program that the user may not
 * monitor.
 */
bool session_was_closed(const struct session *session);

/**
 * struct unfollowed - what a session could not follow
 * @threads: number of threads and processes that got no copy when they were created
 * @closed: number of threads and processes that were counted only until they executed a program
 *	that the user may not monitor
 */
struct unfollowed {
	uint64_t threads;
	uint64_t closed;
};

/* Add the numbers since the load to @sum. */
void session_add_unfollowed(const struct session *session, struct unfollowed *sum);

/*
 * Warn about the threads and processes in @unfollowed. @done is the verb of the messages, such as
 * "counted".
 */
void unfollowed_warn(const struct unfollowed *unfollowed, const char *done);

/* session_try_attach() failed with @error. Returns whether the thread has ended. */
bool session_thread_is_gone(const struct session *session, int error);
/*
 * The load of a context failed with @error. Returns whether it failed because this pfmon process
 * already monitors the thread or CPU, with a context or with a copy of one.
 */
bool session_has_thread(const struct session *session, int error);

void session_close(struct session *session);

#endif
