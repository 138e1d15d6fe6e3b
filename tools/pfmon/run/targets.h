/* SPDX-License-Identifier: GPL-2.0-only */
/* Load contexts on running threads and processes, or on CPUs. */
#ifndef PFMON_TARGETS_H
#define PFMON_TARGETS_H

#include "../common/options.h"
#include "group.h"

/**
 * struct targets - what to monitor
 * @threads: threads
 * @processes: processes, with all of their threads
 * @cpus: CPUs, with everything that runs there
 * @is_whole_machine: @cpus are all CPUs that are online
 * @is_per_thread: contexts keep the counts of each thread that ends
 */
struct targets {
	struct id_list threads;
	struct id_list processes;
	struct id_list cpus;
	bool is_whole_machine;
	bool is_per_thread;
};

static inline bool targets_are_given(const struct targets *targets)
{
	return targets->threads.count || targets->processes.count || targets->cpus.count;
}

/*
 * Append the CPUs of @list, such as 0,2-3.  If @list is NULL, append the CPUs that are online.
 * Reports an error and returns -1, or returns 0.
 */
int targets_add_cpus(struct targets *targets, const char *list);

/*
 * Functions for option_row.take: @field points to a struct id_list for take_pids(), and to a struct
 * targets for take_cpus().
 */
int take_pids(const char *argument, void *field);
int take_cpus(const char *argument, void *field);

void targets_free(struct targets *targets);

/**
 * struct target_ends - descriptors that tell pfmon when the targets have ended
 * @contexts: descriptors of contexts. The END message of a context shows that its thread has ended
 * @context_count: number of @contexts
 * @processes: pidfds of the processes
 * @process_count: number of @processes
 */
struct target_ends {
	int *contexts;
	size_t context_count;
	int *processes;
	size_t process_count;
};

/*
 * Load a context on each thread and on each CPU of @targets, and fill in @ends. If @follows,
 * threads that the processes create later are counted, too. Reports an error and returns -1, or
 * returns 0. The caller calls target_ends_free() in either case.
 */
int targets_attach(const struct targets *targets, bool follows, struct group *group,
		   struct target_ends *ends);

/**
 * struct attacher - provides contexts for threads
 * @attach: load the next context on thread @tid. @flags are the flags that this context must have.
 *	Stores the context in *@session, even if the load fails. Returns 0 if the load succeeded. If
 *	it failed, prints no message and returns a positive errno. After any other error, reports it
 *	and returns -1
 * @data: argument of @attach
 */
struct attacher {
	int (*attach)(void *data, int tid, uint32_t flags, struct session **session);
	void *data;
};

/* Like targets_attach(), with the contexts of @attacher.  CPUs are left out. */
int targets_attach_threads(const struct targets *targets, bool follows,
			   const struct attacher *attacher, struct target_ends *ends);

/*
 * Returns the present number of threads of the processes in @targets. Returns 1 if @targets has no
 * processes, or if all of them have ended.
 */
size_t targets_count_threads(const struct targets *targets);

/* Returns the flags (PFM_FL_*) with which the caller must create the first context. */
uint32_t targets_flags(const struct targets *targets, bool follows);

void target_ends_free(struct target_ends *ends);

#endif
